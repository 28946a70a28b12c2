//! Sequences of tokens, the counts of their pairs, and joining a pair.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::rc::Rc;

/// Tokens are equal, and ordered, as their bytes are.
pub(crate) type Token = Rc<[u8]>;
pub(crate) type Pair = (Token, Token);

/// Sequences of tokens, and the counts of the pairs in them.
#[derive(Default)]
pub(crate) struct Sequences {
    pub(crate) tokens: Vec<Vec<Token>>,
    /// The weight of each sequence.
    pub(crate) weights: Vec<u64>,
    /// The count of each pair, and the sequences that contain it.
    pairs: HashMap<Pair, (u64, BTreeSet<usize>)>,
    /// The largest count first; ties go to the smaller left token, then the smaller right one.
    ranked: BTreeSet<(Reverse<u64>, Pair)>,
    /// Pairs whose counts have changed, with the counts by which they are still ranked.
    outdated: HashMap<Pair, u64>,
}

impl Sequences {
    /// Adds a sequence without tokens and returns its number.
    pub(crate) fn push(&mut self, weight: u64) -> usize {
        self.tokens.push(Vec::new());
        self.weights.push(weight);
        self.tokens.len() - 1
    }

    /// Sets the tokens of a sequence.
    pub(crate) fn set(&mut self, sequence: usize, tokens: Vec<Token>) {
        let before = mem::replace(&mut self.tokens[sequence], tokens);
        for pair in pairs(&before) {
            let (count, sequences) = self.pairs.get_mut(&pair).expect("the sequence is counted");
            self.outdated.entry(pair).or_insert(*count);
            *count -= self.weights[sequence];
            sequences.remove(&sequence);
        }
        for pair in pairs(&self.tokens[sequence]) {
            let (count, sequences) = self.pairs.entry(pair.clone()).or_default();
            self.outdated.entry(pair).or_insert(*count);
            *count += self.weights[sequence];
            sequences.insert(sequence);
        }
    }

    /// Returns the allowed pair with the largest count. If there is none, the count is 0.
    pub(crate) fn most_frequent(&mut self, allows: impl Fn(&Pair) -> bool) -> (Pair, u64) {
        for (pair, count) in mem::take(&mut self.outdated) {
            self.ranked.remove(&(Reverse(count), pair.clone()));
            match self.pairs[&pair].0 {
                0 => drop(self.pairs.remove(&pair)),
                count => drop(self.ranked.insert((Reverse(count), pair))),
            }
        }
        let first = self.ranked.iter().find(|(_, pair)| allows(pair)).cloned();
        first.map(|(Reverse(count), pair)| (pair, count)).unwrap_or_default()
    }

    /// Returns the sequences that contain a pair.
    pub(crate) fn holding(&self, pair: &Pair) -> &BTreeSet<usize> {
        &self.pairs[pair].1
    }
}

/// Returns each pair of neighbours as often as `join` replaces it: `(a, a)` once for `a a a`.
fn pairs(tokens: &[Token]) -> Vec<Pair> {
    let mut result = Vec::new();
    let mut previous = None;
    for pair in tokens.windows(2) {
        // A pair equal to the one counted just before it shares a token with it: x x in x x x.
        if previous == Some(pair) || pair.iter().any(|token| token.is_empty()) {
            previous = None;
        } else {
            previous = Some(pair);
            result.push((pair[0].clone(), pair[1].clone()));
        }
    }
    result
}

/// Replaces the items that contain a pair, left to right, without overlap: `a a a` -> `aa a`.
pub(crate) fn join<T: Clone>(
    items: &[T],
    tokens: &[Token],
    (left, right): &Pair,
    joined: &T,
) -> Vec<T> {
    let mut result = Vec::new();
    let mut index = 0;
    while index < items.len() {
        let is_pair = tokens[index] == *left && tokens.get(index + 1) == Some(right);
        result.push(if is_pair { joined } else { &items[index] }.clone());
        index += if is_pair { 2 } else { 1 };
    }
    result
}
