//! The merges, by the tokens that they join.
//!
//! A pretoken that is met for the first time asks for many pairs, one after the other, and most of
//! its time goes by waiting for memory. So what is asked is small: of a rule, its time and as many
//! bits of a hash as there is room for in one word. The rest is looked at when the rule is
//! performed; then it may turn out that the rule joins another pair, and it is time to look closer.

use crate::encode::pretoken::rule_replay::NEVER;
use crate::platform::cpu::prefetch;
use crate::platform::hash::{FastMap, fold, secret};
use crate::platform::huge_pages;

/// A merge.
#[derive(Clone, Copy)]
pub(crate) struct Merge {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) token: u32,
    /// When the token that it makes is deleted.
    pub(crate) split: u32,
}

/// No merge: no token has this number.
const NONE: Merge = Merge { left: NEVER, right: NEVER, token: NEVER, split: NEVER };

impl Place {
    /// Somewhere.
    pub(crate) const ANY: Place = Place { bucket: 0, mark: 0 };
}

/// How many rules are looked at together.
const BUCKET: usize = 8;

/// A slot without a rule.
const FREE: i32 = i32::MAX;

/// In the first slot of a bucket: others that belong there are in the next.
const FULL: i32 = i32::MIN;

/// Slots of a hash table that are compared at once: what is asked is then not guessed.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Bucket([i32; BUCKET]);

/// All merges.
pub(crate) struct Merges {
    /// By time.
    rules: Vec<Merge>,
    /// A hash table. A slot has a time in its lower bits, then bits of the pair's hash. A power of
    /// two of buckets, at most half full.
    buckets: Vec<Bucket>,
    /// Which bits of a slot are the time, and which are of the hash.
    time: u32,
    mark: u32,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<(u32, u32), Vec<u32>>,
    secret: u64,
}

/// Where to look first for a pair, and what marks it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    bucket: u32,
    mark: u32,
}

impl Merges {
    /// The merges given, each with its time, in order; all times are less than `end`.
    pub(crate) fn new(merges: impl IntoIterator<Item = (u32, Merge)>, end: u32) -> Merges {
        let mut rules = huge_pages::filled(NONE, end as usize);
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
        let time = (1 << time_bits) - 1;
        Merges {
            rules,
            buckets: huge_pages::filled(Bucket([FREE; BUCKET]), buckets),
            time,
            mark: FREE.cast_unsigned() & !time,
            again: FastMap::default(),
            secret: secret(),
        }
    }

    fn add(&mut self, time: u32) {
        let Merge { left, right, .. } = self.rules[time as usize];
        let Place { bucket, mark } = self.place(left, right);
        let mut place = bucket as usize;
        loop {
            for index in 0..BUCKET {
                let there = self.buckets[place].0[index];
                let other = there.cast_unsigned() & self.time;
                if other == self.time {
                    self.buckets[place].0[index] = (mark | time).cast_signed();
                    return;
                }
                if self.get(other, left, right).is_some() {
                    self.again.entry((left, right)).or_insert_with(|| vec![other]).push(time);
                    return;
                }
            }
            self.buckets[place].0[0] |= FULL;
            place = (place + 1) & (self.buckets.len() - 1);
        }
    }

    /// All times are less.
    pub(crate) fn end(&self) -> usize {
        self.rules.len()
    }

    /// What stands for the time of no rule: it is after all times.
    #[inline(always)]
    pub(crate) fn never(&self) -> u32 {
        self.time
    }

    /// When two tokens are joined first, after some time.
    #[inline]
    pub(crate) fn when(&self, left: u32, right: u32, after: u32) -> u32 {
        let time = self.earliest(self.place(left, right), left, right);
        if time == self.never() {
            NEVER
        } else if time > after && self.get(time, left, right).is_some() {
            time
        } else {
            self.when_exactly(left, right, after)
        }
    }

    /// A time before which two tokens are not joined, given their place: that of the first rule
    /// which joins them, or else of another that looks alike.
    #[inline(always)]
    pub(crate) fn earliest(&self, place: Place, left: u32, right: u32) -> u32 {
        let Bucket(slots) = &self.buckets[place.bucket as usize];
        let [mark, suits] = [self.mark, place.mark].map(u32::cast_signed);
        let suiting = slots.map(|slot| slot | (FREE * i32::from(slot & mark != suits)));
        let four: [i32; 4] = std::array::from_fn(|index| suiting[index].min(suiting[index + 4]));
        let two: [i32; 2] = std::array::from_fn(|index| four[index].min(four[index + 2]));
        let least = two[0].min(two[1]);
        if least < 0 {
            return self.when_exactly(left, right, 0).min(self.never());
        }
        least.cast_unsigned() & self.time
    }

    /// Where to look for a pair. Asks for the memory of that place.
    #[inline(always)]
    pub(crate) fn ask_pair(&self, left: u32, right: u32) -> Place {
        let place = self.place(left, right);
        prefetch(&self.buckets[place.bucket as usize]);
        place
    }

    /// Asks for the memory of the merge at a time.
    #[inline(always)]
    pub(crate) fn ask(&self, time: u32) {
        prefetch(&self.rules[time as usize]);
    }

    /// The merge at a time.
    #[inline(always)]
    pub(crate) fn at(&self, time: u32) -> Merge {
        self.rules[time as usize]
    }

    /// The same, if it joins these tokens.
    #[inline(always)]
    pub(crate) fn get(&self, time: u32, left: u32, right: u32) -> Option<Merge> {
        let merge = self.at(time);
        (merge.left == left && merge.right == right).then_some(merge)
    }

    /// As [`Merges::when`], whatever looks alike.
    #[cold]
    pub(crate) fn when_exactly(&self, left: u32, right: u32, after: u32) -> u32 {
        if let Some(times) = self.again.get(&(left, right)) {
            return times.iter().copied().find(|&time| time > after).unwrap_or(NEVER);
        }
        let mut place = self.place(left, right).bucket as usize;
        loop {
            let bucket = &self.buckets[place].0;
            for time in bucket.iter().map(|slot| slot.cast_unsigned() & self.time) {
                if time != self.never() && self.get(time, left, right).is_some() {
                    return if time > after { time } else { NEVER };
                }
            }
            if bucket[0] >= 0 {
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

    /// With times of 30 bits little is left of a hash, so that pairs are taken for others; with few
    /// buckets, they are full.
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
                let times = expected.get(&(left, right)).cloned().unwrap_or_default();
                for after in [0, 100, 1500, 2999] {
                    let exact = times.iter().copied().find(|&time| time > after).unwrap_or(NEVER);
                    assert_eq!(found.when(left, right, after), exact);
                    assert_eq!(found.when_exactly(left, right, after), exact);
                }
                let earliest = found.earliest(found.ask_pair(left, right), left, right);
                assert!(earliest <= times.first().copied().unwrap_or(found.never()));
            }
        }
    }
}
