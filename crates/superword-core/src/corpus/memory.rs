//! Documents in memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::workers::{self, Failure};
use super::{BLOCK, Batch, Corpus, Totals, Work};
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
        threads: usize,
        work: &Work<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let start = |worker| (worker, Totals::default());
        let states = workers::run(threads, start, |(worker, totals)| {
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
