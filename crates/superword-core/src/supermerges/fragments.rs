//! Counting fragments: what supermerges can see of the documents.
//!
//! A supermerge joins open units only, and every one that is ever made is as frequent as `bound`
//! at least. So a document can be cut at each pretoken that is never open, and at each pair of
//! pretokens that stand side by side less often than that. What is left is short, and repeats.

use std::sync::Mutex;

use crate::budget::Budget;
use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::count::{Bigrams, GROUP};
use crate::error::Error;
use crate::hash::fold;
use crate::memory;
use crate::pretokenize::Pattern;
use crate::runs::{Run, Runs};
use crate::sequence::prefetch;
use crate::table::{self, Sought};
use crate::token::TokenId;

/// Where to cut.
pub(super) struct Cut<'c> {
    /// The tokens of the pretokens that are open at some time.
    pub(super) openable: &'c table::Table<u64>,
    /// Which pretokens stand side by side often enough, unless nothing may be cut on that account.
    pub(super) bigrams: Option<(&'c Bigrams, u64)>,
}

/// Distinct fragments, each with how often it occurs.
pub(super) enum Fragments {
    Kept(Table),
    /// Those that outgrew the memory, as bytes.
    Written(Run),
}

impl Fragments {
    /// Calls `each` with every fragment and its count.
    pub(super) fn for_each(self, mut each: impl FnMut(&[TokenId], u64)) -> Result<(), Error> {
        match self {
            Fragments::Kept(table) => table.for_each(each),
            Fragments::Written(run) => {
                let mut fragment = Vec::new();
                run.for_each(|bytes, count| {
                    let (tokens, _) = bytes.as_chunks();
                    fragment.clear();
                    fragment.extend(tokens.iter().map(|&token| TokenId::from_le_bytes(token)));
                    each(&fragment, count);
                })?;
            }
        }
        Ok(())
    }

    /// How many tokens all fragments have together.
    pub(super) fn tokens(&self) -> usize {
        match self {
            Fragments::Kept(table) => table.tokens,
            Fragments::Written(run) => run.bytes / size_of::<TokenId>(),
        }
    }

    /// How many distinct fragments there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Fragments::Kept(table) => table.used,
            Fragments::Written(run) => run.keys,
        }
    }
}

/// A hash table of fragments.
#[derive(Default)]
pub(super) struct Table {
    /// The tokens of the fragments that do not fit a slot.
    long: Vec<TokenId>,
    /// By hash; at most half are in use.
    slots: Vec<Slot>,
    used: usize,
    /// How many tokens all have together.
    tokens: usize,
}

/// How many tokens fit a slot.
const INLINE: usize = 4;

#[derive(Clone, Copy, Default)]
struct Slot {
    /// Zero for a slot that is not in use.
    count: u64,
    hash: u32,
    length: u32,
    /// The tokens, or where they start in `long`, as two halves.
    tokens: [TokenId; INLINE],
}

impl Slot {
    fn start(&self) -> usize {
        (u64::from(self.tokens[1]) << 32 | u64::from(self.tokens[0])) as usize
    }
}

impl Table {
    fn for_each(&self, mut each: impl FnMut(&[TokenId], u64)) {
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            each(self.fragment(slot), slot.count);
        }
    }

    /// How many bytes of memory it takes.
    fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.long.capacity() * size_of::<TokenId>()
    }

    #[inline]
    fn fragment<'f>(&'f self, slot: &'f Slot) -> &'f [TokenId] {
        let length = slot.length as usize;
        if length <= INLINE { &slot.tokens[..length] } else { &self.long[slot.start()..][..length] }
    }

    /// Asks for the memory of a fragment with this hash.
    #[inline]
    fn prefetch(&self, hash: u32) {
        if let Some(slot) = self.slots.get(hash as usize & self.slots.len().wrapping_sub(1)) {
            prefetch(slot);
        }
    }

    fn add(&mut self, fragment: &[TokenId], hash: u32, count: u64) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let mut place = hash as usize & (self.slots.len() - 1);
        loop {
            let slot = &self.slots[place];
            if slot.count == 0 {
                break;
            }
            if slot.hash == hash && self.fragment(slot) == fragment {
                self.slots[place].count += count;
                return;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let mut tokens = [0; INLINE];
        if fragment.len() <= INLINE {
            tokens[..fragment.len()].copy_from_slice(fragment);
        } else {
            tokens[0] = self.long.len() as u32;
            tokens[1] = (self.long.len() as u64 >> 32) as u32;
            self.long.extend_from_slice(fragment);
        }
        self.slots[place] = Slot { count, hash, length: fragment.len() as u32, tokens };
        self.used += 1;
        self.tokens += fragment.len();
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1 << 10);
        for slot in std::mem::replace(&mut self.slots, memory::filled(Slot::default(), size)) {
            if slot.count > 0 {
                let mut place = slot.hash as usize & (size - 1);
                while self.slots[place].count > 0 {
                    place = (place + 1) & (size - 1);
                }
                self.slots[place] = slot;
            }
        }
    }
}

fn hash(fragment: &[TokenId]) -> u32 {
    let hash = fragment.iter().fold(fragment.len() as u64, |hash, &token| {
        fold(hash ^ u64::from(token), 0x9E37_79B9_7F4A_7C15)
    });
    (hash >> 32) as u32 ^ hash as u32
}

/// One thread's share.
struct Cutter {
    table: Table,
    /// What tables held that were full.
    runs: Runs,
    /// Fragments that wait to be counted, one after the other, and the one being cut.
    waiting: Vec<TokenId>,
    /// Where those that wait end, and their hashes.
    ends: Vec<(usize, u32)>,
    /// Where the one being cut starts.
    start: usize,
}

/// Cuts the documents of a corpus and counts what is left. The documents must be those that were
/// counted before.
pub(super) fn count(
    (corpus, reading): (&dyn Corpus, Reading),
    pattern: &Pattern,
    cut: &Cut,
    budget: Budget,
    control: &Control,
) -> Result<(Fragments, Totals), Error> {
    let most = budget.table(reading.threads);
    let cutters: Vec<_> = (0..reading.threads).map(|_| Mutex::new(Cutter::new())).collect();
    let work = |worker: usize, batch: &Batch| {
        let mut cutter = cutters[worker].lock().expect("a worker keeps to its own cutter");
        for document in batch.documents() {
            cutter.add(document, pattern, cut)?;
        }
        if cutter.table.memory() > most {
            cutter.put_away()?;
        }
        if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    };
    let progress = |done| (control.progress)(Stage::Fragments, done);
    let totals = corpus.read(reading, &work, &progress)?;
    let mut cutters = cutters.into_iter().map(|cutter| cutter.into_inner().expect("no panic"));
    let mut all = cutters.next().expect("at least one thread");
    for cutter in cutters {
        all.merge(cutter)?;
    }
    if all.runs.is_empty() {
        return Ok((Fragments::Kept(all.table), totals));
    }
    all.put_away()?;
    Ok((Fragments::Written(all.runs.merge()?), totals))
}

impl Cutter {
    fn new() -> Cutter {
        let (table, waiting, ends, start) = Default::default();
        Cutter { table, runs: Runs::new(|a, b| a + b), waiting, ends, start }
    }

    /// Writes what the table holds to a run, and empties it.
    fn put_away(&mut self) -> Result<(), Error> {
        let table = std::mem::take(&mut self.table);
        self.runs.write(|each| {
            let mut bytes = Vec::new();
            table.for_each(|fragment, count| {
                bytes.clear();
                bytes.extend(fragment.iter().flat_map(|token| token.to_le_bytes()));
                each(&bytes, count);
            });
        })
    }

    fn merge(&mut self, mut other: Cutter) -> Result<(), Error> {
        if self.runs.is_empty() && other.runs.is_empty() {
            let add = |fragment: &[_], count| self.table.add(fragment, hash(fragment), count);
            other.table.for_each(add);
            return Ok(());
        }
        other.put_away()?;
        self.runs.append(other.runs);
        Ok(())
    }

    /// Cuts a document. Pretokens are looked up in groups, as when they were counted.
    fn add(&mut self, document: &str, pattern: &Pattern, cut: &Cut) -> Result<(), Error> {
        let text = document.as_bytes();
        let mut group = [Sought::default(); GROUP];
        let mut size = 0;
        let mut before = 0;
        let mut result = Ok(());
        pattern.spans(document).for_each(|span| match span {
            Ok(span) => {
                group[size] = cut.openable.sought(text, span.start, span.end);
                size += 1;
                if size == GROUP {
                    self.add_group(text, &group, &mut before, cut);
                    size = 0;
                }
            }
            Err(error) => result = Err(error),
        });
        self.add_group(text, &group[..size], &mut before, cut);
        self.end();
        self.count();
        result
    }

    /// Cuts pretokens that follow each other; `before` is the hash of the one before them.
    #[inline]
    fn add_group(&mut self, text: &[u8], group: &[Sought], before: &mut u64, cut: &Cut) {
        let mut found = [None; GROUP];
        for (sought, found) in group.iter().zip(&mut found) {
            *found = cut.openable.get(text, sought).map(|token| {
                (token as TokenId, cut.bigrams.map_or(0, |(b, _)| b.place(*before, sought.hash)))
            });
            *before = sought.hash;
        }
        for &found in &found[..group.len()] {
            match found {
                None => self.end(),
                Some((token, place)) => {
                    if cut.bigrams.is_some_and(|(bigrams, bound)| !bigrams.reaches(place, bound)) {
                        self.end();
                    }
                    self.waiting.push(token);
                }
            }
        }
    }

    /// Ends the fragment being cut. Of a single pretoken there is nothing to join.
    #[inline]
    fn end(&mut self) {
        if self.waiting.len() - self.start > 1 {
            let hash = hash(&self.waiting[self.start..]);
            self.table.prefetch(hash);
            self.ends.push((self.waiting.len(), hash));
            self.start = self.waiting.len();
            if self.ends.len() >= GROUP {
                self.count();
            }
        } else {
            self.waiting.truncate(self.start);
        }
    }

    /// Counts the fragments that wait; the memory for them is on its way.
    fn count(&mut self) {
        let mut start = 0;
        for &(end, hash) in &self.ends {
            self.table.add(&self.waiting[start..end], hash, 1);
            start = end;
        }
        self.ends.clear();
        self.waiting.clear();
        self.start = 0;
    }
}
