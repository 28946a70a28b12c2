//! Where tokens and pairs occur in a sequence.

use std::cmp::Ordering;

use super::{TokenPair, TokenSequence, TrainingToken};

/// How many occurrences ahead cells are prefetched.
pub(super) const PREFETCH_DISTANCE: usize = 12;

/// An occurrence of a token, or of a pair: an offset of 40 bits and a weight class of 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The lowest bits of the offset.
    low: u32,
    /// The weight class, and eight bits more of the offset.
    high: u32,
}

/// How many bits of an offset `Occurrence::low` has. Tests need the others, too.
const LOW_BITS: u32 = if cfg!(test) { 6 } else { 32 };
const HIGH_BITS: u32 = 8;

/// The number of weight classes, at most.
pub(super) const MAX_WEIGHT_CLASSES: usize = 1 << (32 - HIGH_BITS);

impl Occurrence {
    /// Creates an occurrence in a span of a weight class.
    #[inline]
    pub(crate) fn new(at: usize, weight_class: u32) -> Occurrence {
        let at = at as u64;
        let low = (at & ((1 << LOW_BITS) - 1)) as u32;
        Occurrence { low, high: weight_class << HIGH_BITS | (at >> LOW_BITS) as u32 }
    }

    /// Returns the offset of the token, or of the pair's left token.
    #[inline]
    pub(crate) fn at(self) -> usize {
        let high = self.high & ((1 << HIGH_BITS) - 1);
        (u64::from(high) << LOW_BITS | u64::from(self.low)) as usize
    }

    /// Returns the weight class of its span.
    #[inline]
    pub(crate) fn weight_class(self) -> u32 {
        self.high >> HIGH_BITS
    }

    /// Returns an occurrence at another offset of its span.
    #[inline]
    pub(crate) fn moved_to(self, at: usize) -> Occurrence {
        Occurrence::new(at, self.weight_class())
    }
}

impl Ord for Occurrence {
    fn cmp(&self, other: &Occurrence) -> Ordering {
        self.at().cmp(&other.at())
    }
}

impl PartialOrd for Occurrence {
    fn partial_cmp(&self, other: &Occurrence) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The occurrences of each token, in no order. Lists may contain offsets where the token is no
/// longer.
pub(crate) struct TokenOccurrences {
    of_token: Vec<Vec<Occurrence>>,
    /// Whether the single bytes are listed too.
    has_bytes: bool,
}

impl TokenOccurrences {
    /// Creates empty lists. Unless bytes are listed, they will be when a pair of two is searched for.
    pub(crate) fn new(has_bytes: bool) -> TokenOccurrences {
        TokenOccurrences { of_token: Vec::new(), has_bytes }
    }

    /// Lists the occurrences of all tokens of a kind. None of them must be listed yet.
    pub(crate) fn list<S: TokenSequence>(
        &mut self,
        sequence: &S,
        is_wanted: impl Fn(TrainingToken) -> bool,
    ) {
        for span in sequence.spans().iter() {
            let mut at = span.start;
            while at < span.end {
                let token = sequence.token(at);
                if is_wanted(token) {
                    let occurrence = Occurrence::new(at, span.weight_class);
                    self.of_mut(token).push(occurrence);
                }
                at = sequence.after(at);
            }
        }
    }

    /// Adds occurrences of a token.
    pub(crate) fn add(&mut self, token: TrainingToken, mut occurrences: Vec<Occurrence>) {
        let known = self.of_mut(token);
        if known.is_empty() {
            occurrences.shrink_to_fit();
            *known = occurrences;
        } else {
            known.extend(occurrences);
        }
    }

    /// Returns the list of a token, to be added to.
    pub(crate) fn of_mut(&mut self, token: TrainingToken) -> &mut Vec<Occurrence> {
        let index = token.index();
        if index >= self.of_token.len() {
            self.of_token.resize_with(index + 1, Vec::new);
        }
        &mut self.of_token[index]
    }

    /// Returns the list of a token.
    pub(crate) fn of(&self, token: TrainingToken) -> &[Occurrence] {
        self.of_token.get(token.index()).map_or(&[], Vec::as_slice)
    }

    /// Returns the occurrences of a token in order.
    pub(crate) fn sorted(&self, token: TrainingToken) -> Vec<Occurrence> {
        let mut occurrences = self.of(token).to_vec();
        occurrences.sort_unstable();
        occurrences
    }

    /// Returns the occurrences of a pair in order. It looks at those of the pair's rarer token.
    pub(crate) fn of_pair<S: TokenSequence>(
        &mut self,
        sequence: &S,
        pair: TokenPair,
    ) -> Vec<Occurrence> {
        let TokenPair { left, right } = pair;
        if left.is_byte() && right.is_byte() && !self.has_bytes {
            TrainingToken::bytes().for_each(|byte| self.of_mut(byte).clear());
            self.list(sequence, TrainingToken::is_byte);
            self.has_bytes = true;
        }
        let cost = |token: TrainingToken| {
            let is_listed = self.has_bytes || !token.is_byte();
            if is_listed { self.of(token).len() } else { usize::MAX }
        };
        let by_left = cost(left) <= cost(right);
        let mut occurrences = Vec::new();
        let listed = self.of(if by_left { left } else { right });
        for (index, &occurrence) in listed.iter().enumerate() {
            if let Some(ahead) = listed.get(index + PREFETCH_DISTANCE) {
                sequence.prefetch(ahead.at());
            }
            if by_left {
                let found = sequence.token(occurrence.at()) == left
                    && sequence.token(sequence.after(occurrence.at())) == right;
                occurrences.extend(found.then_some(occurrence));
            } else if sequence.token(occurrence.at()) == right {
                let at = sequence.before(occurrence.at());
                let found = sequence.token(at) == left;
                occurrences.extend(found.then_some(occurrence.moved_to(at)));
            }
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        occurrences
    }
}

/// Returns how often joining a pair would replace it, given all its occurrences in order.
pub(crate) fn count_joins<S: TokenSequence>(
    sequence: &S,
    pair: TokenPair,
    occurrences: &[Occurrence],
) -> u64 {
    let mut count = 0;
    let mut used_to = 0;
    for occurrence in occurrences {
        // In `x x x` the second pair of equals shares a token with the first.
        if pair.left != pair.right || occurrence.at() >= used_to {
            count += sequence.weight(occurrence.weight_class());
            used_to = sequence.after(sequence.after(occurrence.at()));
        }
    }
    count
}
