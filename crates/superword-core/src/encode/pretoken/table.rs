//! The hash table from pretokens to their encodings.
//!
//! It is written by hand because lookups take most of the time of encoding, and most of a lookup is
//! memory latency. A pretoken of up to 15 bytes and its encoding take 32 bytes, so that two of them fit
//! a cache line. The pipeline prefetches the home lines of a whole group, then probes them without a
//! branch that depends on the result. A general hash map has control bytes in another cache line, and
//! does not separate the prefetch from the probe. With this table and the pipeline, `benchmarks/encode.py`
//! (131,072 tokens, text seen before) went from 165 to 342 MB/s for plain BPE.

use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::pretoken::model_pretokens::ModelPretokens;
use crate::platform::cpu::prefetch;
use crate::platform::hash::secret;
use crate::platform::huge_pages::HugeBlock;
use crate::pretokenize::key::{Key, long_hash};

/// A pretoken and its encoding.
#[derive(Clone, Copy, Default)]
pub(crate) struct PretokenSlot {
    pub(crate) key: Key,
    pub(crate) encoding: PretokenEncoding,
}

/// The number of slots in a cache line.
const SLOTS: usize = 2;

/// The bytes of a cache line.
pub(crate) const LINE_BYTES: usize = size_of::<PretokenLine>();

/// A cache line of slots.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct PretokenLine([PretokenSlot; SLOTS]);

/// The hash table.
pub(crate) struct PretokenTable {
    /// A power of two of lines, at most half of whose slots are used. A pretoken's home is the offset, in
    /// bytes, of the line that its hash selects; the chain of lines from there on has no free slot before
    /// it.
    lines: HugeBlock<PretokenLine>,
    used: usize,
    /// The number of pretokens at which it grows, and the lines that it then has at least.
    grows_at: usize,
    usual_lines: usize,
    /// The pretokens that do not fit a slot, each after its length.
    long: Vec<u8>,
}

/// The new pretokens that a table has room for at first. Most short texts have fewer, and the memory of
/// the usual table takes longer to get than a short text to encode.
const FEW_NEW: usize = 1 << 14;

impl PretokenTable {
    /// Creates a table of the model's pretokens.
    pub(crate) fn new(model: &ModelPretokens) -> PretokenTable {
        let grows_at = model.slots.len() + FEW_NEW;
        let mut table = PretokenTable {
            lines: HugeBlock::filled(PretokenLine::default(), grows_at.next_power_of_two()),
            used: 0,
            grows_at,
            usual_lines: (4 * model.spelling_count).next_power_of_two(),
            long: model.long.clone(),
        };
        table.insert_all(&model.slots);
        table
    }

    /// Removes all pretokens that are not the model's.
    pub(crate) fn reset(&mut self, model: &ModelPretokens) {
        self.lines.fill(PretokenLine::default());
        self.used = 0;
        self.insert_all(&model.slots);
        self.long.clone_from(&model.long);
    }

    /// Returns the bytes of memory that long pretokens take.
    pub(crate) fn long_bytes(&self) -> usize {
        self.long.len()
    }

    /// Returns the bytes of memory that it takes.
    #[cfg(test)]
    pub(crate) fn byte_len(&self) -> usize {
        size_of::<PretokenLine>() * self.lines.len() + self.long.capacity()
    }

    /// Returns the number of pretokens.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Returns a view for probing home lines.
    #[inline(always)]
    pub(crate) fn view(&self) -> PretokenTableView<'_> {
        let lines = &*self.lines;
        assert!(!lines.is_empty(), "masked offsets are those of lines");
        PretokenTableView { lines, home_mask: size_of_val(lines) - LINE_BYTES, secret: secret() }
    }

    /// Finds a pretoken that does not fit a key, given its hash.
    pub(crate) fn get_long(&self, hash: u64, pretoken: &[u8]) -> Option<PretokenEncoding> {
        let mut line = self.view().home_of(hash) / LINE_BYTES;
        loop {
            for slot in &self.lines[line].0 {
                if slot.key.is_none() {
                    return None;
                }
                let is_found = |(other, offset)| other == hash && self.long_at(offset) == pretoken;
                if slot.key.as_long().is_some_and(is_found) {
                    return Some(slot.encoding);
                }
            }
            line = self.next_line(line);
        }
    }

    /// Returns the long pretoken at an offset.
    fn long_at(&self, offset: usize) -> &[u8] {
        let (length, bytes) = self.long[offset..].split_first_chunk().expect("its length");
        &bytes[..u32::from_le_bytes(*length) as usize]
    }

    /// Prefetches what follows a home line where a key is not found: the bytes of a long pretoken, or the
    /// next line.
    #[inline(always)]
    pub(crate) fn prefetch_chain(&self, home: usize, key: Key) {
        let line = home / LINE_BYTES;
        for slot in &self.lines[line].0 {
            if let Some((_, offset)) = slot.key.as_long().filter(|_| slot.key.begins_like(key)) {
                prefetch(&self.long[offset]);
                return;
            }
        }
        prefetch(&self.lines[self.next_line(line)]);
    }

    /// Finds a key in the chain that begins at its home line, and moves it to its home line. The key
    /// that it replaces there stays reachable, because all lines between the two are full.
    pub(crate) fn find_and_move_home(&mut self, home: usize, key: Key) -> Option<PretokenEncoding> {
        let home = home / LINE_BYTES;
        let mut line = home;
        loop {
            for index in 0..SLOTS {
                let slot = self.lines[line].0[index];
                if slot.key == key {
                    if line != home {
                        self.lines[line].0[index] = self.lines[home].0[SLOTS - 1];
                        self.lines[home].0[SLOTS - 1] = slot;
                    }
                    return Some(slot.encoding);
                }
                if slot.key.is_none() {
                    return None;
                }
            }
            line = self.next_line(line);
        }
    }

    /// Finds a pretoken.
    pub(crate) fn get(&mut self, pretoken: &[u8]) -> Option<PretokenEncoding> {
        match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => self.find_and_move_home(self.home(key), key),
            None => self.get_long(long_hash(pretoken), pretoken),
        }
    }

    /// Inserts a pretoken that does not fit a key, given its hash.
    pub(crate) fn insert_long(&mut self, hash: u64, pretoken: &[u8], encoding: PretokenEncoding) {
        let key = store_long(&mut self.long, hash, pretoken);
        self.insert_key(key, encoding);
    }

    /// Inserts the pretoken with a key.
    pub(crate) fn insert_key(&mut self, key: Key, encoding: PretokenEncoding) {
        if self.used == self.grows_at {
            self.grow();
        }
        self.insert_slot(PretokenSlot { key, encoding });
    }

    #[cold]
    fn grow(&mut self) {
        let lines = self.usual_lines.max(2 * self.lines.len());
        let larger = HugeBlock::filled(PretokenLine::default(), lines);
        let old = std::mem::replace(&mut self.lines, larger);
        self.used = 0;
        for PretokenLine(slots) in &*old {
            self.insert_all(slots);
        }
        self.grows_at = self.lines.len();
    }

    fn insert_all(&mut self, slots: &[PretokenSlot]) {
        for slot in slots {
            if !slot.key.is_none() {
                self.insert_slot(*slot);
            }
        }
    }

    fn insert_slot(&mut self, new: PretokenSlot) {
        let mut line = self.home(new.key) / LINE_BYTES;
        loop {
            for slot in &mut self.lines[line].0 {
                if slot.key.is_none() {
                    *slot = new;
                    self.used += 1;
                    return;
                }
                if slot.key == new.key {
                    return;
                }
            }
            line = self.next_line(line);
        }
    }

    /// Returns the home of a key.
    fn home(&self, key: Key) -> usize {
        match key.as_long() {
            Some((hash, _)) => self.view().home_of(hash),
            None => self.view().home(key),
        }
    }

    fn next_line(&self, line: usize) -> usize {
        (line + 1) & (self.lines.len() - 1)
    }
}

/// Appends a pretoken that does not fit a key, after its length, and returns the key that names it.
pub(crate) fn store_long(long: &mut Vec<u8>, hash: u64, pretoken: &[u8]) -> Key {
    let key = Key::long(hash, long.len());
    long.extend((pretoken.len() as u32).to_le_bytes());
    long.extend(pretoken);
    key
}

/// A table for probing home lines, where most pretokens are.
#[derive(Clone, Copy)]
pub(crate) struct PretokenTableView<'t> {
    lines: &'t [PretokenLine],
    /// The offset, in bytes, of the last line. It selects every line, because their number is a power of
    /// two.
    home_mask: usize,
    secret: u64,
}

impl<'t> PretokenTableView<'t> {
    #[inline(always)]
    fn home(self, key: Key) -> usize {
        self.home_of(key.hash(self.secret))
    }

    /// Returns the home of a pretoken with a hash.
    #[inline(always)]
    fn home_of(self, hash: u64) -> usize {
        hash as usize & self.home_mask
    }

    /// Returns the line at a home.
    #[inline(always)]
    fn line(self, home: usize) -> &'t PretokenLine {
        // SAFETY: the masked offset is a multiple of a line, and at most that of the last one. Computed from an index, it would take three
        // instructions more, in the hottest loops of encoding.
        unsafe { &*self.lines.as_ptr().byte_add(home & self.home_mask) }
    }

    /// Prefetches the home line of a key, and returns its home.
    #[inline(always)]
    pub(crate) fn prefetch(self, key: Key) -> usize {
        let home = self.home(key);
        prefetch(self.line(home));
        home
    }

    /// Prefetches the home line of a pretoken that does not fit a key, and returns its home.
    pub(crate) fn prefetch_long(self, hash: u64) -> usize {
        let home = self.home_of(hash);
        prefetch(self.line(home));
        home
    }

    /// Probes the home line of a key. Returns the encoding, and whether it is the key's. It may miss a
    /// key whose first 8 bytes are those of the key beside it.
    #[inline(always)]
    pub(crate) fn probe_home(self, home: usize, key: Key) -> (&'t PretokenEncoding, bool) {
        let PretokenLine(slots) = self.line(home);
        let slot = &slots[usize::from(slots[1].key.begins_like(key))];
        (&slot.encoding, slot.key == key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::encode::numbering::EncoderToken;

    fn encoding(number: u32) -> PretokenEncoding {
        PretokenEncoding::from_tokens([EncoderToken(number)], 0, &mut Vec::new())
    }

    /// Looks up as the pipeline does: the home line first, then the chain.
    fn get(table: &mut PretokenTable, pretoken: &[u8]) -> Option<u32> {
        let found = match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => {
                let home = table.view().prefetch(key);
                match table.view().probe_home(home, key) {
                    (encoding, true) => Some(*encoding),
                    _ => table.find_and_move_home(home, key),
                }
            }
            None => table.get_long(long_hash(pretoken), pretoken),
        };
        found.map(|encoding| encoding.data[0])
    }

    fn insert(table: &mut PretokenTable, pretoken: &[u8], encoding: PretokenEncoding) {
        match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => table.insert_key(key, encoding),
            None => table.insert_long(long_hash(pretoken), pretoken, encoding),
        }
    }

    #[test]
    fn table_equals_a_hash_map() {
        let pretoken = |number: u32| {
            let length = [1 + number as usize % 15, 16 + number as usize % 30];
            let bytes = number.to_le_bytes().into_iter().cycle();
            bytes.take(length[usize::from(number.is_multiple_of(5))]).collect::<Vec<u8>>()
        };
        let mut model = ModelPretokens::default();
        for number in 0..16 {
            model.push(&pretoken(number), encoding(number));
        }
        let mut table = PretokenTable::new(&model);
        let mut expected: HashMap<Vec<u8>, u32> = HashMap::new();
        for number in 0..20_000 {
            expected.entry(pretoken(number)).or_insert(number);
            if table.get(&pretoken(number)).is_none() {
                insert(&mut table, &pretoken(number), encoding(number));
            }
            assert!(table.get(&pretoken(number)).is_some());
            // A lookup moves others, which must still be found.
            let other = pretoken(number / 2);
            assert_eq!(get(&mut table, &other), expected.get(&other).copied());
        }
        assert_eq!(table.len(), expected.len());
        for (pretoken, &number) in &expected {
            assert_eq!(get(&mut table, pretoken), Some(number));
        }
        assert_eq!(get(&mut table, b"neither short nor present"), None);
        table.reset(&model);
        assert_eq!(table.len(), model.slots.len());
        for number in 0..100 {
            let found = get(&mut table, &pretoken(number));
            assert_eq!(found.is_some(), number < 16);
        }
    }
}
