//! Documents in memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::workers::{self, Failure};
use super::{BLOCK, Batch, Corpus, ReadOptions, Totals, Work};
use crate::Error;

/// A corpus in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    batches: Vec<Batch>,
}

impl Memory {
    /// A corpus of these batches.
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
            if !batch.is_empty() && batch.bytes() + document.len() > BLOCK {
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
        reading: ReadOptions,
        work: &Work<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let start = |worker| (worker, Totals::default());
        let states = workers::run(reading.threads, start, |(worker, totals)| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.batches.get(number) else { return Ok(false) };
            if !batch.is_empty() {
                work(*worker, batch).map_err(|error| Failure { number: number as u64, error })?;
                totals.count(batch);
                let bytes = batch.bytes() as u64;
                progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            }
            Ok(true)
        })?;
        Ok(states.into_iter().map(|(_, totals)| totals).sum())
    }

    fn size(&self) -> Option<u64> {
        Some(self.batches.iter().map(|batch| batch.bytes() as u64).sum())
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
    fn every_document_is_handed_out_once_whatever_the_threads() {
        for threads in [1, 2, 8] {
            let seen = Mutex::new(Vec::new());
            let work = |worker: usize, batch: &Batch| {
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
                .read(ReadOptions::whole_documents(threads), &work, &progress)
                .expect("nothing is wrong");
            assert_eq!(totals, Totals { documents: 40, bytes: 11_000_000, skipped: 0 });
            assert_eq!((Some(largest.into_inner()), totals.bytes), (corpus().size(), 11_000_000));
            let mut seen = seen.into_inner().expect("no worker panics");
            seen.sort_by_key(|number| number.parse::<u32>().unwrap_or(u32::MAX));
            assert_eq!(seen, (0..40).map(|number| number.to_string()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_of_the_work_ends_the_reading_and_the_first_is_reported() {
        for threads in [1, 2, 8] {
            let work = |_: usize, batch: &Batch| {
                let first = batch.documents().next().unwrap_or_default();
                let at = first.split(' ').next().and_then(|number| number.parse().ok());
                match at {
                    Some(at) if at >= 10 => Err(Error::PatternGaveUp { at, limit: 0 }),
                    _ => Ok(()),
                }
            };
            let ended = corpus().read(ReadOptions::whole_documents(threads), &work, &|_| ());
            assert!(matches!(ended, Err(Error::PatternGaveUp { at: 10 | 11, .. })), "{ended:?}");
        }
    }
}
