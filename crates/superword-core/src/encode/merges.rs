//! The merges, by the tokens that they join.
//!
//! A pretoken that is met for the first time asks for many pairs, one after the other, and most of
//! its time goes by waiting for memory. So what is asked is small: of a rule, its time and as many
//! bits of a hash as there is room for in one word. The rest is looked at when the rule is
//! performed; then it may turn out that the rule joins another pair, and the pair asked for has
//! none.

use super::row::NEVER;
use crate::hash::{FastMap, fold, secret};
use crate::memory;
use crate::sequence::prefetch;

/// A merge.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) token: u32,
    /// When the token that it makes is deleted.
    pub(super) split: u32,
}

/// No merge: no token has this number.
const NONE: Merge = Merge { left: NEVER, right: NEVER, token: NEVER, split: NEVER };

impl Place {
    /// Somewhere.
    pub(super) const ANY: Place = Place { bucket: 0, mark: 0 };
}

/// How many rules are looked at together.
const BUCKET: usize = 8;

/// In the first slot of a bucket: others that belong there are in the next.
const FULL: u32 = 1 << 31;

/// Slots of a hash table that are compared at once: what is asked is then not guessed.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Bucket([u32; BUCKET]);

/// All merges.
pub(super) struct Merges {
    /// By time.
    rules: Vec<Merge>,
    /// A hash table. A slot has a time in its lower bits, then whether to look closer, then bits of
    /// the pair's hash. It is zero where it is free. A power of two of buckets, at most half full.
    buckets: Vec<Bucket>,
    /// Which bits of a slot are the time, which says to look closer, and which are of the hash.
    time: u32,
    closer: u32,
    mark: u32,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<(u32, u32), Vec<u32>>,
    secret: u64,
}

/// Where to look first for a pair, and what marks it.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    bucket: u32,
    mark: u32,
}

impl Merges {
    /// The merges given, each with its time, in order; all times are less than `end`.
    pub(super) fn new(merges: impl IntoIterator<Item = (u32, Merge)>, end: u32) -> Merges {
        let mut rules = memory::filled(NONE, end as usize);
        let mut times = Vec::new();
        for (time, merge) in merges {
            rules[time as usize] = merge;
            times.push(time);
        }
        let buckets = (2 * times.len()).div_ceil(BUCKET).next_power_of_two();
        let mut merges = Merges::with_room(rules, buckets, u32::BITS - end.leading_zeros());
        for time in times {
            merges.add(time);
        }
        merges
    }

    fn with_room(rules: Vec<Merge>, buckets: usize, time_bits: u32) -> Merges {
        let closer = 1 << time_bits;
        Merges {
            rules,
            buckets: memory::filled(Bucket::default(), buckets),
            time: closer - 1,
            closer,
            mark: !(FULL | closer | (closer - 1)),
            again: FastMap::default(),
            secret: secret(),
        }
    }

    fn add(&mut self, time: u32) {
        let Merge { left, right, .. } = self.rules[time as usize];
        let Place { bucket, mark } = self.place(left, right);
        let mut place = bucket as usize;
        loop {
            let mut slot = mark | time;
            for index in 0..BUCKET {
                let there = self.buckets[place].0[index];
                let other = there & self.time;
                if other == 0 {
                    self.buckets[place].0[index] = slot | there;
                    return;
                }
                if self.get(other, left, right).is_some() {
                    self.again.entry((left, right)).or_insert_with(|| vec![other]).push(time);
                    return;
                }
                // What cannot be told apart says so.
                if there & self.mark == mark {
                    slot |= self.closer;
                }
            }
            self.buckets[place].0[0] |= FULL;
            place = (place + 1) & (self.buckets.len() - 1);
        }
    }

    /// All times are less.
    pub(super) fn end(&self) -> usize {
        self.rules.len()
    }

    /// When two tokens are joined first, after some time. It is exact for all pairs that some rule
    /// joins; for others, [`Merges::get`] finds out that there is none.
    #[inline(always)]
    pub(super) fn when(&self, left: u32, right: u32, after: u32) -> u32 {
        self.when_at(self.place(left, right), left, right, after)
    }

    /// The same, given the place of the pair.
    #[inline(always)]
    pub(super) fn when_at(&self, place: Place, left: u32, right: u32, after: u32) -> u32 {
        let Place { bucket, mark } = place;
        let bucket = &self.buckets[bucket as usize].0;
        let suits = |&slot: &u32| if slot & self.mark == mark { slot } else { 0 };
        let found = bucket.iter().map(suits).fold(0, |found, slot| found | slot);
        let time = found & self.time;
        let is_past = time.wrapping_sub(1) < after;
        if is_past || found & self.closer | bucket[0] & FULL != 0 {
            return self.when_exactly(left, right, after);
        }
        if time == 0 { NEVER } else { time }
    }

    /// Where to look for a pair. Asks for the memory of that place.
    #[inline(always)]
    pub(super) fn ask_pair(&self, left: u32, right: u32) -> Place {
        let place = self.place(left, right);
        prefetch(&self.buckets[place.bucket as usize]);
        place
    }

    /// Asks for the memory of the merge at a time.
    #[inline(always)]
    pub(super) fn ask(&self, time: u32) {
        prefetch(&self.rules[time as usize]);
    }

    /// The merge at a time, if it joins these tokens.
    #[inline(always)]
    pub(super) fn get(&self, time: u32, left: u32, right: u32) -> Option<Merge> {
        let merge = self.rules[time as usize];
        (merge.left == left && merge.right == right).then_some(merge)
    }

    #[cold]
    fn when_exactly(&self, left: u32, right: u32, after: u32) -> u32 {
        if let Some(times) = self.again.get(&(left, right)) {
            return times.iter().copied().find(|&time| time > after).unwrap_or(NEVER);
        }
        let mut place = self.place(left, right).bucket as usize;
        loop {
            let bucket = &self.buckets[place].0;
            for time in bucket.iter().map(|slot| slot & self.time) {
                if self.get(time, left, right).is_some() {
                    return if time > after { time } else { NEVER };
                }
            }
            if bucket[0] & FULL == 0 {
                return NEVER;
            }
            place = (place + 1) & (self.buckets.len() - 1);
        }
    }

    #[inline(always)]
    fn place(&self, left: u32, right: u32) -> Place {
        let pair = u64::from(left) << 32 | u64::from(right);
        let hash = fold(pair ^ self.secret, 0x9E37_79B9_7F4A_7C15);
        let bucket = hash as u32 & (self.buckets.len() - 1) as u32;
        Place { bucket, mark: (hash >> 32) as u32 & self.mark }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// With times of 30 bits nothing is left of a hash, so that all pairs are taken for others; with
    /// few buckets, they are full.
    #[test]
    fn it_has_what_a_map_has() {
        for (time_bits, buckets) in [(12, 1024), (12, 256), (30, 1024), (30, 256)] {
            let mut expected: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
            let merges = (1..3000).map(|time: u32| {
                let (left, right) = (time * time / 11 % 40, time * 7 / 3 % 50);
                expected.entry((left, right)).or_default().push(time);
                (time, Merge { left, right, token: time, split: NEVER })
            });
            let merges: Vec<_> = merges.collect();
            let mut found = Merges::with_room(vec![NONE; 3000], buckets, time_bits);
            for &(time, merge) in &merges {
                found.rules[time as usize] = merge;
                found.add(time);
            }
            for (left, right) in (0..40).flat_map(|left| (0..50).map(move |right| (left, right))) {
                for after in [0, 100, 1500, 2999] {
                    let times = expected.get(&(left, right)).cloned().unwrap_or_default();
                    let time = found.when(left, right, after);
                    let exact = times.iter().copied().find(|&time| time > after);
                    if time == NEVER || times.contains(&time) {
                        assert_eq!(exact.unwrap_or(NEVER), time);
                    } else {
                        assert!(times.is_empty() && found.get(time, left, right).is_none());
                    }
                }
            }
        }
    }
}
