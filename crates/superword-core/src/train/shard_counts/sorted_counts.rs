//! The counts of a shard, in the order of their keys.

use super::ShardTotals;
use crate::Error;
use crate::corpus::Totals;
use crate::count::{
    FragmentCollector, PretokenCount, PretokenCounter, RunReader, SharedBigramCounts,
};

/// A batch ends at this number of keys, or of bytes.
const MAX_BATCH_KEYS: usize = 1 << 16;
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Distinct keys in order, with their counts.
pub struct SortedCounts {
    reader: RunReader,
    /// Extracts the count from a value of the file.
    count_of: fn(u64) -> u64,
    totals: ShardTotals,
    bigrams: Option<Vec<u32>>,
}

/// Some of the keys, one after the other, with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCountBatch {
    /// The bytes of all keys.
    pub bytes: Vec<u8>,
    /// Where each key starts, and where the last ends.
    pub offsets: Vec<u64>,
    /// The count of each key.
    pub counts: Vec<u64>,
}

impl SortedCounts {
    /// Sorts the counts of pretokens.
    pub(super) fn of_pretokens(
        mut counter: PretokenCounter<SharedBigramCounts>,
        corpus: Totals,
    ) -> Result<SortedCounts, Error> {
        Ok(SortedCounts {
            reader: RunReader::new(counter.merge_runs()?)?,
            count_of: |value| PretokenCount(value).count(),
            totals: ShardTotals { corpus, pretokens: counter.occurrences },
            bigrams: counter.bigrams.map(SharedBigramCounts::into_counts),
        })
    }

    /// Sorts the counts of fragments.
    pub(super) fn of_fragments(
        collector: FragmentCollector,
        corpus: Totals,
    ) -> Result<SortedCounts, Error> {
        let totals = ShardTotals { corpus, pretokens: collector.pretokens };
        Ok(SortedCounts {
            reader: RunReader::new(collector.into_counter().into_run()?)?,
            count_of: |count| count,
            totals,
            bigrams: None,
        })
    }

    /// Returns what the shard contains.
    #[must_use]
    pub fn totals(&self) -> ShardTotals {
        self.totals
    }

    /// Returns the bigram counts by bucket, if they were counted. The second call returns `None`.
    pub fn take_bigrams(&mut self) -> Option<Vec<u32>> {
        self.bigrams.take()
    }

    /// Returns the next keys with their counts, or `None` at the end.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn next_batch(&mut self) -> Result<Option<KeyCountBatch>, Error> {
        let mut batch = KeyCountBatch { offsets: vec![0], ..KeyCountBatch::default() };
        let mut key = Vec::new();
        while batch.counts.len() < MAX_BATCH_KEYS && batch.bytes.len() < MAX_BATCH_BYTES {
            let Some(value) = self.reader.next(&mut key)? else { break };
            batch.bytes.extend_from_slice(&key);
            batch.offsets.push(batch.bytes.len() as u64);
            batch.counts.push((self.count_of)(value));
        }
        Ok(if batch.counts.is_empty() { None } else { Some(batch) })
    }
}
