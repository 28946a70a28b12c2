//! How often two pretokens, or two tokens, stand side by side, at most.

use crate::corpus::Corpus;
use crate::count::pretoken_map::Sought;
use crate::platform::cpu::prefetch;
use crate::platform::hash::fold;
use crate::platform::huge_pages;
use crate::platform::memory_budget::Budget;

/// Places for two pretokens side by side, found by hash; several may share one.
pub(crate) trait Places {
    /// The hash of a pretoken of the text.
    fn hash(text: &[u8], sought: &Sought) -> u64;

    /// The place of the pretokens with these hashes, side by side; asks for the memory.
    fn place(&self, left: u64, right: u64) -> usize;
}

/// Places that are counted at.
pub(crate) trait Tallies: Places + Send {
    /// Counts one more.
    fn add(&mut self, place: usize);

    /// Adds the counts of another with as many places.
    fn merge(&mut self, other: &Self);
}

/// Places of which it is known what is counted there often enough.
pub(crate) trait Often: Places + Copy + Sync {
    /// Whether the count at a place may be large enough.
    fn is_often(&self, place: usize) -> bool;
}

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
        Bigrams { counts: huge_pages::filled(0, room.next_power_of_two().max(1 << 10)) }
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
}

/// Where the pretokens with these hashes, side by side, are among so many places, a power of two.
#[inline]
pub(super) fn place(left: u64, right: u64, places: usize) -> usize {
    let hash = fold(left ^ 0x9E37_79B9_7F4A_7C15, right ^ 0xD1B5_4A32_D192_ED03);
    hash as usize & (places - 1)
}

impl Places for Bigrams {
    #[inline]
    fn hash(_text: &[u8], sought: &Sought) -> u64 {
        sought.hash
    }

    #[inline]
    fn place(&self, left: u64, right: u64) -> usize {
        let place = place(left, right, self.counts.len());
        prefetch(&self.counts[place]);
        place
    }
}

impl Tallies for Bigrams {
    #[inline]
    fn add(&mut self, place: usize) {
        self.counts[place] = self.counts[place].saturating_add(1);
    }

    fn merge(&mut self, other: &Bigrams) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*other);
        }
    }
}

/// The counts, and which of them are large enough.
#[derive(Clone, Copy)]
pub(crate) struct Reaching<'b> {
    pub(crate) bigrams: &'b Bigrams,
    pub(crate) bound: u64,
}

impl Places for Reaching<'_> {
    #[inline]
    fn hash(text: &[u8], sought: &Sought) -> u64 {
        Bigrams::hash(text, sought)
    }

    #[inline]
    fn place(&self, left: u64, right: u64) -> usize {
        self.bigrams.place(left, right)
    }
}

impl Often for Reaching<'_> {
    #[inline]
    fn is_often(&self, place: usize) -> bool {
        self.bigrams.reaches(place, self.bound)
    }
}
