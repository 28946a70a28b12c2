//! Counting fragments: what is left of the documents where they are cut at all places that no rule
//! can join. Fragments are short, and repeat.

use std::sync::Mutex;

use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::count::GROUP;
use crate::count::spill::{Run, Runs};
use crate::error::Error;
use crate::platform::cpu::prefetch;
use crate::platform::hash::fold;
use crate::platform::huge_pages;
use crate::platform::memory_budget::Budget;
use crate::train::engine::sequence::check_size;
use crate::train::engine::token::TokenId;

/// Distinct fragments, each with how often it occurs.
pub(crate) enum Fragments {
    Kept(Table),
    /// Those that outgrew the memory, as bytes.
    Written(Run),
}

impl Fragments {
    /// Calls `each` with every fragment and its count.
    pub(crate) fn for_each(self, mut each: impl FnMut(&[TokenId], u64)) -> Result<(), Error> {
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

    /// Refuses fragments that are too many to learn on. `what` takes the memory.
    pub(crate) fn check(&self, what: &'static str, budget: Budget) -> Result<(), Error> {
        check_size("the distinct fragments", self.tokens() + self.len() + 1)?;
        budget.allow(what, MEMORY * (self.tokens() + self.len()) as u64)
    }

    /// How many tokens all fragments have together.
    pub(crate) fn tokens(&self) -> usize {
        match self {
            Fragments::Kept(table) => table.tokens,
            Fragments::Written(run) => run.bytes / size_of::<TokenId>(),
        }
    }

    /// How many distinct fragments there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Fragments::Kept(table) => table.used,
            Fragments::Written(run) => run.keys,
        }
    }
}

/// How many bytes of memory learning takes for each token of the distinct fragments, and for each
/// of them. Measured; see docs/training.md.
const MEMORY: u64 = 32;

/// A hash table of fragments.
#[derive(Default)]
pub(crate) struct Table {
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
        for slot in std::mem::replace(&mut self.slots, huge_pages::filled(Slot::default(), size)) {
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
pub(crate) struct Counter {
    table: Table,
    /// What tables held that were full.
    runs: Runs,
    /// Fragments that wait to be counted, one after the other, and the one being cut.
    waiting: Vec<TokenId>,
    /// Where those that wait end, and their hashes.
    ends: Vec<(usize, u32)>,
    /// Where the one being cut starts.
    start: usize,
    /// How many pretokens were cut in all; none where tokens are.
    pub(crate) pretokens: u64,
}

/// What gives a document's tokens to a counter, and tells it where to cut.
pub(crate) type Cutter<'c> = dyn Fn(&mut Counter, &str) -> Result<(), Error> + Sync + 'c;

/// Counts the fragments of a corpus.
pub(crate) fn count(
    input: (&dyn Corpus, Reading),
    cut: &Cutter<'_>,
    budget: Budget,
    control: &Control,
) -> Result<(Fragments, Totals), Error> {
    let (mut all, totals) = read(input, cut, budget, control)?;
    if all.runs.is_empty() {
        return Ok((Fragments::Kept(all.table), totals));
    }
    Ok((Fragments::Written(all.sorted()?), totals))
}

/// Counts the fragments of a corpus with a counter for each thread, and puts them together.
pub(crate) fn read(
    (corpus, reading): (&dyn Corpus, Reading),
    cut: &Cutter<'_>,
    budget: Budget,
    control: &Control,
) -> Result<(Counter, Totals), Error> {
    let most = budget.table(reading.threads);
    let counters: Vec<_> = (0..reading.threads).map(|_| Mutex::new(Counter::new())).collect();
    let work = |worker: usize, batch: &Batch| {
        let mut counter = counters[worker].lock().expect("a worker keeps to its own counter");
        for document in batch.documents() {
            counter.add(document, cut)?;
        }
        counter.keep_to(most)?;
        if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    };
    let progress = |done| (control.progress)(Stage::Fragments, done);
    let totals = corpus.read(reading, &work, &progress)?;
    let mut counters = counters.into_iter().map(|counter| counter.into_inner().expect("no panic"));
    let mut all = counters.next().expect("at least one thread");
    for counter in counters {
        all.merge(counter)?;
    }
    Ok((all, totals))
}

impl Counter {
    /// Nothing counted yet.
    pub(crate) fn new() -> Counter {
        let (table, waiting, ends, start, pretokens) = Default::default();
        Counter { table, runs: Runs::new(|a, b| a + b), waiting, ends, start, pretokens }
    }

    /// Cuts a document, and counts what is left.
    pub(crate) fn add(&mut self, document: &str, cut: &Cutter<'_>) -> Result<(), Error> {
        cut(self, document)?;
        self.end();
        self.count();
        Ok(())
    }

    /// Adds a token to the fragment being cut.
    #[inline]
    pub(crate) fn push(&mut self, token: TokenId) {
        self.waiting.push(token);
    }

    /// Ends the fragment being cut. In a single token there is nothing to join.
    #[inline]
    pub(crate) fn end(&mut self) {
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

    /// Makes room when the table takes more than so many bytes of memory.
    pub(crate) fn keep_to(&mut self, most: usize) -> Result<(), Error> {
        if self.table.memory() > most { self.put_away() } else { Ok(()) }
    }

    /// All fragments in the order of their bytes, with their counts.
    pub(crate) fn sorted(&mut self) -> Result<Run, Error> {
        self.put_away()?;
        self.runs.merge()
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

    fn merge(&mut self, mut other: Counter) -> Result<(), Error> {
        self.pretokens += other.pretokens;
        if self.runs.is_empty() && other.runs.is_empty() {
            let add = |fragment: &[_], count| self.table.add(fragment, hash(fragment), count);
            other.table.for_each(add);
            return Ok(());
        }
        other.put_away()?;
        self.runs.append(other.runs);
        Ok(())
    }
}
