//! A hash table from pretokens to what is known of them, for hundreds of millions of look-ups.

use std::convert::Infallible;

use crate::platform::cpu::prefetch;
use crate::platform::hash::{FastMap, fold, secret};
use crate::platform::huge_pages;
use crate::pretokenize::key::{INLINE, Key, fold_bytes, long_hash};

/// How many bytes of memory a longer one takes beside its own.
const LONG: usize = 64;

#[derive(Clone, Copy, Default)]
struct Slot<V> {
    key: Key,
    value: V,
}

impl<V> Slot<V> {
    /// No key has the length zero.
    fn is_empty(&self) -> bool {
        self.key.high == 0
    }
}

/// A pretoken about to be looked up.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sought {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// All zeros if it does not fit.
    pub(crate) key: Key,
    pub(crate) hash: u64,
}

impl Sought {
    /// The pretoken `text[start..end]`.
    #[inline]
    pub(crate) fn new(text: &[u8], start: usize, end: usize) -> Sought {
        match Key::of(text, start, end) {
            Some(key) => Sought { start, end, key, hash: key.hash(secret()) },
            None => Sought::long(text, start, end),
        }
    }

    #[cold]
    fn long(text: &[u8], start: usize, end: usize) -> Sought {
        Sought { start, end, key: Key::default(), hash: long_hash(&text[start..end]) }
    }

    /// A hash of the pretoken, which is in the text, that is the same in every process.
    #[inline]
    pub(crate) fn portable_hash(&self, text: &[u8]) -> u64 {
        if self.is_short() {
            return fold(self.key.low ^ 0x2545_F491_4F6C_DD1D, self.key.high);
        }
        let bytes = &text[self.start..self.end];
        fold_bytes(0x2545_F491_4F6C_DD1D ^ bytes.len() as u64, bytes)
    }

    /// Whether the key holds the pretoken.
    #[inline]
    pub(crate) fn is_short(&self) -> bool {
        self.key.high != 0
    }
}

/// The table. A value of its own is kept with every pretoken.
pub(crate) struct Table<V> {
    /// A power of two, at most half of them in use; looked through from a key's hash on.
    slots: Vec<Slot<V>>,
    used: usize,
    /// The pretokens that do not fit a slot.
    long: FastMap<Box<[u8]>, V>,
    /// How many bytes those have.
    long_bytes: usize,
}

impl<V: Copy + Default> Table<V> {
    /// An empty table.
    pub(crate) fn new() -> Table<V> {
        Table::with_room(1 << 9)
    }

    /// An empty table that does not grow before it has so many pretokens.
    pub(crate) fn with_room(pretokens: usize) -> Table<V> {
        let slots = huge_pages::filled(Slot::default(), (2 * pretokens).next_power_of_two());
        Table { slots, used: 0, long: FastMap::default(), long_bytes: 0 }
    }

    /// Asks for the memory of a pretoken.
    #[inline]
    pub(crate) fn prefetch(&self, sought: &Sought) {
        prefetch(&self.slots[self.place(sought.hash)]);
    }

    /// How many bytes of memory it takes, about.
    pub(crate) fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot<V>>() + self.long.len() * LONG + self.long_bytes
    }

    /// How many pretokens it has.
    pub(crate) fn len(&self) -> usize {
        self.used + self.long.len()
    }

    /// Gets ready to look up the pretoken `text[start..end]`: asks for the memory.
    #[inline]
    pub(crate) fn sought(&self, text: &[u8], start: usize, end: usize) -> Sought {
        let sought = Sought::new(text, start, end);
        self.prefetch(&sought);
        sought
    }

    /// The value of a pretoken in the text: what was stored, or what `new` gives for one not seen
    /// before.
    #[inline]
    pub(crate) fn entry<E>(
        &mut self,
        text: &[u8],
        sought: &Sought,
        new: impl FnOnce() -> Result<V, E>,
    ) -> Result<&mut V, E> {
        let &Sought { start, end, key, hash } = sought;
        if end - start > INLINE {
            return self.long_entry(&text[start..end], new);
        }
        let mut place = self.place(hash);
        loop {
            if self.slots[place].key == key {
                return Ok(&mut self.slots[place].value);
            }
            if self.slots[place].is_empty() {
                break;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let value = new()?;
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            self.grow();
            place = self.free_place(key);
        }
        self.slots[place] = Slot { key, value };
        Ok(&mut self.slots[place].value)
    }

    /// The value of a pretoken in the text, if it is there.
    #[inline]
    pub(crate) fn get(&self, text: &[u8], sought: &Sought) -> Option<V> {
        let &Sought { start, end, key, hash } = sought;
        if end - start > INLINE {
            return self.long.get(&text[start..end]).copied();
        }
        let mut place = self.place(hash);
        loop {
            let slot = &self.slots[place];
            if slot.key == key {
                return Some(slot.value);
            }
            if slot.is_empty() {
                return None;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// The value of a pretoken, if it is there.
    pub(crate) fn find(&self, pretoken: &[u8]) -> Option<V> {
        self.get(pretoken, &self.sought(pretoken, 0, pretoken.len()))
    }

    /// Stores a value for a pretoken that is not there yet.
    pub(crate) fn set(&mut self, pretoken: &[u8], value: V) {
        let sought = self.sought(pretoken, 0, pretoken.len());
        let Ok(_) = self.entry(pretoken, &sought, || Ok::<_, Infallible>(value));
    }

    /// All pretokens with their values, in no particular order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], V)) {
        for slot in self.slots.iter().filter(|slot| !slot.is_empty()) {
            let bytes = slot.key.bytes();
            let length = bytes[INLINE] as usize;
            each(&bytes[..length], slot.value);
        }
        for (bytes, &value) in &self.long {
            each(bytes, value);
        }
    }

    #[cold]
    fn long_entry<E>(
        &mut self,
        bytes: &[u8],
        new: impl FnOnce() -> Result<V, E>,
    ) -> Result<&mut V, E> {
        if !self.long.contains_key(bytes) {
            self.long.insert(bytes.into(), new()?);
            self.long_bytes += bytes.len();
        }
        Ok(self.long.get_mut(bytes).expect("it was just put there"))
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn free_place(&self, key: Key) -> usize {
        let mut place = self.place(key.hash(secret()));
        while !self.slots[place].is_empty() {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = huge_pages::filled(Slot::default(), self.slots.len() * 2);
        for slot in std::mem::replace(&mut self.slots, larger) {
            if !slot.is_empty() {
                let place = self.free_place(slot.key);
                self.slots[place] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn it_holds_what_a_hash_map_holds() {
        let text: Vec<u8> = (0..200_000_u64).map(|i| (i * i / 7 % 5) as u8 + b'a').collect();
        let mut table = Table::new();
        let mut expected: HashMap<&[u8], u64> = HashMap::new();
        let mut start = 0;
        for length in (1..40).cycle() {
            let end = start + length;
            if end > text.len() {
                break;
            }
            let sought = table.sought(&text, start, end);
            let Ok(count) = table.entry(&text, &sought, || Ok::<_, Infallible>(0));
            *count += 1;
            *expected.entry(&text[start..end]).or_default() += 1;
            start += 3;
        }
        assert_eq!(table.len(), expected.len());
        let mut seen = 0;
        table.for_each(|bytes, count| {
            assert_eq!(expected[bytes], count);
            seen += 1;
        });
        assert_eq!(seen, expected.len());
        assert_eq!(table.get(b"zz", &table.sought(b"zz", 0, 2)), None);
    }
}
