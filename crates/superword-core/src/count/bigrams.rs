//! How often two eligible pretokens stand side by side, at most.

use crate::hash::fold;
use crate::memory;
use crate::sequence::prefetch;

/// Counts by hash: pretokens that share a place are counted together, so a count may be too large
/// but never too small. Counts stop at the largest number that fits.
pub(crate) struct Bigrams {
    counts: Vec<u16>,
}

impl Bigrams {
    /// No counts yet, with room for about `room` different ones.
    pub(crate) fn new(room: usize) -> Bigrams {
        Bigrams { counts: memory::filled(0, room.next_power_of_two().max(1 << 10)) }
    }

    /// Where the count of the pretokens with these hashes, side by side, is; asks for the memory.
    #[inline]
    pub(crate) fn place(&self, left: u64, right: u64) -> usize {
        let hash = fold(left ^ 0x9E37_79B9_7F4A_7C15, right ^ 0xD1B5_4A32_D192_ED03);
        let place = hash as usize & (self.counts.len() - 1);
        prefetch(&self.counts[place]);
        place
    }

    /// Counts one more.
    #[inline]
    pub(crate) fn add(&mut self, place: usize) {
        self.counts[place] = self.counts[place].saturating_add(1);
    }

    /// Whether the count may be `bound` or more.
    #[inline]
    pub(crate) fn reaches(&self, place: usize, bound: u64) -> bool {
        u64::from(self.counts[place]) >= bound.min(u64::from(u16::MAX))
    }

    /// How many bytes of memory they take.
    pub(crate) fn memory(&self) -> usize {
        self.counts.len() * size_of::<u16>()
    }

    /// Adds the counts of another table with as much room.
    pub(crate) fn merge(&mut self, other: &Bigrams) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*other);
        }
    }
}
