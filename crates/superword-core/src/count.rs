//! Counting the pretokens of a corpus, and how often eligible ones stand side by side.

mod bigrams;
mod table;

use std::convert::Infallible;
use std::sync::Mutex;

use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Totals};
use crate::error::Error;
use crate::pretokenize::{Eligibility, Pattern};

pub(crate) use bigrams::Bigrams;
pub(crate) use table::{Sought, Table};

/// In the number kept with a pretoken, the bit that says that it is eligible; the rest is its count.
const ELIGIBLE: u64 = 1 << 63;

/// How many bigrams all threads' tables together have room for.
const BIGRAMS: usize = 1 << 26;

/// How many pretokens are looked up together.
pub(crate) const GROUP: usize = 32;

/// What a corpus was found to hold.
pub(crate) struct Counted {
    table: Table,
    bytes: usize,
    /// How many pretokens there are in all.
    pub(crate) pretokens: u64,
    /// Not counted when there are to be no supermerges.
    pub(crate) bigrams: Option<Bigrams>,
    /// What was read.
    pub(crate) totals: Totals,
}

impl Counted {
    /// All distinct pretokens with their counts.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], u64)) {
        self.table.for_each(|bytes, value| each(bytes, value & !ELIGIBLE));
    }

    /// Whether a pretoken was counted that is eligible.
    pub(crate) fn has_eligible(&self, pretoken: &[u8]) -> bool {
        self.table.find(pretoken).is_some_and(|value| value & ELIGIBLE != 0)
    }

    /// How many distinct pretokens there are.
    pub(crate) fn distinct(&self) -> usize {
        self.table.len()
    }

    /// How many bytes the distinct pretokens have.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
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
        let mut bytes = 0;
        table.for_each(|pretoken, _| bytes += pretoken.len());
        Counted { table, bytes, pretokens: 0, bigrams: None, totals: Totals::default() }
    }
}

/// One thread's share.
struct Counter {
    table: Table,
    bigrams: Option<Bigrams>,
    pretokens: u64,
}

/// Counts a corpus.
pub(crate) fn count(
    corpus: &dyn Corpus,
    threads: usize,
    (pattern, eligibility): (&Pattern, &Eligibility),
    with_bigrams: bool,
    control: &Control,
) -> Result<Counted, Error> {
    let room = corpus.size().map_or(BIGRAMS, |size| size as usize / 2).min(BIGRAMS) / threads;
    let counters: Vec<_> = (0..threads)
        .map(|_| {
            let bigrams = with_bigrams.then(|| Bigrams::new(room));
            Mutex::new(Counter { table: Table::new(), bigrams, pretokens: 0 })
        })
        .collect();
    let work = |worker: usize, batch: &Batch| {
        let mut counter = counters[worker].lock().expect("a worker keeps to its own counter");
        for document in batch.documents() {
            counter.add(document, pattern, eligibility)?;
        }
        if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    };
    let totals = corpus.read(threads, &work, &|done| (control.progress)(Stage::Count, done))?;
    let mut counters = counters.into_iter().map(|counter| counter.into_inner().expect("no panic"));
    let mut sum = counters.next().expect("at least one thread");
    for counter in counters {
        sum.merge(&counter);
    }
    let mut bytes = 0;
    sum.table.for_each(|pretoken, _| bytes += pretoken.len());
    let Counter { table, bigrams, pretokens } = sum;
    Ok(Counted { table, bytes, pretokens, bigrams, totals })
}

impl Counter {
    /// Counts a document. Pretokens are looked up in groups: by the time that the first of a group
    /// is compared, the memory for all of them is on its way.
    fn add(
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
            if let (Some(bigrams), true, Some(before)) = (&self.bigrams, is_eligible, *before) {
                places[pairs] = bigrams.place(before, sought.hash);
                pairs += 1;
            }
            *before = is_eligible.then_some(sought.hash);
        }
        self.pretokens += group.len() as u64;
        if let Some(bigrams) = &mut self.bigrams {
            for &place in &places[..pairs] {
                bigrams.add(place);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Counter) {
        self.pretokens += other.pretokens;
        other.table.for_each(|bytes, value| {
            let sought = self.table.sought(bytes, 0, bytes.len());
            let new = || Ok::<_, Infallible>(value & ELIGIBLE);
            let Ok(sum) = self.table.entry(bytes, &sought, new);
            *sum += value & !ELIGIBLE;
        });
        if let (Some(bigrams), Some(other)) = (&mut self.bigrams, &other.bigrams) {
            bigrams.merge(other);
        }
    }
}
