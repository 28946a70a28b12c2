//! Upper bounds of how often two pretokens, or two tokens, are neighbours.
//!
//! A pair is counted in a hash bucket, which it may share with others. So a count may be too large,
//! but never too small.

use crate::Error;
use crate::corpus::Corpus;
use crate::count::corpus_pass::ThreadCounter;
use crate::count::pretoken_map::Probe;
use crate::platform::cpu::prefetch;
use crate::platform::hash::fold;
use crate::platform::huge_pages::HugeBlock;
use crate::platform::memory_budget::MemoryBudget;

/// Finds the bucket of a pair of neighbours.
pub(crate) trait BigramHash {
    /// Returns the hash of a pretoken of the text.
    fn hash(text: &[u8], probe: &Probe) -> u64;

    /// Returns the bucket of the pair with these hashes, and prefetches it.
    fn bucket(&self, left: u64, right: u64) -> usize;
}

/// Counts pairs by bucket.
pub(crate) trait BigramCounter: BigramHash + ThreadCounter {
    /// Counts a pair `weight` times.
    fn add(&mut self, bucket: usize, weight: u64);
}

/// Tells which buckets have large counts.
pub(crate) trait FrequentBigrams: BigramHash + Copy + Sync {
    /// Whether the pairs of a bucket may be frequent.
    fn is_frequent(&self, bucket: usize) -> bool;
}

/// The number of buckets that the tables of all threads have together, at most.
const MAX_BUCKETS: usize = 1 << 26;

/// Counts by a hash that differs in each process. They stop at the largest `u16`.
pub(crate) struct BigramCounts {
    counts: HugeBlock<u16>,
}

impl BigramCounts {
    /// Returns how many buckets each of `tables` tables should have.
    pub(crate) fn buckets_for(corpus: &dyn Corpus, tables: usize, budget: MemoryBudget) -> usize {
        let max = MAX_BUCKETS.min(budget.optional_size() / size_of::<u16>());
        corpus.size().map_or(max, |size| size as usize / 2).min(max) / tables
    }

    /// Creates empty counts. The number of buckets is rounded up to a power of two.
    pub(crate) fn new(buckets: usize) -> BigramCounts {
        BigramCounts { counts: HugeBlock::filled(0, buckets.next_power_of_two().max(1 << 10)) }
    }

    /// Returns the largest count that at least `wanted` buckets reach, or 0.
    pub(crate) fn count_reached_by(&self, wanted: usize) -> u64 {
        let mut buckets_with = vec![0; 1 << 16];
        for &count in &*self.counts {
            buckets_with[usize::from(count)] += 1;
        }
        let mut reached = 0;
        let largest = (1..=u16::MAX).rev().find(|&count| {
            reached += buckets_with[usize::from(count)];
            reached >= wanted
        });
        largest.map_or(0, u64::from)
    }

    /// Returns the size in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.counts.len() * size_of::<u16>()
    }
}

/// Returns the bucket of the pair with these hashes; `buckets` is a power of two.
#[inline]
pub(super) fn bucket(left: u64, right: u64, buckets: usize) -> usize {
    let hash = fold(left ^ 0x9E37_79B9_7F4A_7C15, right ^ 0xD1B5_4A32_D192_ED03);
    hash as usize & (buckets - 1)
}

impl BigramHash for BigramCounts {
    #[inline]
    fn hash(_text: &[u8], probe: &Probe) -> u64 {
        probe.hash
    }

    #[inline]
    fn bucket(&self, left: u64, right: u64) -> usize {
        let bucket = bucket(left, right, self.counts.len());
        prefetch(&self.counts[bucket]);
        bucket
    }
}

impl BigramCounter for BigramCounts {
    #[inline]
    fn add(&mut self, bucket: usize, weight: u64) {
        let weight = u16::try_from(weight).unwrap_or(u16::MAX);
        self.counts[bucket] = self.counts[bucket].saturating_add(weight);
    }
}

impl ThreadCounter for BigramCounts {
    fn merge(&mut self, other: BigramCounts) -> Result<(), Error> {
        for (count, &other) in self.counts.iter_mut().zip(&*other.counts) {
            *count = count.saturating_add(other);
        }
        Ok(())
    }
}

/// The buckets whose counts reach a threshold.
pub(crate) struct AboveThreshold {
    /// One bit for each bucket. They take less of the cache than the counts.
    bits: Vec<u64>,
}

impl AboveThreshold {
    /// Finds the buckets.
    pub(crate) fn new(bigrams: &BigramCounts, threshold: u64) -> AboveThreshold {
        let reaches = |count: u16| u64::from(count) >= threshold.min(u64::from(u16::MAX));
        let word = |counts: &[u16]| {
            counts.iter().rev().fold(0, |word, &count| word << 1 | u64::from(reaches(count)))
        };
        AboveThreshold { bits: bigrams.counts.chunks(64).map(word).collect() }
    }
}

impl BigramHash for &AboveThreshold {
    #[inline]
    fn hash(text: &[u8], probe: &Probe) -> u64 {
        BigramCounts::hash(text, probe)
    }

    #[inline]
    fn bucket(&self, left: u64, right: u64) -> usize {
        let bucket = bucket(left, right, self.bits.len() * 64);
        prefetch(&self.bits[bucket / 64]);
        bucket
    }
}

impl FrequentBigrams for &AboveThreshold {
    #[inline]
    fn is_frequent(&self, bucket: usize) -> bool {
        self.bits[bucket / 64] >> (bucket % 64) & 1 == 1
    }
}
