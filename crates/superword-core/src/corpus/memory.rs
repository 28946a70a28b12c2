//! A corpus in memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::workers::{Failure, run_workers};
use super::{BLOCK_SIZE, Batch, BatchHandler, Corpus, ReadOptions, Totals};
use crate::Error;

/// Documents in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    batches: Vec<Batch>,
}

impl Memory {
    /// Creates a corpus of these batches.
    #[must_use]
    pub fn new(batches: Vec<Batch>) -> Memory {
        Memory { batches }
    }
}

impl<S: AsRef<str>> FromIterator<S> for Memory {
    fn from_iter<I: IntoIterator<Item = S>>(documents: I) -> Memory {
        let mut batches = Vec::new();
        let mut batch = Batch::default();
        for document in documents {
            let document = document.as_ref();
            if !batch.is_empty() && batch.byte_len() + document.len() > BLOCK_SIZE {
                batches.push(std::mem::take(&mut batch));
            }
            batch.push(document);
        }
        batches.push(batch);
        Memory { batches }
    }
}

impl Corpus for Memory {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let start = |worker| (worker, Totals::default());
        let states = run_workers(options.threads, start, |(worker, totals)| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.batches.get(index) else { return Ok(false) };
            if !batch.is_empty() {
                let failure = |error| Failure { block: index as u64, error };
                totals.add_weighted(batch).map_err(failure)?;
                handle(*worker, batch).map_err(failure)?;
                let bytes = batch.byte_len() as u64;
                progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            }
            Ok(true)
        })?;
        Totals::sum(states.into_iter().map(|(_, totals)| totals))
    }

    fn size(&self) -> Option<u64> {
        Some(self.batches.iter().map(|batch| batch.byte_len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn corpus() -> Memory {
        (0..40).map(|number| format!("{number} ").repeat(100_000)).collect()
    }

    #[test]
    fn every_document_is_read_once_with_any_number_of_threads() {
        for threads in [1, 2, 8] {
            let seen = Mutex::new(Vec::new());
            let handle = |worker: usize, batch: &Batch| {
                assert!(worker < threads);
                let mut seen = seen.lock().expect("no worker panics");
                seen.extend(batch.documents().map(|text| text[..2].trim().to_owned()));
                Ok(())
            };
            let largest = AtomicU64::new(0);
            let progress = |consumed| {
                largest.fetch_max(consumed, Ordering::Relaxed);
            };
            let totals = corpus()
                .read(ReadOptions::whole_documents(threads), &handle, &progress)
                .expect("nothing is wrong");
            assert_eq!(totals, Totals { documents: 40, bytes: 11_000_000, skipped: 0 });
            assert_eq!((Some(largest.into_inner()), totals.bytes), (corpus().size(), 11_000_000));
            let mut seen = seen.into_inner().expect("no worker panics");
            seen.sort_by_key(|number| number.parse::<u32>().unwrap_or(u32::MAX));
            assert_eq!(seen, (0..40).map(|number| number.to_string()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_of_the_handler_ends_the_pass() {
        for threads in [1, 2, 8] {
            let handle = |_: usize, batch: &Batch| {
                let first = batch.documents().next().unwrap_or_default();
                let at = first.split(' ').next().and_then(|number| number.parse().ok());
                match at {
                    Some(at) if at >= 10 => Err(Error::PatternGaveUp { at, limit: 0 }),
                    _ => Ok(()),
                }
            };
            let ended = corpus().read(ReadOptions::whole_documents(threads), &handle, &|_| ());
            assert!(matches!(ended, Err(Error::PatternGaveUp { at: 10 | 11, .. })), "{ended:?}");
        }
    }
}
