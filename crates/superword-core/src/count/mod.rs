//! Counting the pretokens of a corpus, and how often eligible ones stand side by side.

mod bigrams;
pub(crate) mod fragments;
pub(crate) mod pretoken_map;
mod shared_bigrams;
pub(crate) mod spill;

use std::convert::Infallible;
use std::sync::Mutex;

use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::count::pretoken_map::{Sought, Table};
use crate::count::spill::{Run, Runs};
use crate::error::Error;
use crate::model::Training;
use crate::platform::memory_budget::Budget;
use crate::pretokenize::{Eligibility, Pattern};
use crate::train::merges;

pub(crate) use bigrams::{Bigrams, Often, Places, Reaching, Tallies};
pub use shared_bigrams::PLACES;
pub(crate) use shared_bigrams::{OftenPlaces, PortableBigrams};

/// In the number kept with a pretoken, the bit that says that it is eligible; the rest is its count.
const ELIGIBLE: u64 = 1 << 63;

/// How many pretokens are looked up together.
pub(crate) const GROUP: usize = 32;

/// What a corpus was found to hold.
pub(crate) struct Counted {
    table: Table<u64>,
    bytes: usize,
    /// How many pretokens there are in all.
    pub(crate) pretokens: u64,
    /// Not counted when there are to be no supermerges.
    pub(crate) bigrams: Option<Bigrams>,
    /// What was read.
    pub(crate) totals: Totals,
}

impl Counted {
    /// Pretokens that were counted elsewhere; the table has their values.
    pub(crate) fn elsewhere(table: Table<u64>, pretokens: u64, totals: Totals) -> Counted {
        let mut bytes = 0;
        table.for_each(|pretoken, _| bytes += pretoken.len());
        Counted { table, bytes, pretokens, bigrams: None, totals }
    }

    /// All distinct pretokens with their counts.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], u64)) {
        self.table.for_each(|bytes, value| each(bytes, count_of(value)));
    }

    /// Whether a pretoken was counted that is eligible.
    pub(crate) fn has_eligible(&self, pretoken: &[u8]) -> bool {
        self.table.find(pretoken).is_some_and(|value| value & ELIGIBLE != 0)
    }

    /// Forgets the distinct pretokens, which take most of the memory.
    pub(crate) fn without_pretokens(self) -> Counted {
        Counted { table: Table::new(), ..self }
    }

    /// What a model says of them.
    pub(crate) fn training(&self) -> Training {
        Training {
            documents: self.totals.documents,
            bytes: self.totals.bytes,
            pretokens: self.pretokens,
            distinct_pretokens: self.distinct() as u64,
            ..Training::default()
        }
    }

    /// How many distinct pretokens there are.
    pub(crate) fn distinct(&self) -> usize {
        self.table.len()
    }

    /// How many bytes the distinct pretokens have.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many bytes of memory all this takes.
    pub(crate) fn memory(&self) -> usize {
        self.table.memory() + self.bigrams.as_ref().map_or(0, Bigrams::memory)
    }
}

#[cfg(test)]
impl Counted {
    /// Pretokens with the counts given; counts of the same pretoken add up.
    pub(crate) fn of<'p>(pretokens: impl IntoIterator<Item = (&'p str, u64)>) -> Counted {
        let mut table = Table::new();
        for (pretoken, count) in pretokens {
            let sought = table.sought(pretoken.as_bytes(), 0, pretoken.len());
            let Ok(sum) =
                table.entry(pretoken.as_bytes(), &sought, || Ok::<_, Infallible>(ELIGIBLE));
            *sum += count;
        }
        Counted::elsewhere(table, 0, Totals::default())
    }
}

/// One thread's share.
pub(crate) struct Counter<B> {
    table: Table<u64>,
    /// What tables held that were full.
    runs: Runs,
    pub(crate) bigrams: Option<B>,
    pub(crate) pretokens: u64,
}

/// Counts a corpus.
pub(crate) fn count(
    corpus: &dyn Corpus,
    reading: Reading,
    split: (&Pattern, &Eligibility),
    with_bigrams: bool,
    budget: Budget,
    control: &Control,
) -> Result<Counted, Error> {
    let room = Bigrams::room(corpus, reading.threads, budget);
    let bigrams = || with_bigrams.then(|| Bigrams::new(room));
    let (mut all, totals) = read(corpus, reading, split, bigrams, budget, control)?;
    if !all.runs.is_empty() {
        let run = all.sorted()?;
        budget.allow(PRETOKENS, merges::memory(run.bytes, run.keys))?;
        all.table = Table::with_room(run.keys);
        run.for_each(|pretoken, value| all.table.set(pretoken, value))?;
    }
    let Counter { table, bigrams, pretokens, .. } = all;
    let mut bytes = 0;
    table.for_each(|pretoken, _| bytes += pretoken.len());
    let counted = Counted { table, bytes, pretokens, bigrams, totals };
    let needed = merges::memory(bytes, counted.distinct()) + counted.memory() as u64;
    budget.allow(PRETOKENS, needed)?;
    Ok(counted)
}

/// Counts a corpus with a counter for each thread, and puts them together.
pub(crate) fn read<B: Tallies>(
    corpus: &dyn Corpus,
    reading: Reading,
    (pattern, eligibility): (&Pattern, &Eligibility),
    bigrams: impl Fn() -> Option<B>,
    budget: Budget,
    control: &Control,
) -> Result<(Counter<B>, Totals), Error> {
    let most = budget.table(reading.threads);
    let counters: Vec<_> =
        (0..reading.threads).map(|_| Mutex::new(Counter::new(bigrams()))).collect();
    let work = |worker: usize, batch: &Batch| {
        let mut counter = counters[worker].lock().expect("a worker keeps to its own counter");
        for document in batch.documents() {
            counter.add(document, pattern, eligibility)?;
        }
        counter.keep_to(most)?;
        if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    };
    let totals = corpus.read(reading, &work, &|done| (control.progress)(Stage::Count, done))?;
    let mut counters = counters.into_iter().map(|counter| counter.into_inner().expect("no panic"));
    let mut all = counters.next().expect("at least one thread");
    for counter in counters {
        all.merge(counter)?;
    }
    Ok((all, totals))
}

/// What takes most memory while merges are learned.
pub(crate) const PRETOKENS: &str = "the distinct pretokens, and learning merges on them,";

/// The value of a pretoken that was counted elsewhere.
pub(crate) fn value(count: u64, is_eligible: bool) -> u64 {
    count | if is_eligible { ELIGIBLE } else { 0 }
}

/// The count that a value of a pretoken has.
pub(crate) fn count_of(value: u64) -> u64 {
    value & !ELIGIBLE
}

/// The sum of two values of a pretoken.
fn sum(a: u64, b: u64) -> u64 {
    a + count_of(b)
}

impl<B: Tallies> Counter<B> {
    /// Nothing counted yet; pretokens side by side are, if there is something to do it with.
    pub(crate) fn new(bigrams: Option<B>) -> Counter<B> {
        Counter { table: Table::new(), runs: Runs::new(sum), bigrams, pretokens: 0 }
    }

    /// Counts a document. Pretokens are looked up in groups: by the time that the first of a group
    /// is compared, the memory for all of them is on its way.
    pub(crate) fn add(
        &mut self,
        document: &str,
        pattern: &Pattern,
        eligibility: &Eligibility,
    ) -> Result<(), Error> {
        let mut group = [Sought::default(); GROUP];
        let mut size = 0;
        let mut before = None;
        let mut result = Ok(());
        pattern.spans(document).for_each(|span| match span {
            Ok(span) => {
                group[size] = self.table.sought(document.as_bytes(), span.start, span.end);
                size += 1;
                if size == GROUP && result.is_ok() {
                    result = self.add_group(document, &group, &mut before, eligibility);
                    size = 0;
                }
                size %= GROUP;
            }
            Err(error) => result = Err(error),
        });
        result?;
        self.add_group(document, &group[..size], &mut before, eligibility)
    }

    /// Counts pretokens that follow each other; `before` is the hash of the one before them, if it
    /// is eligible.
    #[inline]
    fn add_group(
        &mut self,
        document: &str,
        group: &[Sought],
        before: &mut Option<u64>,
        eligibility: &Eligibility,
    ) -> Result<(), Error> {
        let mut places = [0; GROUP];
        let mut pairs = 0;
        for sought in group {
            let value = self.table.entry(document.as_bytes(), sought, || {
                let is_eligible = eligibility.has(&document[sought.start..sought.end])?;
                Ok::<_, Error>(if is_eligible { ELIGIBLE } else { 0 })
            })?;
            *value += 1;
            let is_eligible = *value & ELIGIBLE != 0;
            let hash = B::hash(document.as_bytes(), sought);
            if let (Some(bigrams), true, Some(before)) = (&self.bigrams, is_eligible, *before) {
                places[pairs] = bigrams.place(before, hash);
                pairs += 1;
            }
            *before = is_eligible.then_some(hash);
        }
        self.pretokens += group.len() as u64;
        if let Some(bigrams) = &mut self.bigrams {
            for &place in &places[..pairs] {
                bigrams.add(place);
            }
        }
        Ok(())
    }

    /// Makes room when the table takes more than so many bytes of memory.
    pub(crate) fn keep_to(&mut self, most: usize) -> Result<(), Error> {
        if self.table.memory() > most { self.put_away() } else { Ok(()) }
    }

    /// All pretokens in order, with their counts.
    pub(crate) fn sorted(&mut self) -> Result<Run, Error> {
        self.put_away()?;
        self.runs.merge()
    }

    /// Writes what the table holds to a run, and empties it.
    fn put_away(&mut self) -> Result<(), Error> {
        let table = std::mem::replace(&mut self.table, Table::new());
        self.runs.write(|each| table.for_each(each))
    }

    fn merge(&mut self, mut other: Counter<B>) -> Result<(), Error> {
        self.pretokens += other.pretokens;
        if let (Some(bigrams), Some(other)) = (&mut self.bigrams, &other.bigrams) {
            bigrams.merge(other);
        }
        if !(self.runs.is_empty() && other.runs.is_empty()) {
            other.put_away()?;
            self.runs.append(other.runs);
            return Ok(());
        }
        other.table.for_each(|bytes, value| {
            let sought = self.table.sought(bytes, 0, bytes.len());
            let new = || Ok::<_, Infallible>(value & ELIGIBLE);
            let Ok(sum) = self.table.entry(bytes, &sought, new);
            *sum += count_of(value);
        });
        Ok(())
    }
}
