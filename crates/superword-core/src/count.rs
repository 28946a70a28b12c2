//! Counting the pretokens of a corpus, and how often eligible ones stand side by side.

mod bigrams;
mod table;

use std::sync::Mutex;

use crate::control::{Control, Stage};
use crate::corpus::{Corpus, Totals};
use crate::error::Error;
use crate::pretokenize::{Eligibility, Pattern};

pub(crate) use bigrams::Bigrams;
pub(crate) use table::Table;

/// In the number kept with a pretoken, the bit that says that it is eligible; the rest is its count.
const ELIGIBLE: u64 = 1 << 63;

/// How many bigrams all threads' tables together have room for.
const BIGRAMS: usize = 1 << 26;

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
        let (_, value) = self.table.get(pretoken, 0, pretoken.len());
        value.is_some_and(|value| value & ELIGIBLE != 0)
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
    let work = |worker: usize, batch: &crate::corpus::Batch| {
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
    fn add(
        &mut self,
        document: &str,
        pattern: &Pattern,
        eligibility: &Eligibility,
    ) -> Result<(), Error> {
        let text = document.as_bytes();
        // The hash of the pretoken before, if it is eligible.
        let mut before = None;
        let mut failed = None;
        pattern.spans(document).for_each(|span| {
            let counted = span.and_then(|span| {
                let new = || {
                    let is_eligible = eligibility.has(&document[span.clone()])?;
                    Ok(if is_eligible { ELIGIBLE } else { 0 })
                };
                let (hash, value) = self.table.entry(text, span.start, span.end, new)?;
                *value += 1;
                Ok((hash, *value & ELIGIBLE != 0))
            });
            match counted {
                Ok((hash, is_eligible)) => {
                    self.pretokens += 1;
                    if let (Some(bigrams), true, Some(before)) =
                        (&mut self.bigrams, is_eligible, before)
                    {
                        bigrams.add(before, hash);
                    }
                    before = is_eligible.then_some(hash);
                }
                Err(error) => failed = Some(error),
            }
        });
        failed.map_or(Ok(()), Err)
    }

    fn merge(&mut self, other: &Counter) {
        self.pretokens += other.pretokens;
        other.table.for_each(|bytes, value| {
            let new = || Ok::<_, std::convert::Infallible>(value & ELIGIBLE);
            let Ok((_, sum)) = self.table.entry(bytes, 0, bytes.len(), new);
            *sum += value & !ELIGIBLE;
        });
        if let (Some(bigrams), Some(other)) = (&mut self.bigrams, &other.bigrams) {
            bigrams.merge(other);
        }
    }
}
