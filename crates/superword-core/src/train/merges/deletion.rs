//! Deletion: a token that hardly occurs except in the one just made is taken apart again.

use super::words::Words;
use crate::model::Deletion;
use crate::platform::hash::FastMap;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::{Pair, Pairs, Place};
use crate::train::engine::replace::{run_end, run_start};
use crate::train::engine::sequence::{Sequence, pairs_between};
use crate::train::engine::token::{TokenId, Tokens};

/// What deletion has to know of the tokens.
pub(super) struct Deletions {
    mode: Deletion,
    /// The pair of the first merge that made each token.
    first_pair: Vec<Option<Pair>>,
    /// Tokens that a deletion has removed, and no merge has made again since.
    is_removed: Vec<bool>,
}

impl Deletions {
    pub(super) fn new(mode: Deletion) -> Deletions {
        Deletions { mode, first_pair: Vec::new(), is_removed: Vec::new() }
    }

    /// Takes note of a merge.
    pub(super) fn merged(&mut self, pair: Pair, token: TokenId) {
        let index = token as usize;
        if index >= self.first_pair.len() {
            self.first_pair.resize(index + 1, None);
            self.is_removed.resize(index + 1, false);
        }
        self.first_pair[index].get_or_insert(pair);
        self.is_removed[index] = false;
    }

    /// The parts that deleting a token leaves: its bytes, or the pair of the first merge that made
    /// it, in which a part that was removed is split again the same way.
    fn parts(&self, tokens: &Tokens, token: TokenId) -> Box<[TokenId]> {
        if self.mode == Deletion::Bytes {
            return tokens.bytes(token).iter().map(|&byte| TokenId::from(byte)).collect();
        }
        let mut parts = Vec::new();
        let mut pending = vec![token];
        while let Some(part) = pending.pop() {
            let pair = self.first_pair.get(part as usize).copied().flatten();
            match pair {
                Some(pair) if part == token || self.is_removed[part as usize] => {
                    pending.extend([pair.right, pair.left]);
                }
                _ => parts.push(part),
            }
        }
        parts.into()
    }

    /// Takes a token apart wherever it occurs, and gives the parts.
    pub(super) fn delete(
        &mut self,
        token: TokenId,
        (words, weights): (&mut Words, &[u64]),
        (tokens, pairs): (&Tokens, &mut Pairs),
        occurrences: &mut Occurrences,
        counts: &mut [u64],
    ) -> Box<[TokenId]> {
        let parts = self.parts(tokens, token);
        let mut places = std::mem::take(occurrences.of_mut(token));
        places.sort_unstable();
        let mut changes = Changes::default();
        for place in places {
            if words.token(place.at) != token {
                continue;
            }
            let weight = weights[place.weight as usize];
            let from = run_start(words, words.before(place.at));
            let mut end = place.at;
            while words.token(end) == token {
                end = words.after(end);
            }
            let to = run_end(words, end);
            changes.count(words, (from, to), place.weight, -weight.cast_signed());
            let mut at = place.at;
            while at != end {
                let next = words.after(at);
                words.split(at, &parts);
                for &part in &parts {
                    counts[part as usize] += weight;
                    occurrences.of_mut(part).push(Place { at, weight: place.weight });
                    at = words.after(at);
                }
                debug_assert_eq!(at, next);
            }
            changes.count(words, (from, to), place.weight, weight.cast_signed());
        }
        changes.settle(tokens, pairs);
        counts[token as usize] = 0;
        self.is_removed[token as usize] = true;
        parts
    }
}

/// Changes to the counts of pairs, with the places where they are found afterwards.
#[derive(Default)]
struct Changes(FastMap<Pair, (i64, Vec<Place>)>);

impl Changes {
    fn count(&mut self, words: &Words, (from, to): (u32, u32), class: u32, weight: i64) {
        pairs_between(words, from, to, |pair, at, counts| {
            let change = self.0.entry(pair).or_default();
            change.0 += if counts { weight } else { 0 };
            if weight > 0 {
                change.1.push(Place { at, weight: class });
            }
        });
    }

    fn settle(self, tokens: &Tokens, pairs: &mut Pairs) {
        for (pair, (change, places)) in self.0 {
            if change < 0 {
                pairs.decrease(pair, change.unsigned_abs());
            }
            if change > 0 || !places.is_empty() {
                pairs.increase(tokens, pair, change.max(0).cast_unsigned(), &places);
            }
        }
    }
}
