//! Counting all pairs of a sequence.
//!
//! A first pass adds up counts in hash buckets. It tells which pairs may be frequent. The second
//! pass collects the occurrences of those, divided into parts by hash, and each part is counted on
//! its own. So all memory is written in order, or is small enough for the processor's cache.

use std::mem;
use std::ops::{Range, RangeInclusive};
use std::sync::{Mutex, PoisonError};

use super::{Candidate, Occurrence, TokenPair, TokenSequence, for_each_pair};
use crate::platform::hash::FastMap;
use crate::platform::huge_pages::HugeBlock;
use crate::platform::threads::call_on_threads;

/// How to count all pairs again.
pub(crate) struct RecountOptions {
    /// The range of the floor. It will be as high as keeps more than the `wanted` pairs.
    pub(crate) floors: RangeInclusive<u64>,
    /// The number of pairs that are about to be joined.
    pub(crate) wanted: usize,
    pub(crate) threads: usize,
}

/// How far the floor is below the count of the wanted pairs: later others will be wanted.
const FLOOR_DIVISOR: u64 = 4;

/// The number of parts of the pairs, a power of two.
const PARTS: usize = 64;

/// The smallest number of buckets, a power of two.
const MIN_BUCKETS: usize = 1 << 8;

/// A pair that reaches the floor, with all its occurrences in order.
pub(super) struct FrequentPair {
    pub(super) candidate: Candidate,
    pub(super) occurrences: Vec<Occurrence>,
}

/// Chooses the floor, and counts the pairs that reach it.
pub(super) fn count_frequent_pairs<S: TokenSequence>(
    sequence: &S,
    options: &RecountOptions,
) -> (Vec<FrequentPair>, u64) {
    let &RecountOptions { ref floors, wanted, threads } = options;
    let spans = sequence.spans().len();
    let sums = in_parallel(spans, threads, |spans| sum_by_bucket(sequence, spans));
    let sums = sums.into_iter().reduce(|mut sums, others| {
        sums.iter_mut().zip(&*others).for_each(|(sum, other)| *sum += other);
        sums
    });
    let Some(sums) = sums else { return (Vec::new(), *floors.start()) };
    let floor = count_reached_by(&sums, wanted) / FLOOR_DIVISOR;
    let floor = floor.clamp(*floors.start(), *floors.end());
    let frequent = FrequentSums::new(&sums, floor);
    drop(sums);
    let shares = in_parallel(spans, threads, |spans| find_pairs(sequence, spans, &frequent));
    let mut parts: Vec<Mutex<Vec<FoundPairs>>> = (0..PARTS).map(|_| Mutex::default()).collect();
    // Shares are in the order of their spans, so the occurrences of a part are in order too.
    for share in shares {
        for (part, found) in parts.iter_mut().zip(share) {
            part.get_mut().unwrap_or_else(PoisonError::into_inner).push(found);
        }
    }
    let counted = call_on_threads(threads, |number| {
        let mut counted = Vec::new();
        for part in parts.iter().skip(number).step_by(threads.max(1)) {
            let found = mem::take(&mut *part.lock().unwrap_or_else(PoisonError::into_inner));
            count_part(sequence, &found, floor, &mut counted);
        }
        counted
    });
    (counted.into_iter().flatten().collect(), floor)
}

/// Divides spans among threads, in order, and returns what each thread made of its share.
fn in_parallel<T: Send>(
    spans: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let share = spans.div_ceil(threads).max(1);
    let shares = spans.div_ceil(share);
    call_on_threads(shares, |number| work(number * share..((number + 1) * share).min(spans)))
}

/// Adds up the counts of all pairs that share a bucket.
fn sum_by_bucket<S: TokenSequence>(sequence: &S, spans: Range<usize>) -> HugeBlock<u64> {
    // One bucket for each cell, if those are few.
    let buckets = sequence.spans().end().next_power_of_two().clamp(MIN_BUCKETS, 1 << 22);
    let mut sums = HugeBlock::filled(0, buckets);
    for span in spans.map(|index| sequence.spans().get(index)) {
        let weight = sequence.weight(span.weight_class);
        for_each_pair(sequence, span.range(), |pair, _, counts| {
            let bucket = pair_bucket(pair, sums.len());
            sums[bucket] += weight * u64::from(counts);
        });
    }
    sums
}

/// The buckets with a sum that reaches the floor.
struct FrequentSums {
    /// One bit for each bucket.
    bits: Vec<u64>,
    buckets: usize,
}

impl FrequentSums {
    fn new(sums: &[u64], floor: u64) -> FrequentSums {
        let word = |sums: &[u64]| {
            sums.iter().rev().fold(0, |word, &sum| word << 1 | u64::from(sum >= floor))
        };
        FrequentSums { bits: sums.chunks(64).map(word).collect(), buckets: sums.len() }
    }

    #[inline]
    fn has(&self, bucket: usize) -> bool {
        self.bits[bucket / 64] >> (bucket % 64) & 1 == 1
    }

    /// Returns the part of the pairs of a bucket.
    #[inline]
    fn part(&self, bucket: usize) -> usize {
        bucket >> (self.buckets.ilog2() - PARTS.ilog2())
    }
}

/// The pairs of one part that a thread has found.
#[derive(Default)]
struct FoundPairs {
    pairs: Vec<TokenPair>,
    occurrences: Vec<FoundOccurrence>,
}

/// An occurrence of a pair.
struct FoundOccurrence {
    /// The index of the pair, with the highest bit set if the occurrence does not count.
    index: u32,
    occurrence: Occurrence,
}

impl FoundOccurrence {
    const DOES_NOT_COUNT: u32 = 1 << 31;

    fn pair(&self) -> usize {
        (self.index & !FoundOccurrence::DOES_NOT_COUNT) as usize
    }

    fn counts(&self) -> bool {
        self.index & FoundOccurrence::DOES_NOT_COUNT == 0
    }
}

/// Finds the occurrences of pairs of frequent buckets, by part.
fn find_pairs<S: TokenSequence>(
    sequence: &S,
    spans: Range<usize>,
    frequent: &FrequentSums,
) -> Vec<FoundPairs> {
    let mut parts: Vec<FoundPairs> = (0..PARTS).map(|_| FoundPairs::default()).collect();
    let mut indices: FastMap<TokenPair, u32> = FastMap::default();
    for span in spans.map(|index| sequence.spans().get(index)) {
        for_each_pair(sequence, span.range(), |pair, at, counts| {
            let bucket = pair_bucket(pair, frequent.buckets);
            if frequent.has(bucket) {
                let FoundPairs { pairs, occurrences } = &mut parts[frequent.part(bucket)];
                let index = *indices.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() as u32 - 1
                });
                let index = if counts { index } else { index | FoundOccurrence::DOES_NOT_COUNT };
                let occurrence = Occurrence::new(at, span.weight_class);
                occurrences.push(FoundOccurrence { index, occurrence });
            }
        });
    }
    parts
}

/// Counts the pairs of a part, which all threads have found, and keeps those that reach the floor.
fn count_part<S: TokenSequence>(
    sequence: &S,
    shares: &[FoundPairs],
    floor: u64,
    kept: &mut Vec<FrequentPair>,
) {
    let mut indices: FastMap<TokenPair, usize> = FastMap::default();
    let mut counted: Vec<CountedPair> = Vec::new();
    let mut index_of = |pair: TokenPair| {
        *indices.entry(pair).or_insert_with(|| {
            counted.push(CountedPair { pair, count: 0, occurrences: 0, kept: None });
            counted.len() - 1
        })
    };
    let mut shares_with_indices: Vec<(&FoundPairs, Vec<usize>)> = Vec::new();
    for found in shares {
        shares_with_indices.push((found, found.pairs.iter().copied().map(&mut index_of).collect()));
    }
    let shares = shares_with_indices;
    for (found, indices) in &shares {
        for occurrence in &found.occurrences {
            let counted = &mut counted[indices[occurrence.pair()]];
            counted.occurrences += 1;
            if occurrence.counts() {
                counted.count += sequence.weight(occurrence.occurrence.weight_class());
            }
        }
    }
    for pair in counted.iter_mut().filter(|pair| pair.count >= floor) {
        pair.kept = Some(kept.len());
        let occurrences = Vec::with_capacity(pair.occurrences);
        let candidate = Candidate { count: pair.count, pair: pair.pair };
        kept.push(FrequentPair { candidate, occurrences });
    }
    for (found, indices) in &shares {
        for occurrence in &found.occurrences {
            if let Some(index) = counted[indices[occurrence.pair()]].kept {
                kept[index].occurrences.push(occurrence.occurrence);
            }
        }
    }
}

/// A pair of a part.
struct CountedPair {
    pair: TokenPair,
    count: u64,
    /// The number of its occurrences.
    occurrences: usize,
    /// Its index among the pairs that are kept.
    kept: Option<usize>,
}

/// Returns a power of two that at least `wanted` of the sums reach, and few more.
fn count_reached_by(sums: &[u64], wanted: usize) -> u64 {
    let mut sums_with = [0; 65];
    for sum in sums {
        sums_with[64 - sum.leading_zeros() as usize] += 1;
    }
    let mut reached = 0;
    let bits = (1..=64).rev().find(|&bits| {
        reached += sums_with[bits];
        reached >= wanted
    });
    bits.map_or(0, |bits| 1 << (bits - 1))
}

/// Returns the bucket of a pair; `buckets` is a power of two.
#[inline]
fn pair_bucket(pair: TokenPair, buckets: usize) -> usize {
    let word = u64::from(pair.left.0) << 32 | u64::from(pair.right.0);
    let hash = (word ^ word >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> 32) as usize & (buckets - 1)
}
