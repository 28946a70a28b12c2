//! A priority queue of pairs.
//!
//! It is a binary heap written by hand, because the order of two pairs depends on the bytes of
//! their tokens, which the queue does not hold. The heap of the standard library compares its items
//! alone.

use std::cmp::Ordering;

use super::{TokenPair, TrainingToken, TrainingTokens};

/// A pair with a count. In the queue, the pair had this count once, and no larger one since.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) count: u64,
    pub(crate) pair: TokenPair,
}

/// A binary heap, the best candidate first. It may contain a pair several times.
#[derive(Default)]
pub(crate) struct PairQueue(Vec<QueueEntry>);

/// A candidate with the beginning of its left token, which nearly always tells equal counts apart.
#[derive(Clone, Copy)]
struct QueueEntry {
    count: u64,
    /// The first eight bytes, the first one highest, with zeros after the last.
    beginning: u64,
    pair: TokenPair,
}

impl QueueEntry {
    fn new(tokens: &TrainingTokens, Candidate { count, pair }: Candidate) -> QueueEntry {
        QueueEntry { count, beginning: beginning(tokens, pair.left), pair }
    }
}

/// Returns the first eight bytes of a token as a number.
fn beginning(tokens: &TrainingTokens, token: TrainingToken) -> u64 {
    let bytes = tokens.bytes(token);
    let mut first = [0; 8];
    let length = bytes.len().min(first.len());
    first[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(first)
}

impl PairQueue {
    /// Creates a queue of these candidates.
    pub(crate) fn new(
        tokens: &TrainingTokens,
        candidates: impl Iterator<Item = Candidate>,
    ) -> PairQueue {
        let mut queue: Vec<_> = candidates.map(|pair| QueueEntry::new(tokens, pair)).collect();
        queue.sort_unstable_by(|a, b| compare(tokens, a, b));
        PairQueue(queue)
    }

    /// Returns the best candidate.
    pub(crate) fn first(&self) -> Option<Candidate> {
        self.0.first().map(|&QueueEntry { count, pair, .. }| Candidate { count, pair })
    }

    /// Adds a candidate.
    pub(crate) fn push(&mut self, tokens: &TrainingTokens, candidate: Candidate) {
        let mut index = self.0.len();
        self.0.push(QueueEntry::new(tokens, candidate));
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
fn compare(tokens: &TrainingTokens, a: &QueueEntry, b: &QueueEntry) -> Ordering {
    b.count.cmp(&a.count).then(a.beginning.cmp(&b.beginning)).then_with(|| {
        let bytes = |pair: TokenPair| (tokens.bytes(pair.left), tokens.bytes(pair.right));
        bytes(a.pair).cmp(&bytes(b.pair))
    })
}
