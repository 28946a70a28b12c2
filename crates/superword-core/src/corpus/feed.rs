//! Documents of a source that can be read only once, read while they are processed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::workers::{Failure, run_workers};
use super::{Batch, BatchBuilder, BatchHandler, Corpus, CorpusOptions, ReadOptions, Totals};
use crate::Error;

/// A corpus that can be read once. It keeps no copy of the documents.
pub struct Feed<'r> {
    builder: Arc<Mutex<BatchBuilder>>,
    options: CorpusOptions,
    /// Adds documents to the builder until a batch is complete, or finishes it.
    refill: &'r (dyn Fn() -> Result<(), Error> + Sync),
    was_read: AtomicBool,
}

impl<'r> Feed<'r> {
    /// Creates the corpus of the documents that the builder has, and of those that `refill` adds.
    /// `refill` is called by one worker at a time, which does not lock the builder meanwhile.
    #[must_use]
    pub fn new(
        builder: Arc<Mutex<BatchBuilder>>,
        refill: &'r (dyn Fn() -> Result<(), Error> + Sync),
    ) -> Feed<'r> {
        let options = builder.lock().unwrap_or_else(PoisonError::into_inner).options().clone();
        Feed { builder, options, refill, was_read: AtomicBool::new(false) }
    }

    fn with_builder<T>(&self, act: impl FnOnce(&mut BatchBuilder) -> T) -> T {
        act(&mut self.builder.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the next batch. Batches that share a document are joined, unless it may be split.
    fn next(&self, options: ReadOptions) -> Result<Option<Batch>, Error> {
        let Some(mut batch) = self.next_complete()? else { return Ok(None) };
        while batch.continues() && !options.split_documents {
            let Some(rest) = self.next_complete()? else { break };
            batch.append(&rest);
            options.check_document(batch.byte_len() as u64)?;
        }
        Ok(Some(batch))
    }

    fn next_complete(&self) -> Result<Option<Batch>, Error> {
        loop {
            let (batch, is_finished) =
                self.with_builder(|builder| (builder.take_batch(), builder.is_finished()));
            if batch.is_some() || is_finished {
                return Ok(batch);
            }
            (self.refill)()?;
        }
    }
}

impl Corpus for Feed<'_> {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        if self.was_read.swap(true, Ordering::Relaxed) {
            let message = "these documents can be read only once; write them to a file".to_owned();
            return Err(Error::Corpus { file: None, line: None, column: None, message });
        }
        let taken = Mutex::new(0);
        let consumed = AtomicU64::new(0);
        let start = |worker| (worker, Totals::default());
        let states = run_workers(options.threads, start, |(worker, totals)| {
            let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
            *taken += 1;
            let block = *taken;
            let failure = |error| Failure { block, error };
            let Some(batch) = self.next(options).map_err(failure)? else { return Ok(false) };
            // While one worker has a large document, no other takes a batch.
            let held = options.is_large(batch.byte_len()).then_some(taken);
            totals.add_weighted(&batch).map_err(failure)?;
            handle(*worker, &batch).map_err(failure)?;
            drop(held);
            let bytes = batch.byte_len() as u64;
            progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            Ok(true)
        })?;
        let read = Totals::sum(states.into_iter().map(|(_, totals)| totals))?;
        Ok(Totals { skipped: self.with_builder(|builder| builder.totals().skipped), ..read })
    }

    /// Unknown until all documents were read.
    fn size(&self) -> Option<u64> {
        self.with_builder(|builder| builder.is_finished().then(|| builder.totals().bytes))
    }

    fn skipped(&self) -> Vec<String> {
        self.with_builder(|builder| builder.skipped().to_vec())
    }

    fn unused_weight(&self) -> Option<&str> {
        self.options.find_unused_weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_builder() -> Arc<Mutex<BatchBuilder>> {
        let builder = BatchBuilder::new(CorpusOptions::default(), None).expect("good options");
        Arc::new(Mutex::new(builder))
    }

    fn lock(builder: &Mutex<BatchBuilder>) -> std::sync::MutexGuard<'_, BatchBuilder> {
        builder.lock().expect("no worker panics")
    }

    /// Returns documents of which some are large, and the sum of their bytes.
    fn make_documents() -> (Vec<String>, u64) {
        let repeats = |number| if number % 7 == 3 { 900_000 } else { 20_000 };
        let make = |number| format!("n {number}\n").repeat(repeats(number));
        let documents: Vec<String> = (0..40).map(make).collect();
        let bytes = documents.iter().map(|document| document.len() as u64).sum();
        (documents, bytes)
    }

    #[test]
    fn every_document_is_read_once_whole_or_in_pieces() {
        let (documents, bytes) = make_documents();
        for (threads, split_documents) in [(1, false), (1, true), (2, false), (8, true)] {
            let builder = make_builder();
            let left = Mutex::new(documents.iter());
            let refill = || {
                let mut builder = lock(&builder);
                let mut left = left.lock().expect("no worker panics");
                while builder.batches() == 0 && !builder.is_finished() {
                    match left.next() {
                        Some(document) => builder.push(document, 1),
                        None => builder.finish(),
                    }
                }
                Ok(())
            };
            let feed = Feed::new(builder.clone(), &refill);
            assert_eq!(feed.size(), None);
            let read = Mutex::new(Vec::new());
            let handle = |_: usize, batch: &Batch| {
                assert!(split_documents || !batch.continues());
                read.lock().expect("no worker panics").push(batch.clone());
                Ok(())
            };
            let options = ReadOptions { split_documents, ..ReadOptions::whole_documents(threads) };
            let totals = feed.read(options, &handle, &|_| ()).expect("nothing is wrong");
            assert_eq!(totals, Totals { documents: 40, bytes, skipped: 0 });
            assert_eq!(feed.size(), Some(bytes));
            let again = feed.read(options, &|_, _| Ok(()), &|_| ());
            assert!(again.is_err_and(|error| error.to_string().contains("only once")));
            let read = read.into_inner().expect("no worker panics");
            assert_eq!(read.iter().any(Batch::continues), split_documents);
            let mut joined = Batch::default();
            for batch in &read {
                joined.append(batch);
            }
            // Only one worker takes them in order.
            assert!(threads > 1 || joined == documents.iter().collect());
        }
    }

    #[test]
    fn an_error_of_the_source_ends_the_pass() {
        for threads in [1, 2, 8] {
            let builder = make_builder();
            let refill = || {
                let mut builder = lock(&builder);
                if builder.totals().documents == 5 {
                    return Err(Error::Interrupted);
                }
                builder.push(&"a ".repeat(600_000), 1);
                Ok(())
            };
            let feed = Feed::new(builder.clone(), &refill);
            let options = ReadOptions::whole_documents(threads);
            let ended = feed.read(options, &|_, _| Ok(()), &|_| ());
            assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
        }
    }

    #[test]
    fn a_document_above_the_limit_is_refused() {
        let builder = make_builder();
        lock(&builder).push(&"a b\n".repeat(2_000_000), 1);
        lock(&builder).finish();
        let feed = Feed::new(builder, &|| Ok(()));
        let options =
            ReadOptions { max_document_bytes: 5_000_000, ..ReadOptions::whole_documents(2) };
        let refused = feed.read(options, &|_, _| Ok(()), &|_| ()).expect_err("it is too large");
        assert!(refused.to_string().contains("more than 5000000 bytes"), "{refused}");
    }
}
