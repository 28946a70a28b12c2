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

/// All merges.
pub(super) struct Merges {
    /// By time.
    rules: Vec<Merge>,
    /// A hash table: a time in the lower bits, whether to look closer in the next one, and then
    /// bits of the pair's hash. Zero where it is free. A power of two, at most half in use.
    slots: Vec<u32>,
    /// How many bits a time has.
    time_bits: u32,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<(u32, u32), Vec<u32>>,
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
        let mut merges = Merges {
            rules,
            slots: memory::filled(0, (2 * times.len()).next_power_of_two().max(2)),
            time_bits: u32::BITS - end.leading_zeros(),
            again: FastMap::default(),
        };
        for time in times {
            merges.add(time);
        }
        merges
    }

    fn add(&mut self, time: u32) {
        let Merge { left, right, .. } = self.rules[time as usize];
        let (mut place, mark) = self.place(left, right);
        while self.slots[place] != 0 {
            let other = self.time(self.slots[place]);
            if self.joins(other, left, right) {
                self.again.entry((left, right)).or_insert_with(|| vec![other]).push(time);
                return;
            }
            // What would be taken for this pair from now on says that it may be another.
            if self.mark(self.slots[place]) == mark {
                self.slots[place] |= 1 << self.time_bits;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = mark << 1 << self.time_bits | time;
    }

    /// When two tokens are joined first, after some time. It is exact for all pairs that some rule
    /// joins; for others, [`Merges::get`] finds out that there is none.
    #[inline]
    pub(super) fn when(&self, left: u32, right: u32, after: u32) -> u32 {
        let (mut place, mark) = self.place(left, right);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return NEVER;
            }
            if self.mark(slot) == mark {
                let time = self.time(slot);
                prefetch(&self.rules[time as usize]);
                let is_first = time > after && slot >> self.time_bits & 1 == 0;
                return if is_first { time } else { self.when_exactly(left, right, after) };
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// Asks for the memory of two tokens ahead of its use.
    #[inline]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.place(left, right).0]);
    }

    /// The merge at a time, if it joins these tokens.
    #[inline]
    pub(super) fn get(&self, time: u32, left: u32, right: u32) -> Option<Merge> {
        let merge = self.rules[time as usize];
        (merge.left == left && merge.right == right).then_some(merge)
    }

    #[cold]
    fn when_exactly(&self, left: u32, right: u32, after: u32) -> u32 {
        if let Some(times) = self.again.get(&(left, right)) {
            return times.iter().copied().find(|&time| time > after).unwrap_or(NEVER);
        }
        let (mut place, _) = self.place(left, right);
        while self.slots[place] != 0 {
            let time = self.time(self.slots[place]);
            if self.joins(time, left, right) {
                return if time > after { time } else { NEVER };
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        NEVER
    }

    fn joins(&self, time: u32, left: u32, right: u32) -> bool {
        self.get(time, left, right).is_some()
    }

    /// Where to look first for a pair, and what marks it.
    #[inline]
    fn place(&self, left: u32, right: u32) -> (usize, u32) {
        let pair = u64::from(left) << 32 | u64::from(right);
        let hash = fold(pair ^ secret(), 0x9E37_79B9_7F4A_7C15);
        (hash as usize & (self.slots.len() - 1), self.mark((hash >> 32) as u32))
    }

    #[inline]
    fn time(&self, slot: u32) -> u32 {
        slot & ((1 << self.time_bits) - 1)
    }

    #[inline]
    fn mark(&self, slot: u32) -> u32 {
        slot >> self.time_bits >> 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// With times of 31 bits nothing is left of a hash, so that all pairs are taken for others.
    #[test]
    fn it_has_what_a_map_has() {
        for time_bits in [12, 31] {
            let mut expected: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
            let merges = (1..3000).map(|time: u32| {
                let (left, right) = (time * time / 11 % 40, time * 7 / 3 % 50);
                expected.entry((left, right)).or_default().push(time);
                (time, Merge { left, right, token: time, split: NEVER })
            });
            let merges: Vec<_> = merges.collect();
            let mut found = Merges::new([], 3000);
            found.time_bits = time_bits;
            found.slots = vec![0; 8192];
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
