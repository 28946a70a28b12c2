//! Distinct pretokens with their counts, numbered in the order in which they first occur.

use std::convert::Infallible;

use crate::count::pretoken_map::{PretokenMap, Probe};
use crate::platform::hash::FastMap;
use crate::platform::threads::call_on_threads;

/// The count of a pretoken, with its highest bit set if the pretoken is eligible.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct PretokenCount(pub(crate) u64);

impl PretokenCount {
    const ELIGIBLE: u64 = 1 << 63;

    /// Creates a count.
    #[inline]
    pub(crate) fn new(count: u64, is_eligible: bool) -> PretokenCount {
        PretokenCount(count | if is_eligible { PretokenCount::ELIGIBLE } else { 0 })
    }

    /// Returns the count without the bit.
    #[inline]
    pub(crate) fn count(self) -> u64 {
        self.0 & !PretokenCount::ELIGIBLE
    }

    /// Whether the pretoken is eligible.
    #[inline]
    pub(crate) fn is_eligible(self) -> bool {
        self.0 & PretokenCount::ELIGIBLE != 0
    }
}

/// The number of a pretoken among those that a thread has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct PretokenNumber(pub(crate) u32);

/// How many pretokens have a number of their own. Tests run out of numbers.
pub(crate) const MAX_PRETOKENS: usize = if cfg!(test) { 1 << 7 } else { 1 << 31 };

/// The low 32 bits of the count, above them the number, and the highest bit set if the pretoken is
/// eligible: a slot of the map stays small.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
struct NumberedCount(u64);

impl NumberedCount {
    const ELIGIBLE: u64 = 1 << 63;

    #[inline]
    fn new(number: usize, is_eligible: bool) -> NumberedCount {
        let number = (number % MAX_PRETOKENS) as u64;
        NumberedCount(number << 32 | if is_eligible { NumberedCount::ELIGIBLE } else { 0 })
    }

    #[inline]
    fn low(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    fn number(self) -> PretokenNumber {
        PretokenNumber((self.0 >> 32) as u32 & (MAX_PRETOKENS - 1) as u32)
    }

    #[inline]
    fn is_eligible(self) -> bool {
        self.0 & NumberedCount::ELIGIBLE != 0
    }
}

/// Distinct pretokens with their counts and numbers.
pub(crate) struct CountedPretokens {
    map: PretokenMap<NumberedCount>,
    /// The multiples of 2^32 in the counts of pretokens, which do not fit the map. Few counts are
    /// that large.
    carries: FastMap<Box<[u8]>, u64>,
}

impl CountedPretokens {
    /// Creates an empty set.
    pub(crate) fn new() -> CountedPretokens {
        CountedPretokens { map: PretokenMap::new(), carries: FastMap::default() }
    }

    /// Creates an empty set with room for `pretokens` pretokens.
    pub(crate) fn with_capacity(pretokens: usize) -> CountedPretokens {
        let map = PretokenMap::with_capacity(pretokens);
        CountedPretokens { map, carries: FastMap::default() }
    }

    /// Returns the size in bytes, about.
    pub(crate) fn memory(&self) -> usize {
        self.map.memory()
    }

    /// Returns the number of pretokens.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// Prepares to count the pretoken `text[start..end]`, and prefetches its slot.
    #[inline]
    pub(crate) fn probe(&self, text: &[u8], start: usize, end: usize) -> Probe {
        self.map.probe(text, start, end)
    }

    /// Counts a pretoken of the text `weight` times, and returns its number if it is eligible. If it
    /// is new, `is_eligible` says so.
    #[inline]
    pub(crate) fn add<E>(
        &mut self,
        text: &[u8],
        probe: &Probe,
        weight: u64,
        is_eligible: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Option<PretokenNumber>, E> {
        let number = self.map.len();
        let new = || Ok(NumberedCount::new(number, is_eligible()?));
        let value = self.map.entry(text, probe, new)?;
        let sum = u64::from(value.low()).saturating_add(weight);
        if sum > u64::from(u32::MAX) {
            let pretoken = &text[probe.start..probe.end];
            *self.carries.entry(pretoken.into()).or_default() += sum >> 32;
        }
        value.0 = value.0 & !u64::from(u32::MAX) | u64::from(sum as u32);
        Ok(value.is_eligible().then_some(value.number()))
    }

    /// Adds to the count of a pretoken.
    pub(crate) fn add_count(&mut self, pretoken: &[u8], count: PretokenCount) {
        let probe = self.probe(pretoken, 0, pretoken.len());
        self.add_probed(pretoken, &probe, count);
    }

    fn add_probed(&mut self, pretoken: &[u8], probe: &Probe, count: PretokenCount) {
        let is_eligible = || Ok::<_, Infallible>(count.is_eligible());
        let Ok(_) = self.add(pretoken, probe, count.count(), is_eligible);
    }

    /// Adds up sets on several threads. Each part of the result has the pretokens of some hashes, as
    /// [`part_of`] says.
    pub(crate) fn merge(sets: &[CountedPretokens]) -> Vec<CountedPretokens> {
        let parts = sets.len().next_power_of_two();
        call_on_threads(parts, |part| {
            let mut sum = CountedPretokens::new();
            for set in sets {
                set.for_each(|pretoken, count| {
                    let probe = sum.probe(pretoken, 0, pretoken.len());
                    if part_of(&probe, parts) == part {
                        sum.add_probed(pretoken, &probe, count);
                    }
                });
            }
            sum
        })
    }

    /// Returns the count of a pretoken.
    pub(crate) fn find(&self, pretoken: &[u8]) -> Option<PretokenCount> {
        self.map.find(pretoken).map(|value| self.count(pretoken, value))
    }

    /// Calls `each` with every pretoken and its count, in no particular order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], PretokenCount)) {
        self.map.for_each(|pretoken, value| each(pretoken, self.count(pretoken, value)));
    }

    /// Calls `each` with every eligible pretoken and its number, in no particular order.
    pub(crate) fn for_each_number(&self, mut each: impl FnMut(&[u8], PretokenNumber)) {
        self.map.for_each(|pretoken, value| {
            if value.is_eligible() {
                each(pretoken, value.number());
            }
        });
    }

    #[inline]
    fn count(&self, pretoken: &[u8], value: NumberedCount) -> PretokenCount {
        let mut count = u64::from(value.low());
        if !self.carries.is_empty() {
            count += self.carries.get(pretoken).copied().unwrap_or_default() << 32;
        }
        PretokenCount::new(count, value.is_eligible())
    }
}

/// Returns the part that has a pretoken, of so many, a power of two.
#[inline]
pub(crate) fn part_of(probe: &Probe, parts: usize) -> usize {
    // The lowest bits tell the slots of a map apart.
    (probe.hash >> 40) as usize & (parts - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_exact() {
        let mut counted = CountedPretokens::new();
        for count in [u64::from(u32::MAX), 1, 5, 1 << 40, (1 << 61) - 7, u64::from(u32::MAX)] {
            counted.add_count(b" be", PretokenCount::new(count, true));
            counted.add_count(b"to", PretokenCount::new(1, false));
        }
        let expected = 2 * u64::from(u32::MAX) + 6 + (1 << 40) + (1 << 61) - 7;
        let count = counted.find(b" be").expect("it was added");
        assert_eq!((count.count(), count.is_eligible()), (expected, true));
        let count = counted.find(b"to").expect("it was added");
        assert_eq!((count.count(), count.is_eligible()), (6, false));
    }

    #[test]
    fn pretokens_are_numbered_in_order() {
        let mut counted = CountedPretokens::new();
        let words: Vec<String> =
            (0..MAX_PRETOKENS).map(|number| format!("{number}").repeat(1 + number % 9)).collect();
        for _ in 0..2 {
            for (index, word) in words.iter().enumerate() {
                let probe = counted.probe(word.as_bytes(), 0, word.len());
                let is_eligible = || Ok::<_, ()>(index % 3 > 0);
                let number = counted.add(word.as_bytes(), &probe, 1, is_eligible);
                let expected = (index % 3 > 0).then_some(PretokenNumber(index as u32));
                assert_eq!(number, Ok(expected));
            }
        }
    }
}
