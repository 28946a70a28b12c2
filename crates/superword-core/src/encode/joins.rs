//! Rules that join two tokens, by the tokens.

use super::row::NEVER;
use crate::hash::{FastMap, fold};
use crate::memory;
use crate::sequence::prefetch;

/// When the two tokens are joined first, and the token that they become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Join {
    /// [`NEVER`] if no rule joins them, and yet they may come to stand in one token.
    pub(super) time: u32,
    pub(super) token: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    pair: u64,
    /// Zero if the slot is free.
    time: u32,
    token: u32,
}

/// A hash table of pairs.
pub(super) struct Joins {
    /// A power of two, at most half of them in use.
    slots: Vec<Slot>,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<u64, Vec<u32>>,
}

impl Joins {
    /// No pairs, and room for some.
    pub(super) fn with_room(pairs: usize) -> Joins {
        let free = Slot { pair: 0, time: 0, token: 0 };
        let slots = memory::filled(free, (2 * pairs + 2).next_power_of_two());
        Joins { slots, again: FastMap::default() }
    }

    /// Adds a rule; they come in order. There must be room.
    pub(super) fn add(&mut self, left: u32, right: u32, join: Join) {
        let pair = key(left, right);
        let place = self.place(pair);
        let slot = &mut self.slots[place];
        if slot.time == 0 || slot.time == NEVER {
            *slot = Slot { pair, time: join.time, token: join.token };
        } else if join.time != NEVER {
            self.again.entry(pair).or_insert_with(|| vec![slot.time]).push(join.time);
        }
    }

    /// The first rule that joins two tokens.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<Join> {
        let slot = &self.slots[self.place(key(left, right))];
        (slot.time != 0).then_some(Join { time: slot.time, token: slot.token })
    }

    /// Asks for the memory of a pair ahead of its use.
    #[inline]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.first_place(key(left, right))]);
    }

    /// The first rule that joins two tokens at a time that suits.
    pub(super) fn find(&self, left: u32, right: u32, suits: impl Fn(u32) -> bool) -> Option<Join> {
        let first = self.get(left, right).filter(|join| join.time != NEVER)?;
        if suits(first.time) {
            return Some(first);
        }
        let times = self.again.get(&key(left, right))?;
        let time = times.iter().copied().find(|&time| suits(time))?;
        Some(Join { time, ..first })
    }

    #[inline]
    fn first_place(&self, pair: u64) -> usize {
        fold(pair ^ 0x243F_6A88_85A3_08D3, 0x9E37_79B9_7F4A_7C15) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn place(&self, pair: u64) -> usize {
        let mut place = self.first_place(pair);
        while self.slots[place].time != 0 && self.slots[place].pair != pair {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
