//! Sequences of tokens in which neighbours are joined.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{TokenPair, TrainingToken, WeightedSpans};

/// A cell of a sequence. Several threads change a sequence at once, each in spans of its own.
#[repr(transparent)]
pub(crate) struct TokenCell(AtomicU32);

impl TokenCell {
    /// Creates a cell with a token.
    #[inline]
    pub(crate) fn new(token: TrainingToken) -> TokenCell {
        TokenCell(AtomicU32::new(token.0))
    }

    /// Returns the token.
    #[inline]
    pub(crate) fn get(&self) -> TrainingToken {
        TrainingToken(self.0.load(Ordering::Relaxed))
    }

    /// Replaces the token.
    #[inline]
    pub(crate) fn set(&self, token: TrainingToken) {
        self.0.store(token.0, Ordering::Relaxed);
    }
}

/// Spans of tokens in consecutive cells, with a barrier before, between and after them.
///
/// A token is identified by the offset of its first cell. A read at another offset gives a value
/// that is no token, so an offset that was once recorded can be read at any time later.
pub(crate) trait TokenSequence: Sync {
    /// Returns the token that starts at an offset, or a barrier.
    fn token(&self, at: usize) -> TrainingToken;

    /// Returns the offset of the token or barrier after the one at `at`.
    fn after(&self, at: usize) -> usize;

    /// Returns the offset of the token or barrier before the one at `at`.
    fn before(&self, at: usize) -> usize;

    /// Joins the neighbouring tokens at `left` and `right` into one.
    fn join(&self, left: usize, right: usize, token: TrainingToken);

    /// Returns the spans.
    fn spans(&self) -> &WeightedSpans;

    /// Prefetches the cells at an offset.
    fn prefetch(&self, at: usize);

    /// Returns the weight of a class of spans.
    #[inline]
    fn weight(&self, class: u32) -> u64 {
        self.spans().weight(class)
    }
}

/// Calls `each` with every pair of neighbours that starts in a range, its offset, and whether it
/// counts.
///
/// A pair counts as often as joining it would replace it: in `x x x` the first `(x, x)` counts and
/// the second does not. So a run of equal tokens must not continue before or after the range.
#[inline]
pub(crate) fn for_each_pair<S: TokenSequence>(
    sequence: &S,
    range: Range<usize>,
    mut each: impl FnMut(TokenPair, usize, bool),
) {
    let mut at = range.start;
    let mut left = sequence.token(at);
    let mut was_twin = false;
    while at < range.end {
        let next = sequence.after(at);
        let right = sequence.token(next);
        was_twin = left == right && !was_twin;
        if left != TrainingToken::BARRIER && right != TrainingToken::BARRIER {
            each(TokenPair { left, right }, at, left != right || was_twin);
        }
        (at, left) = (next, right);
    }
}

/// Returns the offset of the first token of the run of equal tokens that contains the one at `at`.
pub(crate) fn run_start<S: TokenSequence>(sequence: &S, mut at: usize) -> usize {
    let token = sequence.token(at);
    while token != TrainingToken::BARRIER && sequence.token(sequence.before(at)) == token {
        at = sequence.before(at);
    }
    at
}

/// Returns the offset of the last token of the run of equal tokens that contains the one at `at`.
pub(crate) fn run_end<S: TokenSequence>(sequence: &S, mut at: usize) -> usize {
    let token = sequence.token(at);
    while token != TrainingToken::BARRIER && sequence.token(sequence.after(at)) == token {
        at = sequence.after(at);
    }
    at
}
