//! Documents of a source that can be read only once, stored to be read again.

use std::borrow::Cow;
use std::env;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::batch_store::BatchStore;
use super::workers::{Failure, run_workers};
use super::{Batch, BatchBuilder, BatchHandler, Corpus, CorpusOptions, ReadOptions, Totals};
use crate::Error;
use crate::platform::memory_budget::MemoryBudget;

/// The usual number of bytes that a spool keeps in memory before it writes a file.
const SPOOL_MEMORY: usize = 64 << 20;

/// Documents in memory and, if there are many, in an unnamed temporary file.
#[derive(Debug)]
pub struct Spool {
    options: CorpusOptions,
    store: BatchStore,
    totals: Totals,
    skipped: Vec<String>,
}

impl Spool {
    /// Returns the usual number of bytes that a spool keeps in memory, within a memory limit.
    #[must_use]
    pub fn usual_memory(memory_limit: Option<u64>) -> usize {
        SPOOL_MEMORY.min(MemoryBudget::new(memory_limit).optional_size())
    }

    /// Creates an empty spool, which writes a file if the documents exceed `memory` bytes.
    #[must_use]
    pub fn new(options: CorpusOptions, memory: usize) -> Spool {
        let store = BatchStore::new(memory);
        Spool { options, store, totals: Totals::default(), skipped: Vec::new() }
    }

    /// Takes the complete batches of a builder, always the same one.
    ///
    /// # Errors
    /// When the temporary file cannot be written, for example because the disk is full.
    pub fn take_from(&mut self, builder: &mut BatchBuilder) -> Result<(), Error> {
        while let Some(mut batch) = builder.take_batch() {
            self.store.push(&mut batch)?;
        }
        self.totals = builder.totals();
        self.skipped = builder.skipped().to_vec();
        Ok(())
    }

    /// Returns the bytes of text in batches.
    fn count_bytes(&self, indices: Range<usize>) -> u64 {
        indices.map(|index| self.store.byte_len(index)).sum::<usize>() as u64
    }

    /// Joins batches to one.
    fn read_joined(&self, mut indices: Range<usize>) -> io::Result<Cow<'_, Batch>> {
        let mut batch =
            indices.next().map_or_else(|| Ok(Cow::default()), |first| self.store.read(first))?;
        for index in indices {
            batch.to_mut().append(&*self.store.read(index)?);
        }
        Ok(batch)
    }
}

impl Corpus for Spool {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        // Batches that share a document are read together, unless it may be split.
        let is_start = |&index: &usize| {
            options.split_documents || index == 0 || !self.store.continues(index - 1)
        };
        let batches = self.store.len();
        let starts: Vec<usize> = (0..batches).filter(is_start).chain([batches]).collect();
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let large = Mutex::new(());
        let start = |worker| (worker, Totals::default());
        let states = run_workers(options.threads, start, |(worker, totals)| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let failure = |error| Failure { block: number as u64, error };
            let Some(&[start, end]) = starts.get(number..).and_then(<[_]>::first_chunk) else {
                return Ok(false);
            };
            let bytes = self.count_bytes(start..end);
            if end - start > 1 {
                options.check_document(bytes).map_err(failure)?;
            }
            // While one worker has a large document, no other reads one.
            let is_large = options.is_large(bytes as usize);
            let _held = is_large.then(|| large.lock().unwrap_or_else(PoisonError::into_inner));
            let batch = self.read_joined(start..end).map_err(|source| {
                let doing = "cannot read the temporary copy of the corpus";
                failure(Error::Io { path: env::temp_dir(), doing, source })
            })?;
            totals.add_weighted(&batch).map_err(failure)?;
            handle(*worker, &batch).map_err(failure)?;
            let bytes = batch.byte_len() as u64;
            progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            Ok(true)
        })?;
        let read = Totals::sum(states.into_iter().map(|(_, totals)| totals))?;
        Ok(Totals { skipped: self.totals.skipped, ..read })
    }

    fn size(&self) -> Option<u64> {
        Some(self.totals.bytes)
    }

    fn skipped(&self) -> Vec<String> {
        self.skipped.clone()
    }

    fn unused_weight(&self) -> Option<&str> {
        self.options.find_unused_weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(corpus: &dyn Corpus) -> Vec<String> {
        let read = Mutex::new(Vec::new());
        let handle = |_: usize, batch: &Batch| {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            read.extend(batch.documents().map(str::to_owned));
            Ok(())
        };
        corpus.read(ReadOptions::whole_documents(1), &handle, &|_| ()).expect("nothing is wrong");
        read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores weighted documents.
    fn spool<'d>(documents: impl Iterator<Item = (&'d str, u64)>, memory: usize) -> Spool {
        let mut builder = BatchBuilder::new(CorpusOptions::default(), None).expect("good options");
        documents.for_each(|(document, weight)| builder.push(document, weight));
        builder.finish();
        let mut spool = Spool::new(CorpusOptions::default(), memory);
        spool.take_from(&mut builder).expect("room on the disk");
        spool
    }

    #[test]
    fn documents_are_read_in_order_from_memory_and_file() {
        let texts: Vec<String> =
            (0..50).map(|number| format!("é{number}").repeat(20_000)).collect();
        for memory in [0, 1 << 21, SPOOL_MEMORY] {
            let spool = spool(texts.iter().map(|text| (&**text, 1)), memory);
            assert_eq!(spool.store.has_file(), memory < SPOOL_MEMORY);
            assert_eq!(documents(&spool), texts);
            assert_eq!(
                spool.totals,
                spool
                    .read(ReadOptions::whole_documents(2), &|_, _| Ok(()), &|_| ())
                    .expect("readable")
            );
        }
    }

    #[test]
    fn weights_are_read_from_memory_and_file() {
        let text = "one, two\nthree ".repeat(300_000);
        let weighted = [("a", 1), (&*text, 3), ("b", 0), ("c", 5)];
        for memory in [0, 1 << 21, SPOOL_MEMORY] {
            let spool = spool(weighted.into_iter(), memory);
            let bytes = text.len() as u64;
            assert_eq!(spool.totals, Totals { documents: 4, bytes: bytes + 3, skipped: 0 });
            let options = ReadOptions { split_documents: true, ..ReadOptions::whole_documents(2) };
            let totals = spool.read(options, &|_, _| Ok(()), &|_| ()).expect("readable");
            assert_eq!(totals, Totals { documents: 9, bytes: 3 * bytes + 6, skipped: 0 });
        }
    }
}
