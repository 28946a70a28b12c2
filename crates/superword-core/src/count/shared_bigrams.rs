//! How often two eligible pretokens stand side by side, at most, in counts that several processes
//! add up: the places are the same in all of them.

use super::bigrams::{self, Often, Places, Tallies};
use crate::count::pretoken_map::Sought;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;

/// How many places there are. What shares a place by chance grows with the corpus, and so does the
/// bound that it is compared with: the number suits corpora of every size.
pub const PLACES: usize = 1 << 24;

/// Counts by a hash without a secret. They stop at the largest number that fits.
pub(crate) struct PortableBigrams {
    counts: Vec<u32>,
}

impl PortableBigrams {
    pub(crate) fn new() -> PortableBigrams {
        PortableBigrams { counts: huge_pages::filled(0, PLACES) }
    }

    /// The counts, by place.
    pub(crate) fn into_counts(self) -> Vec<u32> {
        self.counts
    }
}

impl Places for PortableBigrams {
    #[inline]
    fn hash(text: &[u8], sought: &Sought) -> u64 {
        sought.portable_hash(text)
    }

    #[inline]
    fn place(&self, left: u64, right: u64) -> usize {
        let place = bigrams::place(left, right, PLACES);
        prefetch(&self.counts[place]);
        place
    }
}

impl Tallies for PortableBigrams {
    #[inline]
    fn add(&mut self, place: usize) {
        self.counts[place] = self.counts[place].saturating_add(1);
    }

    fn merge(&mut self, other: &PortableBigrams) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*other);
        }
    }
}

/// A bit for each place, the lowest of each byte first: whether the count there is large enough.
#[derive(Clone, Copy)]
pub(crate) struct OftenPlaces<'b> {
    pub(crate) bits: &'b [u8],
}

impl Places for OftenPlaces<'_> {
    #[inline]
    fn hash(text: &[u8], sought: &Sought) -> u64 {
        sought.portable_hash(text)
    }

    #[inline]
    fn place(&self, left: u64, right: u64) -> usize {
        let place = bigrams::place(left, right, PLACES);
        prefetch(&self.bits[place / 8]);
        place
    }
}

impl Often for OftenPlaces<'_> {
    #[inline]
    fn is_often(&self, place: usize) -> bool {
        self.bits[place / 8] >> (place % 8) & 1 == 1
    }
}
