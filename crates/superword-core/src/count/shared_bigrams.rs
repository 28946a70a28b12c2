//! Bigram counts that several processes add up: their buckets are the same in all of them.

use super::bigrams::{self, BigramCounter, BigramHash, FrequentBigrams};
use crate::Error;
use crate::count::corpus_pass::ThreadCounter;
use crate::count::pretoken_map::Probe;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;

/// The number of buckets of shared bigram counts.
///
/// Pairs that share a bucket by chance add more to its count in a larger corpus, but the threshold
/// grows as well. So one number suits corpora of every size.
pub const BIGRAM_BUCKETS: usize = 1 << 24;

/// Counts by a hash without a secret. They stop at the largest `u32`.
pub(crate) struct SharedBigramCounts {
    counts: Vec<u32>,
}

impl SharedBigramCounts {
    pub(crate) fn new() -> SharedBigramCounts {
        let mut counts = huge_pages::with_capacity(BIGRAM_BUCKETS);
        counts.resize(BIGRAM_BUCKETS, 0);
        SharedBigramCounts { counts }
    }

    /// Returns the counts by bucket.
    pub(crate) fn into_counts(self) -> Vec<u32> {
        self.counts
    }
}

impl BigramHash for SharedBigramCounts {
    #[inline]
    fn hash(text: &[u8], probe: &Probe) -> u64 {
        probe.portable_hash(text)
    }

    #[inline]
    fn bucket(&self, left: u64, right: u64) -> usize {
        let bucket = bigrams::bucket(left, right, BIGRAM_BUCKETS);
        prefetch(&self.counts[bucket]);
        bucket
    }
}

impl BigramCounter for SharedBigramCounts {
    #[inline]
    fn add(&mut self, bucket: usize, weight: u64) {
        let weight = u32::try_from(weight).unwrap_or(u32::MAX);
        self.counts[bucket] = self.counts[bucket].saturating_add(weight);
    }
}

impl ThreadCounter for SharedBigramCounts {
    fn merge(&mut self, other: SharedBigramCounts) -> Result<(), Error> {
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(other);
        }
        Ok(())
    }
}

/// One bit for each bucket, the lowest of each byte first: whether its count is large enough.
#[derive(Clone, Copy)]
pub(crate) struct FrequentBuckets<'b> {
    pub(crate) bits: &'b [u8],
}

impl BigramHash for FrequentBuckets<'_> {
    #[inline]
    fn hash(text: &[u8], probe: &Probe) -> u64 {
        probe.portable_hash(text)
    }

    #[inline]
    fn bucket(&self, left: u64, right: u64) -> usize {
        let bucket = bigrams::bucket(left, right, BIGRAM_BUCKETS);
        prefetch(&self.bits[bucket / 8]);
        bucket
    }
}

impl FrequentBigrams for FrequentBuckets<'_> {
    #[inline]
    fn is_frequent(&self, bucket: usize) -> bool {
        self.bits[bucket / 8] >> (bucket % 8) & 1 == 1
    }
}
