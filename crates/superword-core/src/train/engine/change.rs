//! Changes of tokens: what to do wherever it fits.

use super::{Occurrence, TokenPair, TokenSequence, TrainingToken};

/// A change, to be made wherever it fits. It makes or removes one token.
pub(crate) trait Change<S: TokenSequence>: Sync {
    /// Returns the token that it makes or removes.
    fn token(&self) -> TrainingToken;
    /// Returns the pair that it joins, if it joins one.
    #[inline]
    fn joined_pair(&self) -> Option<TokenPair> {
        None
    }
    /// Whether it can be made at an offset.
    fn fits(&self, sequence: &S, at: usize) -> bool;
    /// Returns the offset after all tokens that it changes at an offset.
    fn end(&self, sequence: &S, at: usize) -> usize;
    /// Makes it at an offset.
    fn make(&self, sequence: &S, at: usize);
}

/// Joins a pair into a token.
pub(crate) struct TokenJoin {
    pub(crate) pair: TokenPair,
    pub(crate) token: TrainingToken,
}

impl<S: TokenSequence> Change<S> for TokenJoin {
    #[inline]
    fn token(&self) -> TrainingToken {
        self.token
    }

    #[inline]
    fn joined_pair(&self) -> Option<TokenPair> {
        Some(self.pair)
    }

    #[inline]
    fn fits(&self, sequence: &S, at: usize) -> bool {
        sequence.token(at) == self.pair.left
            && sequence.token(sequence.after(at)) == self.pair.right
    }

    #[inline]
    fn end(&self, sequence: &S, at: usize) -> usize {
        sequence.after(sequence.after(at))
    }

    #[inline]
    fn make(&self, sequence: &S, at: usize) {
        sequence.join(at, sequence.after(at), self.token);
    }
}

/// What a change did.
#[derive(Default)]
pub(crate) struct ChangeSummary {
    /// How often it was made, each time with the weight of its span.
    pub(crate) weight: u64,
    /// Where it was made, in order.
    pub(crate) occurrences: Vec<Occurrence>,
    /// Whether some span has become the token alone.
    pub(crate) fills_span: bool,
}

impl ChangeSummary {
    /// Adds what the change did at later offsets.
    pub(super) fn append(&mut self, later: ChangeSummary) {
        self.weight += later.weight;
        self.occurrences.extend(later.occurrences);
        self.fills_span |= later.fills_span;
    }
}
