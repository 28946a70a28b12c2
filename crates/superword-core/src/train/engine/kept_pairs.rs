//! A hash table of the pairs that are kept.
//!
//! It is written by hand for speed: the slot of a pair has its count, and can be prefetched before the
//! count changes.

use super::{Occurrence, TokenPair, TrainingToken};
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages::HugeBlock;

/// A hash table with open addressing.
#[derive(Default)]
pub(super) struct KeptPairs {
    /// A power of two of them, at most half in use. A pair is searched for from its hash on.
    slots: HugeBlock<PairSlot>,
    used: usize,
    /// The occurrences of the pairs.
    lists: Vec<Vec<Occurrence>>,
    /// The lists that no pair uses.
    free_lists: Vec<u32>,
}

/// A pair that is kept.
#[derive(Clone, Copy)]
struct PairSlot {
    /// With barriers for a slot that is not in use.
    pair: TokenPair,
    count: u64,
    /// The index of its list of occurrences.
    list: u32,
    /// Occurrences were added more than once, so they are not in order.
    is_unsorted: bool,
}

const NOT_IN_USE: PairSlot = PairSlot {
    pair: TokenPair { left: TrainingToken::BARRIER, right: TrainingToken::BARRIER },
    count: 0,
    list: 0,
    is_unsorted: false,
};

impl KeptPairs {
    /// Prefetches the slot of a pair.
    #[inline]
    pub(super) fn prefetch(&self, pair: TokenPair) {
        if let Some(slot) = self.slots.get(self.home(pair)) {
            prefetch(slot);
        }
    }

    /// Returns the count of a pair that is kept.
    #[inline]
    pub(super) fn count(&self, pair: TokenPair) -> Option<u64> {
        self.find(pair).map(|index| self.slots[index].count)
    }

    /// Calls `each` with every pair that is kept, and its count.
    pub(super) fn for_each(&self, mut each: impl FnMut(TokenPair, u64)) {
        for slot in self.slots.iter().filter(|slot| slot.is_in_use()) {
            each(slot.pair, slot.count);
        }
    }

    /// Keeps a pair, which was not kept before, with all its occurrences in order.
    pub(super) fn insert(&mut self, pair: TokenPair, count: u64, occurrences: Vec<Occurrence>) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let list = if let Some(list) = self.free_lists.pop() {
            self.lists[list as usize] = occurrences;
            list
        } else {
            self.lists.push(occurrences);
            self.lists.len() as u32 - 1
        };
        let index = self.free_slot(pair);
        self.slots[index] = PairSlot { pair, count, list, is_unsorted: false };
        self.used += 1;
    }

    /// Increases the count of a pair, and adds occurrences. Returns the new count, or `None` if the
    /// pair is not kept.
    pub(super) fn increase(
        &mut self,
        pair: TokenPair,
        by: u64,
        occurrences: &[Occurrence],
    ) -> Option<u64> {
        let index = self.find(pair)?;
        let slot = &mut self.slots[index];
        slot.count += by;
        slot.is_unsorted = true;
        self.lists[slot.list as usize].extend_from_slice(occurrences);
        Some(slot.count)
    }

    /// Decreases the count of a pair, and removes it at zero. Returns whether it was kept.
    #[inline]
    pub(super) fn decrease(&mut self, pair: TokenPair, by: u64) -> bool {
        let Some(index) = self.find(pair) else { return false };
        self.slots[index].count -= by;
        if self.slots[index].count == 0 {
            self.remove(index);
        }
        true
    }

    /// Removes a pair, and returns its occurrences in order. They are none if it is not kept.
    pub(super) fn take(&mut self, pair: TokenPair) -> Vec<Occurrence> {
        let Some(index) = self.find(pair) else { return Vec::new() };
        let is_unsorted = self.slots[index].is_unsorted;
        let mut occurrences = self.remove(index);
        if is_unsorted {
            occurrences.sort_unstable();
            occurrences.dedup();
        }
        occurrences
    }

    #[inline]
    fn find(&self, pair: TokenPair) -> Option<usize> {
        let mut index = self.home(pair);
        loop {
            let slot = self.slots.get(index)?;
            if slot.pair == pair {
                return Some(index);
            }
            if !slot.is_in_use() {
                return None;
            }
            index = (index + 1) & (self.slots.len() - 1);
        }
    }

    /// Empties a slot, and moves those after it that were displaced.
    fn remove(&mut self, mut index: usize) -> Vec<Occurrence> {
        let list = self.slots[index].list;
        let mask = self.slots.len() - 1;
        let mut next = (index + 1) & mask;
        while self.slots[next].is_in_use() {
            let home = self.home(self.slots[next].pair);
            // It may move back if its home is not after the empty slot.
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(index) & mask {
                self.slots[index] = self.slots[next];
                index = next;
            }
            next = (next + 1) & mask;
        }
        self.slots[index] = NOT_IN_USE;
        self.used -= 1;
        self.free_lists.push(list);
        std::mem::take(&mut self.lists[list as usize])
    }

    /// Returns the slot from which on a pair is searched for.
    #[inline]
    fn home(&self, pair: TokenPair) -> usize {
        let word = u64::from(pair.left.0) << 32 | u64::from(pair.right.0);
        let hash = (word ^ word >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> 32) as usize & self.slots.len().wrapping_sub(1)
    }

    fn free_slot(&self, pair: TokenPair) -> usize {
        let mut index = self.home(pair);
        while self.slots[index].is_in_use() {
            index = (index + 1) & (self.slots.len() - 1);
        }
        index
    }

    #[cold]
    fn grow(&mut self) {
        let larger = HugeBlock::filled(NOT_IN_USE, (self.slots.len() * 2).max(1 << 8));
        for &slot in &*std::mem::replace(&mut self.slots, larger) {
            if slot.is_in_use() {
                let index = self.free_slot(slot.pair);
                self.slots[index] = slot;
            }
        }
    }
}

impl PairSlot {
    #[inline]
    fn is_in_use(&self) -> bool {
        self.pair.left != TrainingToken::BARRIER
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn it_equals_a_hash_map(
            changes in prop::collection::vec((0..40_u32, 0..40_u32, 0..4, 1..9_u64), 0..2000),
        ) {
            let mut table = KeptPairs::default();
            let mut expected: HashMap<(u32, u32), (u64, Vec<Occurrence>)> = HashMap::new();
            for (at, (left, right, change, amount)) in (0..).zip(changes) {
                let pair = TokenPair { left: TrainingToken(left), right: TrainingToken(right) };
                let occurrence = Occurrence::new(at, left);
                let known = expected.get_mut(&(left, right));
                match (change, known) {
                    (0 | 1, None) => {
                        table.insert(pair, amount, vec![occurrence]);
                        expected.insert((left, right), (amount, vec![occurrence]));
                    }
                    (0 | 1, Some((count, occurrences))) => {
                        *count += amount;
                        occurrences.push(occurrence);
                        prop_assert_eq!(table.increase(pair, amount, &[occurrence]), Some(*count));
                    }
                    (2, Some((count, _))) => {
                        let by = amount.min(*count);
                        *count -= by;
                        prop_assert!(table.decrease(pair, by));
                        if *count == 0 {
                            expected.remove(&(left, right));
                        }
                    }
                    (3, Some(_)) => {
                        let (_, occurrences) = expected.remove(&(left, right)).expect("known");
                        prop_assert_eq!(table.take(pair), occurrences);
                    }
                    (_, _) => {
                        prop_assert!(!table.decrease(pair, amount));
                        prop_assert!(table.take(pair).is_empty());
                        prop_assert_eq!(table.increase(pair, amount, &[]), None);
                    }
                }
                let count = expected.get(&(left, right)).map(|&(count, _)| count);
                prop_assert_eq!(table.count(pair), count);
            }
            let mut kept = 0;
            table.for_each(|TokenPair { left, right }, count| {
                assert_eq!(expected[&(left.0, right.0)].0, count);
                kept += 1;
            });
            prop_assert_eq!(kept, expected.len());
        }
    }
}
