//! One pass over a corpus, with one counter for each thread.

use std::sync::Mutex;

use crate::Error;
use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, ReadOptions, Totals};
use crate::platform::memory_budget::MemoryBudget;
use crate::platform::threads::call_on_threads;

/// What a pass needs to know: which corpus to read, how, and within which limits.
#[derive(Clone, Copy)]
pub(crate) struct CorpusPass<'c> {
    pub(crate) corpus: &'c dyn Corpus,
    pub(crate) reading: ReadOptions,
    /// How many tables share the memory: one for each thread that the caller allows. With a memory
    /// limit, fewer threads may read.
    pub(crate) tables: usize,
    pub(crate) budget: MemoryBudget,
    pub(crate) control: &'c Control<'c>,
    /// What an earlier pass read; this one must read the same.
    pub(crate) expected: Option<Totals>,
}

/// A thread's share of the counts.
pub(crate) trait ThreadCounter: Send + Sized {
    /// Ends counting, before counters are merged.
    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Adds the counts of another thread.
    fn merge(&mut self, other: Self) -> Result<(), Error>;

    /// Adds the counts of all threads.
    fn merge_all(counters: Vec<Self>) -> Result<Self, Error> {
        let mut counters = counters.into_iter();
        let mut sum = counters.next().expect("at least one thread");
        counters.try_for_each(|counter| sum.merge(counter))?;
        Ok(sum)
    }
}

impl CorpusPass<'_> {
    /// Reads the corpus with a counter for each thread, and returns the sum of the counters.
    ///
    /// # Errors
    /// When `count` fails, the corpus cannot be read or has changed, or the job is interrupted.
    pub(crate) fn count<C: ThreadCounter>(
        &self,
        stage: Stage,
        new_counter: impl Fn() -> C,
        count: impl Fn(&mut C, &Batch) -> Result<(), Error> + Sync,
    ) -> Result<(C, Totals), Error> {
        let counters: Vec<_> =
            (0..self.reading.threads).map(|_| Mutex::new(new_counter())).collect();
        let work = |worker: usize, batch: &Batch| {
            let mut counter = counters[worker].lock().expect("each worker has its own counter");
            count(&mut counter, batch)?;
            if (self.control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
        };
        let progress = |done| (self.control.progress)(stage, done);
        let totals = self.corpus.read(self.reading, &work, &progress)?;
        if self.expected.is_some_and(|expected| expected != totals) {
            return Err(Error::CorpusChanged);
        }
        let finish = |worker: usize| {
            counters[worker].lock().expect("each worker has its own counter").finish()
        };
        call_on_threads(counters.len(), finish).into_iter().collect::<Result<(), Error>>()?;
        let counters = counters.into_iter().map(Mutex::into_inner);
        let counters = counters.map(|counter| counter.expect("no worker panics")).collect();
        Ok((C::merge_all(counters)?, totals))
    }

    /// Rejects a corpus without any document of a source that weights name.
    pub(crate) fn reject_unused_weight(&self) -> Result<(), Error> {
        let Some(source) = self.corpus.unused_weight() else { return Ok(()) };
        let message =
            format!("weights name the source {source:?}, which no document has; correct it");
        Err(Error::Corpus { file: None, line: None, column: None, message })
    }
}
