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
    /// A bit for each hash of a pair that is there, and few others: most pairs that are looked for
    /// are not there, and this is small enough to stay close to the processor.
    filter: Vec<u64>,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<u64, Vec<u32>>,
}

impl Joins {
    /// No pairs, and room for some.
    pub(super) fn with_room(pairs: usize) -> Joins {
        let free = Slot { pair: 0, time: 0, token: 0 };
        let slots = memory::filled(free, (2 * pairs).next_power_of_two().max(1 << 10));
        let filter = vec![0; slots.len() / 16];
        Joins { slots, filter, again: FastMap::default() }
    }

    /// Makes room for more pairs.
    pub(super) fn make_room(&mut self, more: usize) {
        let used: Vec<Slot> = self.slots.iter().filter(|slot| slot.time != 0).copied().collect();
        let larger = Joins::with_room(used.len() + more);
        let again = std::mem::replace(self, larger).again;
        for Slot { pair, time, token } in used {
            self.add((pair >> 32) as u32, pair as u32, Join { time, token });
        }
        self.again = again;
    }

    /// Adds a rule; they come in order. There must be room.
    pub(super) fn add(&mut self, left: u32, right: u32, join: Join) {
        let pair = key(left, right);
        let (word, bit) = self.bit(hash(pair));
        self.filter[word] |= bit;
        let place = self.place(pair);
        let slot = &mut self.slots[place];
        if slot.time == 0 || slot.time == NEVER {
            *slot = Slot { pair, time: join.time, token: join.token };
        } else if join.time != NEVER {
            self.again.entry(pair).or_insert_with(|| vec![slot.time]).push(join.time);
        }
    }

    /// Whether two tokens may be there, as far as can be told at once; asks for their memory.
    #[inline]
    pub(super) fn may_have(&self, left: u32, right: u32) -> bool {
        let hash = hash(key(left, right));
        let (word, bit) = self.bit(hash);
        let may = self.filter[word] & bit != 0;
        if may {
            prefetch(&self.slots[hash as usize & (self.slots.len() - 1)]);
        }
        may
    }

    /// The first rule that joins two tokens.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<Join> {
        let pair = key(left, right);
        let (word, bit) = self.bit(hash(pair));
        if self.filter[word] & bit == 0 {
            return None;
        }
        let slot = &self.slots[self.place(pair)];
        (slot.time != 0).then_some(Join { time: slot.time, token: slot.token })
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

    /// Where the filter has the bit of a hash: in which word, and which.
    #[inline]
    fn bit(&self, hash: u64) -> (usize, u64) {
        ((hash >> 40) as usize & (self.filter.len() - 1), 1 << (hash >> 34 & 63))
    }

    #[inline]
    fn place(&self, pair: u64) -> usize {
        let mut place = hash(pair) as usize & (self.slots.len() - 1);
        while self.slots[place].time != 0 && self.slots[place].pair != pair {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }
}

#[inline]
fn hash(pair: u64) -> u64 {
    fold(pair ^ 0x243F_6A88_85A3_08D3, 0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
