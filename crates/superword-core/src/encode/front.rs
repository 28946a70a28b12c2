//! The pretokens met last, close to the processor.
//!
//! Most of a text are words that come again and again. The table of all that is known does not fit
//! into the processor's own memory; this one does.

use super::outcome::Outcome;
use crate::table::{Key, Sought};

/// How many pretokens there is room for: half a megabyte.
const SLOTS: usize = 1 << 14;

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    key: Key,
    outcome: Outcome,
}

/// A table in which a pretoken has one place, and takes it from whichever was there.
pub(super) struct Front {
    slots: Box<[Slot; SLOTS]>,
}

impl Front {
    /// Nothing is known yet.
    pub(super) fn new() -> Front {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        Front { slots: slots.try_into().unwrap_or_else(|_| unreachable!("it has as many")) }
    }

    /// What is in the place of the pretoken `text[start..end]`, and whether it is what becomes of it.
    #[inline]
    pub(super) fn get(&self, text: &[u8], start: usize, end: usize) -> (Outcome, bool) {
        let Some(key) = Key::of(text, start, end) else { return (Outcome::default(), false) };
        let slot = &self.slots[place(key)];
        (slot.outcome, slot.key == key)
    }

    /// Keeps what becomes of a pretoken.
    #[inline]
    pub(super) fn set(&mut self, sought: &Sought, outcome: Outcome) {
        if sought.is_short() {
            self.slots[place(sought.key)] = Slot { key: sought.key, outcome };
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
    }
}

/// A quick hash is good enough: a pretoken whose place is taken is found elsewhere.
#[inline]
fn place(key: Key) -> usize {
    (key.quick_hash() >> 40) as usize % SLOTS
}
