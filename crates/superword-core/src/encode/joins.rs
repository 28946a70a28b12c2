//! Rules that join two tokens, by the tokens.

use super::row::NEVER;
use crate::hash::{FastMap, fold, secret};
use crate::memory;
use crate::sequence::prefetch;

/// When the two tokens are joined first, and the token that they become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Join {
    /// [`NEVER`] if no rule joins them, and yet they may come to stand in one token.
    pub(super) time: u32,
    pub(super) token: u32,
}

/// How many pairs are kept close to the processor: the first rules are needed most.
const HOT: usize = 1 << 13;

/// Pairs of tokens, and how they are joined.
pub(super) struct Joins {
    hot: Pairs,
    cold: Pairs,
    /// A bit for each hash of a pair that is there, and few others: most pairs that are looked for
    /// are not there, and this is small enough to stay close to the processor.
    filter: Vec<u64>,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<u64, Vec<u32>>,
}

impl Joins {
    /// The rules given, in order; then pairs that no rule joins.
    pub(super) fn new(
        rules: &[(u32, u32, Join)],
        others: impl IntoIterator<Item = (u32, u32)>,
    ) -> Joins {
        let others =
            others.into_iter().map(|(left, right)| (left, right, Join { time: NEVER, token: 0 }));
        let all: Vec<_> = rules.iter().copied().chain(others).collect();
        let mut joins = Joins {
            hot: Pairs::with_room(HOT.min(all.len())),
            cold: Pairs::with_room(all.len().saturating_sub(HOT)),
            filter: vec![0; (all.len() / 4).next_power_of_two()],
            again: FastMap::default(),
        };
        for (left, right, join) in all {
            let pair = key(left, right);
            if let Some(first) = joins.get(left, right) {
                if join.time != NEVER {
                    joins.again.entry(pair).or_insert_with(|| vec![first.time]).push(join.time);
                }
                continue;
            }
            let (word, bit) = joins.bit(left, right);
            joins.filter[word] |= 1 << bit;
            let pairs = if joins.hot.used < HOT { &mut joins.hot } else { &mut joins.cold };
            pairs.add(pair, join);
        }
        joins
    }

    /// Whether two tokens may be there, as far as can be told at once.
    #[inline]
    pub(super) fn may_have(&self, left: u32, right: u32) -> bool {
        let (word, bit) = self.bit(left, right);
        self.filter[word] >> bit & 1 != 0
    }

    /// Asks for the memory of two tokens ahead of its use.
    #[inline]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        let hash = hash(key(left, right));
        prefetch(&self.hot.slots[self.hot.first_place(hash)]);
        prefetch(&self.cold.slots[self.cold.first_place(hash)]);
    }

    /// The first rule that joins two tokens.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<Join> {
        if self.may_have(left, right) { self.get_possible(left, right) } else { None }
    }

    /// The same for two tokens that may be there.
    #[inline]
    pub(super) fn get_possible(&self, left: u32, right: u32) -> Option<Join> {
        let pair = key(left, right);
        let hash = hash(pair);
        self.hot.get(pair, hash).or_else(|| self.cold.get(pair, hash))
    }

    /// The first rule that joins two tokens at a time that suits.
    #[inline]
    pub(super) fn find(&self, left: u32, right: u32, suits: impl Fn(u32) -> bool) -> Option<Join> {
        let first = self.get(left, right).filter(|join| join.time != NEVER)?;
        if suits(first.time) { Some(first) } else { self.find_again(left, right, first, suits) }
    }

    #[cold]
    fn find_again(
        &self,
        left: u32,
        right: u32,
        first: Join,
        suits: impl Fn(u32) -> bool,
    ) -> Option<Join> {
        let times = self.again.get(&key(left, right))?;
        let time = times.iter().copied().find(|&time| suits(time))?;
        Some(Join { time, ..first })
    }

    /// Where the filter has the bit of a pair: in which word, and which. A pair that is mistaken for
    /// another costs a look-up, so this need not be a good hash, only a quick one.
    #[inline]
    fn bit(&self, left: u32, right: u32) -> (usize, u64) {
        let mixed = key(left, right).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> 38) as usize & (self.filter.len() - 1), mixed >> 32 & 63)
    }
}

/// A hash table of pairs.
struct Pairs {
    /// A power of two, at most half of them in use.
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    pair: u64,
    /// Zero if the slot is free.
    time: u32,
    token: u32,
}

impl Pairs {
    fn with_room(pairs: usize) -> Pairs {
        let slots = (2 * pairs).next_power_of_two().max(2);
        Pairs { slots: memory::filled(Slot::default(), slots), used: 0 }
    }

    /// Adds a pair that is not there yet. There must be room.
    fn add(&mut self, pair: u64, join: Join) {
        let place = self.place(pair, hash(pair));
        self.slots[place] = Slot { pair, time: join.time, token: join.token };
        self.used += 1;
    }

    #[inline]
    fn get(&self, pair: u64, hash: u64) -> Option<Join> {
        let slot = &self.slots[self.place(pair, hash)];
        (slot.time != 0).then_some(Join { time: slot.time, token: slot.token })
    }

    #[inline]
    fn first_place(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn place(&self, pair: u64, hash: u64) -> usize {
        let mut place = self.first_place(hash);
        while self.slots[place].time != 0 && self.slots[place].pair != pair {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }
}

#[inline]
fn hash(pair: u64) -> u64 {
    fold(pair ^ secret(), 0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
