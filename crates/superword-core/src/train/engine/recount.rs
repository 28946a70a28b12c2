//! Counting all pairs of a sequence.
//!
//! A first pass adds up counts in hash buckets. It tells which pairs may be frequent, and the
//! second pass counts those exactly.

use std::collections::hash_map::Entry;
use std::ops::{Range, RangeInclusive};

use super::pair_counts::{KeptPair, KeptPairs};
use super::{Occurrence, TokenPair, TokenSequence, for_each_pair};
use crate::platform::hash::FastMap;
use crate::platform::huge_pages;
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

/// Chooses the floor, and counts the pairs that reach it.
pub(super) fn count_frequent_pairs<S: TokenSequence>(
    sequence: &S,
    options: &RecountOptions,
) -> (KeptPairs, u64) {
    let &RecountOptions { ref floors, wanted, threads } = options;
    let spans = sequence.spans().len();
    let sums = in_parallel(spans, threads, |spans| sum_by_bucket(sequence, spans));
    let sums = sums.into_iter().reduce(|mut sums, others| {
        sums.iter_mut().zip(&others).for_each(|(sum, other)| *sum += other);
        sums
    });
    let sums = sums.unwrap_or_default();
    let floor = count_reached_by(&sums, wanted) / FLOOR_DIVISOR;
    let floor = floor.clamp(*floors.start(), *floors.end());
    let shares = in_parallel(spans, threads, |spans| {
        count_in_buckets(sequence, spans, |bucket| sums[bucket] >= floor, sums.len())
    });
    // Shares are in the order of their spans, so occurrences that are appended are in order too.
    let mut shares = shares.into_iter();
    let mut kept = shares.next().unwrap_or_default();
    for (pair, share) in shares.flatten() {
        match kept.entry(pair) {
            Entry::Vacant(entry) => {
                entry.insert(share);
            }
            Entry::Occupied(mut entry) => {
                entry.get_mut().count += share.count;
                entry.get_mut().occurrences.extend(share.occurrences);
            }
        }
    }
    kept.retain(|_, kept| kept.count >= floor);
    (kept, floor)
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
fn sum_by_bucket<S: TokenSequence>(sequence: &S, spans: Range<usize>) -> Vec<u64> {
    // One bucket for each cell, if those are few.
    let buckets = (sequence.spans().end() as usize).next_power_of_two().clamp(1 << 8, 1 << 22);
    let mut sums = huge_pages::filled(0, buckets);
    for span in spans.map(|index| sequence.spans().get(index)) {
        let weight = sequence.weight(span.weight_class);
        for_each_pair(sequence, span.range(), |pair, _, counts| {
            let bucket = pair_bucket(pair, sums.len());
            sums[bucket] += weight * u64::from(counts);
        });
    }
    sums
}

/// Counts the pairs of frequent buckets, and collects their occurrences.
fn count_in_buckets<S: TokenSequence>(
    sequence: &S,
    spans: Range<usize>,
    is_frequent: impl Fn(usize) -> bool,
    buckets: usize,
) -> KeptPairs {
    let mut kept = FastMap::default();
    for span in spans.map(|index| sequence.spans().get(index)) {
        let weight = sequence.weight(span.weight_class);
        for_each_pair(sequence, span.range(), |pair, at, counts| {
            if is_frequent(pair_bucket(pair, buckets)) {
                let kept: &mut KeptPair = kept.entry(pair).or_default();
                kept.count += weight * u64::from(counts);
                kept.occurrences.push(Occurrence { at, weight_class: span.weight_class });
            }
        });
    }
    kept
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
