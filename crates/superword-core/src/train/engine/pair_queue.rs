//! A priority queue of pairs.
//!
//! It is a binary heap written by hand, because the order of two pairs depends on the bytes of
//! their tokens, which the queue does not hold. The heap of the standard library compares its items
//! alone.

use std::cmp::Ordering;

use super::{TokenPair, TrainingTokens};

/// A pair with a count. In the queue, the pair had this count once, and no larger one since.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) count: u64,
    pub(crate) pair: TokenPair,
}

/// A binary heap, the best candidate first. It may contain a pair several times.
#[derive(Default)]
pub(crate) struct PairQueue(Vec<Candidate>);

impl PairQueue {
    /// Creates a queue of these candidates.
    pub(crate) fn new(tokens: &TrainingTokens, mut candidates: Vec<Candidate>) -> PairQueue {
        candidates.sort_unstable_by(|a, b| compare(tokens, a, b));
        PairQueue(candidates)
    }

    /// Returns the best candidate.
    pub(crate) fn first(&self) -> Option<Candidate> {
        self.0.first().copied()
    }

    /// Adds a candidate.
    pub(crate) fn push(&mut self, tokens: &TrainingTokens, candidate: Candidate) {
        let mut index = self.0.len();
        self.0.push(candidate);
        while index > 0 {
            let parent = (index - 1) / 2;
            if compare(tokens, &self.0[index], &self.0[parent]) != Ordering::Less {
                break;
            }
            self.0.swap(index, parent);
            index = parent;
        }
    }

    /// Removes the best candidate.
    pub(crate) fn pop(&mut self, tokens: &TrainingTokens) {
        self.0.swap_remove(0);
        let mut index = 0;
        loop {
            let mut first = 2 * index + 1;
            if first >= self.0.len() {
                break;
            }
            let second = first + 1;
            if second < self.0.len()
                && compare(tokens, &self.0[second], &self.0[first]) == Ordering::Less
            {
                first = second;
            }
            if compare(tokens, &self.0[first], &self.0[index]) != Ordering::Less {
                break;
            }
            self.0.swap(index, first);
            index = first;
        }
    }
}

/// Orders the better candidate first: the larger count, then the smaller left and right tokens by
/// bytes (docs/algorithm.md).
fn compare(tokens: &TrainingTokens, a: &Candidate, b: &Candidate) -> Ordering {
    b.count.cmp(&a.count).then_with(|| {
        let bytes = |pair: TokenPair| (tokens.bytes(pair.left), tokens.bytes(pair.right));
        bytes(a.pair).cmp(&bytes(b.pair))
    })
}
