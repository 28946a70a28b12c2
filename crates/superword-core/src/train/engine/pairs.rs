//! Counts of pairs of neighbours, and the largest of them.
//!
//! Only pairs that reach `floor` are kept, each with the places where it occurs. That suffices
//! until no kept pair is left; then the floor is lowered and everything counted anew. A pair that
//! is not kept may still grow (a token made a second time brings new occurrences), and then all
//! that is known of it is a bound. It is queued with that bound and counted when its turn comes.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::ops::{Range, RangeInclusive};
use std::thread;

use crate::platform::hash::FastMap;
use crate::platform::huge_pages;
use crate::train::engine::occurrences::{self, Occurrences};
use crate::train::engine::sequence::{Sequence, pairs_between};
use crate::train::engine::token::{TokenId, Tokens};

/// Two tokens side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) left: TokenId,
    pub(crate) right: TokenId,
}

/// Where a pair's left token starts, and the class of its row's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) at: u32,
    pub(crate) weight: u32,
}

/// A pair that is kept.
struct Kept {
    count: u64,
    /// Every place where the pair occurs, also where it overlaps with itself and so does not
    /// count, and places where it no longer occurs.
    places: Vec<Place>,
    /// Places came in more than one go, so that they are not in order.
    is_mixed: bool,
}

/// A pair in the queue, with a count that it had once, and no larger one since.
#[derive(Clone, Copy)]
struct Candidate {
    count: u64,
    pair: Pair,
}

/// The counts.
pub(crate) struct Pairs {
    floor: u64,
    kept: FastMap<Pair, Kept>,
    /// Upper bounds of pairs that are not kept and have grown.
    bounds: FastMap<Pair, u64>,
    /// A binary heap, the best candidate first. It may hold a pair several times.
    queue: Vec<Candidate>,
}

impl Pairs {
    /// No pairs, of which those that reach `floor` will be kept.
    pub(crate) fn new(floor: u64) -> Pairs {
        Pairs { floor, kept: FastMap::default(), bounds: FastMap::default(), queue: Vec::new() }
    }

    /// The count from which on pairs are kept.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// Whether the places of a pair that rises by `by` are wanted: it is kept, or will be.
    #[inline]
    pub(crate) fn wants_places(&mut self, pair: Pair, by: u64, is_new: bool) -> bool {
        if is_new && !self.bounds.is_empty() {
            self.bounds.remove(&pair);
        }
        if is_new { by >= self.floor } else { self.kept.contains_key(&pair) }
    }

    /// Takes in a pair with all its places, if it reaches the floor.
    pub(crate) fn insert(&mut self, tokens: &Tokens, pair: Pair, count: u64, places: Vec<Place>) {
        self.bounds.remove(&pair);
        if count >= self.floor {
            self.kept.insert(pair, Kept { count, places, is_mixed: false });
            self.push(tokens, Candidate { count, pair });
        }
    }

    /// Raises the count of a pair that may have occurred before.
    pub(crate) fn increase(&mut self, tokens: &Tokens, pair: Pair, by: u64, places: &[Place]) {
        let count = if let Some(kept) = self.kept.get_mut(&pair) {
            kept.count += by;
            kept.places.extend_from_slice(places);
            kept.is_mixed = true;
            kept.count
        } else if by == 0 {
            return;
        } else {
            let bound = self.bounds.entry(pair).or_insert(self.floor - 1);
            *bound += by;
            *bound
        };
        self.push(tokens, Candidate { count, pair });
    }

    /// Lowers the count of a pair.
    #[inline]
    pub(crate) fn decrease(&mut self, pair: Pair, by: u64) {
        if let Some(kept) = self.kept.get_mut(&pair) {
            kept.count -= by;
            if kept.count == 0 {
                self.kept.remove(&pair);
            }
        } else if let Some(bound) = self.bounds.get_mut(&pair) {
            *bound = bound.saturating_sub(by);
        }
    }

    /// The pair with the largest count, if one reaches the floor. Ties go to the smaller left
    /// token, then the smaller right token, by bytes.
    pub(crate) fn best<S: Sequence>(
        &mut self,
        tokens: &Tokens,
        (sequence, weights): (&S, &[u64]),
        occurrences: &Occurrences,
    ) -> Option<(Pair, u64)> {
        loop {
            let &Candidate { count, pair } = self.queue.first()?;
            if count < self.floor {
                return None;
            }
            if let Some(kept) = self.kept.get(&pair) {
                let now = kept.count;
                if now == count {
                    return Some((pair, count));
                }
                self.pop(tokens);
                // A larger count than the candidate's stands in the queue already.
                if now < count && now >= self.floor {
                    self.push(tokens, Candidate { count: now, pair });
                }
            } else if let Some(&bound) = self.bounds.get(&pair) {
                self.pop(tokens);
                if bound < count && bound >= self.floor {
                    self.push(tokens, Candidate { count: bound, pair });
                } else if bound >= count {
                    self.bounds.remove(&pair);
                    let places = occurrences.of_pair(sequence, pair);
                    let count = occurrences::count(sequence, weights, pair, &places);
                    // Kept even below the floor: a pair that has grown may grow again.
                    self.kept.insert(pair, Kept { count, places, is_mixed: false });
                    self.push(tokens, Candidate { count, pair });
                }
            } else {
                self.pop(tokens);
            }
        }
    }

    /// Takes out a pair that is about to be joined everywhere, and gives its places, in order.
    pub(crate) fn take(&mut self, pair: Pair) -> Vec<Place> {
        let Some(mut kept) = self.kept.remove(&pair) else { return Vec::new() };
        if kept.is_mixed {
            kept.places.sort_unstable();
            kept.places.dedup();
        }
        kept.places
    }

    /// Counts everything anew, for a floor in a range: as high in it as keeps not only the
    /// `wanted` most frequent pairs.
    pub(crate) fn recount<S: Sequence>(
        &mut self,
        tokens: &Tokens,
        (sequence, weights): (&S, &[u64]),
        floors: RangeInclusive<u64>,
        wanted: usize,
        threads: usize,
    ) {
        *self = Pairs::new(0);
        // A first count by hash alone says which pairs may reach the floor.
        let sums = in_parallel(sequence.len(), threads, |rows| sums(sequence, weights, rows));
        let sums = sums.into_iter().reduce(|mut sums, others| {
            sums.iter_mut().zip(&others).for_each(|(sum, other)| *sum += other);
            sums
        });
        let sums = sums.unwrap_or_default();
        let floor = reached_by(&sums, wanted) / SPARE;
        self.floor = floor.clamp(*floors.start(), *floors.end());
        let kept = in_parallel(sequence.len(), threads, |rows| {
            frequent(sequence, weights, rows, &sums, self.floor)
        });
        // Shares are in the order of their rows, so places put together are in order too.
        let mut shares = kept.into_iter();
        self.kept = shares.next().unwrap_or_default();
        for (pair, share) in shares.flatten() {
            match self.kept.entry(pair) {
                Entry::Vacant(entry) => {
                    entry.insert(share);
                }
                Entry::Occupied(mut entry) => {
                    entry.get_mut().count += share.count;
                    entry.get_mut().places.extend(share.places);
                }
            }
        }
        self.kept.retain(|_, kept| kept.count >= self.floor);
        let all = self.kept.iter().map(|(&pair, kept)| Candidate { count: kept.count, pair });
        self.queue = all.collect();
        self.queue.sort_unstable_by(|a, b| order(tokens, a, b));
    }

    /// Counts everything anew and compares.
    ///
    /// # Panics
    /// When a count is wrong.
    pub(crate) fn verify<S: Sequence>(&self, sequence: &S, weights: &[u64]) {
        let mut counts: FastMap<Pair, u64> = FastMap::default();
        for row in sequence.rows() {
            pairs_between(sequence, row.start, row.end, |pair, _, is_counted| {
                let weight = weights[row.weight as usize];
                *counts.entry(pair).or_default() += weight * u64::from(is_counted);
            });
        }
        for (pair, kept) in &self.kept {
            let count = counts.remove(pair).unwrap_or(0);
            assert_eq!(kept.count, count, "{pair:?} is kept with a count that is not its own");
        }
        for (pair, count) in counts {
            let bound = self.bounds.get(&pair).copied().unwrap_or(self.floor - 1);
            assert!(count <= bound, "{pair:?} occurs {count} times, at most {bound} expected");
        }
    }

    fn push(&mut self, tokens: &Tokens, candidate: Candidate) {
        let mut place = self.queue.len();
        self.queue.push(candidate);
        while place > 0 {
            let parent = (place - 1) / 2;
            if order(tokens, &self.queue[place], &self.queue[parent]) != Ordering::Less {
                break;
            }
            self.queue.swap(place, parent);
            place = parent;
        }
    }

    fn pop(&mut self, tokens: &Tokens) {
        self.queue.swap_remove(0);
        let mut place = 0;
        loop {
            let mut first = 2 * place + 1;
            if first >= self.queue.len() {
                break;
            }
            let second = first + 1;
            if second < self.queue.len()
                && order(tokens, &self.queue[second], &self.queue[first]) == Ordering::Less
            {
                first = second;
            }
            if order(tokens, &self.queue[first], &self.queue[place]) != Ordering::Less {
                break;
            }
            self.queue.swap(place, first);
            place = first;
        }
    }
}

/// Shares out rows, in order, among threads, and gives what each thread made of its share.
fn in_parallel<T: Send>(
    rows: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let share = rows.div_ceil(threads).max(1);
    let shares = (0..rows).step_by(share).map(|start| start..(start + share).min(rows));
    thread::scope(|scope| {
        let work = &work;
        let jobs: Vec<_> = shares.map(|rows| scope.spawn(move || work(rows))).collect();
        jobs.into_iter().map(|job| job.join().expect("counting does not panic")).collect()
    })
}

/// The sums of the counts of all pairs that share a slot.
fn sums<S: Sequence>(sequence: &S, weights: &[u64], rows: Range<usize>) -> Vec<u64> {
    let mut sums = huge_pages::filled(0, slots(sequence));
    for row in rows.map(|row| sequence.row(row)) {
        let weight = weights[row.weight as usize];
        pairs_between(sequence, row.start, row.end, |pair, _, counts| {
            let slot = slot(pair, sums.len());
            sums[slot] += weight * u64::from(counts);
        });
    }
    sums
}

/// The pairs whose slot reaches the floor, with their counts and places.
fn frequent<S: Sequence>(
    sequence: &S,
    weights: &[u64],
    rows: Range<usize>,
    sums: &[u64],
    floor: u64,
) -> FastMap<Pair, Kept> {
    let mut kept = FastMap::default();
    for row in rows.map(|row| sequence.row(row)) {
        let weight = weights[row.weight as usize];
        pairs_between(sequence, row.start, row.end, |pair, at, counts| {
            if sums[slot(pair, sums.len())] >= floor {
                let new = || Kept { count: 0, places: Vec::new(), is_mixed: false };
                let kept: &mut Kept = kept.entry(pair).or_insert_with(new);
                kept.count += weight * u64::from(counts);
                kept.places.push(Place { at, weight: row.weight });
            }
        });
    }
    kept
}

/// A power of two that `wanted` of the sums reach, and few more.
fn reached_by(sums: &[u64], wanted: usize) -> u64 {
    let mut by_bits = [0; 65];
    for sum in sums {
        by_bits[64 - sum.leading_zeros() as usize] += 1;
    }
    let mut reached = 0;
    let bits = (1..=64).rev().find(|&bits| {
        reached += by_bits[bits];
        reached >= wanted
    });
    bits.map_or(0, |bits| 1 << (bits - 1))
}

/// How far below the pairs that are wanted now others are kept, as they are wanted later.
const SPARE: u64 = 4;

/// How many sums a recount starts with: one for each place, if they are few.
fn slots<S: Sequence>(sequence: &S) -> usize {
    let places = sequence.len().checked_sub(1).map_or(0, |last| sequence.row(last).end);
    (places as usize).next_power_of_two().clamp(1 << 8, 1 << 22)
}

/// Which of `slots` sums, a power of two, a pair is counted in.
#[inline]
fn slot(pair: Pair, slots: usize) -> usize {
    let word = u64::from(pair.left) << 32 | u64::from(pair.right);
    let hash = (word ^ word >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> 32) as usize & (slots - 1)
}

/// The better candidate first: the larger count, then the smaller left and right tokens by bytes.
fn order(tokens: &Tokens, a: &Candidate, b: &Candidate) -> Ordering {
    b.count.cmp(&a.count).then_with(|| {
        let bytes = |pair: Pair| (tokens.bytes(pair.left), tokens.bytes(pair.right));
        bytes(a.pair).cmp(&bytes(b.pair))
    })
}
