//! The counts of pairs of neighbours.
//!
//! Only pairs that reach `floor` are kept, each with its occurrences. That is enough until no kept
//! pair is left; then the floor is lowered and everything is counted again. A pair that is not kept
//! may still grow, when a token is made a second time. Then only an upper bound of its count is
//! known. It is queued with that bound, and counted when it comes first.

use super::kept_pairs::KeptPairs;
use super::occurrences::count_joins;
use super::pair_queue::PairQueue;
use super::recount::{FrequentPair, count_frequent_pairs};
use super::{
    Candidate, Occurrence, RecountOptions, TokenOccurrences, TokenPair, TokenSequence,
    TrainingTokens, for_each_pair,
};
use crate::error::Error;
use crate::platform::hash::FastMap;

/// The counts of pairs.
pub(crate) struct PairCounts {
    floor: u64,
    /// With every occurrence, also where the pair overlaps with itself and so does not count, and
    /// offsets where it no longer occurs.
    kept: KeptPairs,
    /// Upper bounds of the counts of pairs that are not kept and have grown.
    bounds: FastMap<TokenPair, u64>,
    queue: PairQueue,
}

impl PairCounts {
    /// Creates empty counts. They will keep pairs that reach `floor`.
    pub(crate) fn new(floor: u64) -> PairCounts {
        PairCounts {
            floor,
            kept: KeptPairs::default(),
            bounds: FastMap::default(),
            queue: PairQueue::default(),
        }
    }

    /// Returns the smallest count of a pair that is kept.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// Whether the occurrences of a pair that grows by `by` are wanted: it is kept, or will be.
    #[inline]
    pub(crate) fn wants_occurrences(&mut self, pair: TokenPair, by: u64, is_new: bool) -> bool {
        if is_new && !self.bounds.is_empty() {
            self.bounds.remove(&pair);
        }
        if is_new { by >= self.floor } else { self.kept.count(pair).is_some() }
    }

    /// Adds a new pair with all its occurrences, if it reaches the floor.
    pub(crate) fn insert(
        &mut self,
        tokens: &TrainingTokens,
        candidate: Candidate,
        occurrences: Vec<Occurrence>,
    ) {
        let Candidate { pair, count } = candidate;
        self.bounds.remove(&pair);
        if count >= self.floor {
            self.kept.insert(pair, count, occurrences);
            self.queue.push(tokens, candidate);
        }
    }

    /// Increases the count of a pair that may have occurred before.
    pub(crate) fn increase(
        &mut self,
        tokens: &TrainingTokens,
        by: Candidate,
        occurrences: &[Occurrence],
    ) {
        let pair = by.pair;
        let count = if let Some(count) = self.kept.increase(pair, by.count, occurrences) {
            count
        } else if by.count == 0 {
            return;
        } else {
            let bound = self.bounds.entry(pair).or_insert(self.floor - 1);
            *bound += by.count;
            *bound
        };
        self.queue.push(tokens, Candidate { count, pair });
    }

    /// Prefetches the count of a pair.
    #[inline]
    pub(crate) fn prefetch(&self, pair: TokenPair) {
        self.kept.prefetch(pair);
    }

    /// Decreases the count of a pair.
    #[inline]
    pub(crate) fn decrease(&mut self, pair: TokenPair, by: u64) {
        if !self.kept.decrease(pair, by)
            && let Some(bound) = self.bounds.get_mut(&pair)
        {
            *bound = bound.saturating_sub(by);
        }
    }

    /// Returns the allowed pair with the largest count, if one reaches the floor. Ties go to the
    /// smaller left token, then to the smaller right token, by bytes.
    ///
    /// A pair that is not allowed leaves the queue, and must not be allowed later. It may be kept,
    /// and is queued again when its count grows.
    pub(crate) fn best<S: TokenSequence>(
        &mut self,
        tokens: &TrainingTokens,
        sequence: &S,
        occurrences: &mut TokenOccurrences,
        mut allows: impl FnMut(TokenPair) -> Result<bool, Error>,
    ) -> Result<Option<Candidate>, Error> {
        loop {
            let Some(first) = self.queue.first().filter(|first| first.count >= self.floor) else {
                return Ok(None);
            };
            let Candidate { count, pair } = first;
            if let Some(now) = self.kept.count(pair) {
                if now == count && allows(pair)? {
                    return Ok(Some(first));
                }
                self.queue.pop(tokens);
                // If the count has grown since, the queue has the pair with the larger count too.
                if now < count && now >= self.floor {
                    self.queue.push(tokens, Candidate { count: now, pair });
                }
            } else if let Some(&bound) = self.bounds.get(&pair) {
                self.queue.pop(tokens);
                if bound < count && bound >= self.floor {
                    self.queue.push(tokens, Candidate { count: bound, pair });
                } else if bound >= count && allows(pair)? {
                    self.bounds.remove(&pair);
                    let occurrences = occurrences.of_pair(sequence, pair);
                    let count = count_joins(sequence, pair, &occurrences);
                    // Kept even below the floor: a pair that has grown may grow again.
                    self.kept.insert(pair, count, occurrences);
                    self.queue.push(tokens, Candidate { count, pair });
                }
            } else {
                self.queue.pop(tokens);
            }
        }
    }

    /// Removes a pair that is about to be joined everywhere, and returns its occurrences in order.
    pub(crate) fn take(&mut self, pair: TokenPair) -> Vec<Occurrence> {
        self.kept.take(pair)
    }

    /// Counts all pairs again, and chooses the floor.
    pub(crate) fn recount<S: TokenSequence>(
        &mut self,
        tokens: &TrainingTokens,
        sequence: &S,
        options: &RecountOptions,
    ) {
        // Frees the memory first.
        *self = PairCounts::new(0);
        let (frequent, floor) = count_frequent_pairs(sequence, options);
        self.floor = floor;
        self.queue = PairQueue::new(tokens, frequent.iter().map(|pair| pair.candidate));
        for FrequentPair { candidate: Candidate { pair, count }, occurrences } in frequent {
            self.kept.insert(pair, count, occurrences);
        }
    }

    /// Counts all pairs again and compares.
    ///
    /// # Panics
    /// When a count is wrong.
    pub(crate) fn verify<S: TokenSequence>(&self, sequence: &S) {
        let mut counts: FastMap<TokenPair, u64> = FastMap::default();
        for span in sequence.spans().iter() {
            let weight = sequence.weight(span.weight_class);
            for_each_pair(sequence, span.range(), |pair, _, counts_here| {
                *counts.entry(pair).or_default() += weight * u64::from(counts_here);
            });
        }
        self.kept.for_each(|pair, kept| {
            let count = counts.remove(&pair).unwrap_or(0);
            assert_eq!(kept, count, "{pair:?} is kept with a wrong count");
        });
        for (pair, count) in counts {
            let bound = self.bounds.get(&pair).copied().unwrap_or(self.floor - 1);
            assert!(count <= bound, "{pair:?} occurs {count} times, at most {bound} expected");
        }
    }
}
