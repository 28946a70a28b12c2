//! A hash table of fragments.
//!
//! It is written by hand for speed: most fragments fit their slot, and the slot can be prefetched
//! before the fragment is counted. Extending a model by 500 superwords on 100 MB of English text
//! with one thread takes 4.4 s of CPU time, and 5.2 s with a `hashbrown::HashMap` of vectors.

use super::FragmentSymbol;
use crate::platform::cpu::prefetch;
use crate::platform::hash::fold;
use crate::platform::huge_pages::HugeBlock;

/// How many symbols fit a slot.
const INLINE_SYMBOLS: usize = 4;

/// A hash table with open addressing.
#[derive(Default)]
pub(crate) struct FragmentTable {
    /// The symbols of the fragments that do not fit a slot.
    long: Vec<FragmentSymbol>,
    /// By hash; at most half are in use.
    slots: HugeBlock<FragmentSlot>,
    used: usize,
    symbols: usize,
}

#[derive(Clone, Copy, Default)]
struct FragmentSlot {
    /// Zero for a slot that is not in use.
    count: u64,
    hash: u32,
    length: u32,
    /// The symbols, or where they start in `long`, as two halves.
    symbols: [FragmentSymbol; INLINE_SYMBOLS],
}

impl FragmentSlot {
    fn start(&self) -> usize {
        let [low, high, ..] = self.symbols;
        (u64::from(high.0) << 32 | u64::from(low.0)) as usize
    }
}

impl FragmentTable {
    /// Calls `each` with every fragment and its count, in no particular order.
    pub(super) fn for_each(&self, mut each: impl FnMut(&[FragmentSymbol], u64)) {
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            each(self.fragment(slot), slot.count);
        }
    }

    /// Returns the number of symbols that the fragments have together.
    pub(super) fn symbol_count(&self) -> usize {
        self.symbols
    }

    /// Returns the number of fragments.
    pub(super) fn fragment_count(&self) -> usize {
        self.used
    }

    /// Returns the size in bytes.
    pub(super) fn memory(&self) -> usize {
        self.slots.len() * size_of::<FragmentSlot>()
            + self.long.capacity() * size_of::<FragmentSymbol>()
    }

    /// Prefetches the slot of a fragment with this hash.
    #[inline]
    pub(super) fn prefetch(&self, hash: u32) {
        if let Some(slot) = self.slots.get(hash as usize & self.slots.len().wrapping_sub(1)) {
            prefetch(slot);
        }
    }

    /// Adds to the count of a fragment.
    pub(super) fn add(&mut self, fragment: &[FragmentSymbol], hash: u32, count: u64) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let mut index = hash as usize & (self.slots.len() - 1);
        loop {
            let slot = &self.slots[index];
            if slot.count == 0 {
                break;
            }
            if slot.hash == hash && self.fragment(slot) == fragment {
                self.slots[index].count += count;
                return;
            }
            index = (index + 1) & (self.slots.len() - 1);
        }
        let mut symbols = [FragmentSymbol::default(); INLINE_SYMBOLS];
        if fragment.len() <= INLINE_SYMBOLS {
            symbols[..fragment.len()].copy_from_slice(fragment);
        } else {
            symbols[0] = FragmentSymbol(self.long.len() as u32);
            symbols[1] = FragmentSymbol((self.long.len() as u64 >> 32) as u32);
            self.long.extend_from_slice(fragment);
        }
        self.slots[index] = FragmentSlot { count, hash, length: fragment.len() as u32, symbols };
        self.used += 1;
        self.symbols += fragment.len();
    }

    #[inline]
    fn fragment<'f>(&'f self, slot: &'f FragmentSlot) -> &'f [FragmentSymbol] {
        let length = slot.length as usize;
        if length <= INLINE_SYMBOLS {
            &slot.symbols[..length]
        } else {
            &self.long[slot.start()..][..length]
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1 << 7);
        let larger = HugeBlock::filled(FragmentSlot::default(), size);
        for &slot in &*std::mem::replace(&mut self.slots, larger) {
            if slot.count > 0 {
                let mut index = slot.hash as usize & (size - 1);
                while self.slots[index].count > 0 {
                    index = (index + 1) & (size - 1);
                }
                self.slots[index] = slot;
            }
        }
    }
}

/// Returns the hash of a fragment.
pub(super) fn hash_fragment(fragment: &[FragmentSymbol]) -> u32 {
    let hash = fragment.iter().fold(fragment.len() as u64, |hash, symbol| {
        fold(hash ^ u64::from(symbol.0), 0x9E37_79B9_7F4A_7C15)
    });
    (hash >> 32) as u32 ^ hash as u32
}
