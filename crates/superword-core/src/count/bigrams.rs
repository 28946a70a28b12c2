//! How often two pretokens, or two tokens, stand side by side, at most.

use crate::budget::Budget;
use crate::corpus::Corpus;
use crate::hash::fold;
use crate::memory;
use crate::sequence::prefetch;

/// How many bigrams all threads' tables together have room for.
const BIGRAMS: usize = 1 << 26;

/// Counts by hash: those that share a place are counted together, so a count may be too large
/// but never too small. Counts stop at the largest number that fits.
pub(crate) struct Bigrams {
    counts: Vec<u16>,
}

impl Bigrams {
    /// How much room each of so many tables gets.
    pub(crate) fn room(corpus: &dyn Corpus, tables: usize, budget: Budget) -> usize {
        let most = BIGRAMS.min(budget.spare() / size_of::<u16>());
        corpus.size().map_or(most, |size| size as usize / 2).min(most) / tables
    }

    /// No counts yet, with room for about `room` different ones.
    pub(crate) fn new(room: usize) -> Bigrams {
        Bigrams { counts: memory::filled(0, room.next_power_of_two().max(1 << 10)) }
    }

    /// Where the count of two with these hashes, side by side, is; asks for the memory.
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

    /// The largest count that so many reach, as far as it can be told.
    pub(crate) fn reached_by(&self, wanted: usize) -> u64 {
        let mut places = vec![0; 1 << 16];
        for &count in &self.counts {
            places[usize::from(count)] += 1;
        }
        let mut reached = 0;
        let largest = (1..=u16::MAX).rev().find(|&count| {
            reached += places[usize::from(count)];
            reached >= wanted
        });
        largest.map_or(0, u64::from)
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
