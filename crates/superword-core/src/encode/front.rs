//! The pretokens met last, close to the processor.
//!
//! Most of a text are words that come again and again. The table of all that is known does not fit
//! into the processor's own memory; this one does.

use super::outcome::Outcome;
use crate::sequence::prefetch;
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

    /// Asks for the memory of a pretoken ahead of its use.
    #[inline]
    pub(super) fn prefetch(&self, sought: &Sought) {
        prefetch(&self.slots[sought.hash as usize % SLOTS]);
    }

    /// What becomes of a pretoken, if it is here.
    #[inline]
    pub(super) fn get(&self, sought: &Sought) -> Option<Outcome> {
        let slot = &self.slots[sought.hash as usize % SLOTS];
        (slot.key == sought.key && sought.is_short()).then_some(slot.outcome)
    }

    /// Keeps what becomes of a pretoken.
    #[inline]
    pub(super) fn set(&mut self, sought: &Sought, outcome: Outcome) {
        if sought.is_short() {
            self.slots[sought.hash as usize % SLOTS] = Slot { key: sought.key, outcome };
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
    }
}
