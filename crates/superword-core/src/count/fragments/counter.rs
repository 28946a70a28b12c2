//! Counting fragments as documents are split.

use super::table::{FragmentTable, hash_fragment};
use super::{FragmentSplitter, FragmentStorage, FragmentSymbol};
use crate::Error;
use crate::control::Stage;
use crate::corpus::{Batch, Totals};
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};
use crate::count::pretoken_map::PROBE_GROUP;
use crate::count::spill::{Run, Runs};

/// Counts the fragments of one thread.
pub(crate) struct FragmentCounter {
    table: FragmentTable,
    /// The contents of earlier tables, which became too large.
    runs: Runs,
    /// The size in bytes above which the table is spilled.
    max_size: usize,
    /// Why a table could not be spilled inside the current document.
    failed: Option<Error>,
    /// The symbols of the fragments that wait to be counted, and of the current one.
    symbols: Vec<FragmentSymbol>,
    waiting: Vec<WaitingFragment>,
    /// Where the current fragment starts in `symbols`.
    start: usize,
    /// The number of pretokens that were split; zero where pretokens are not the symbols.
    pub(crate) pretokens: u64,
    /// How often the current document counts.
    pub(super) weight: u64,
}

/// A fragment whose slot has been prefetched.
struct WaitingFragment {
    /// Where it ends in `symbols`.
    end: usize,
    hash: u32,
}

impl FragmentCounter {
    /// Creates an empty counter, which spills a table of more than `max_size` bytes.
    pub(crate) fn new(max_size: usize) -> FragmentCounter {
        FragmentCounter {
            table: FragmentTable::default(),
            runs: Runs::new(|sum, count| sum + count),
            max_size,
            failed: None,
            symbols: Vec::new(),
            waiting: Vec::new(),
            start: 0,
            pretokens: 0,
            weight: 1,
        }
    }

    /// Counts a corpus on all threads.
    pub(crate) fn count_corpus(
        pass: &CorpusPass,
        splitter: &dyn FragmentSplitter,
    ) -> Result<(FragmentCounter, Totals), Error> {
        let max_size = pass.budget.table_size(pass.tables);
        let count = |counter: &mut FragmentCounter, batch: &Batch| {
            batch
                .weighted_documents()
                .try_for_each(|(document, weight)| counter.add(document, weight, splitter))
        };
        pass.count(Stage::Fragments, || FragmentCounter::new(max_size), count)
    }

    /// Counts the fragments of a document `weight` times.
    pub(crate) fn add(
        &mut self,
        document: &str,
        weight: u64,
        splitter: &dyn FragmentSplitter,
    ) -> Result<(), Error> {
        if weight == 0 {
            return Ok(());
        }
        self.weight = weight;
        splitter.split(document, self)?;
        self.end_fragment();
        self.count_waiting();
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Adds a symbol to the current fragment.
    #[inline]
    pub(super) fn push(&mut self, symbol: FragmentSymbol) {
        self.symbols.push(symbol);
    }

    /// Ends the current fragment. A single symbol is dropped.
    #[inline]
    pub(super) fn end_fragment(&mut self) {
        if self.symbols.len() - self.start > 1 {
            let hash = hash_fragment(&self.symbols[self.start..]);
            self.table.prefetch(hash);
            self.waiting.push(WaitingFragment { end: self.symbols.len(), hash });
            self.start = self.symbols.len();
            if self.waiting.len() >= PROBE_GROUP {
                self.count_waiting();
            }
        } else {
            self.symbols.truncate(self.start);
        }
    }

    /// Counts the fragments that wait, and spills the table if it has become too large.
    fn count_waiting(&mut self) {
        let mut start = 0;
        for &WaitingFragment { end, hash } in &self.waiting {
            self.table.add(&self.symbols[start..end], hash, self.weight);
            start = end;
        }
        self.waiting.clear();
        self.symbols.clear();
        self.start = 0;
        if self.table.memory() > self.max_size && self.failed.is_none() {
            self.failed = self.spill().err();
        }
    }

    /// Returns the fragments that were counted.
    pub(super) fn into_storage(mut self) -> Result<FragmentStorage, Error> {
        if self.runs.is_empty() {
            return Ok(FragmentStorage::InMemory(self.table));
        }
        self.merge_runs().map(FragmentStorage::Spilled)
    }

    /// Returns all fragments in the order of their bytes, with their counts.
    pub(crate) fn merge_runs(&mut self) -> Result<Run, Error> {
        self.spill()?;
        self.runs.merge()
    }

    /// Writes the table to a run, and empties it.
    #[cold]
    fn spill(&mut self) -> Result<(), Error> {
        let table = std::mem::take(&mut self.table);
        self.runs.write(|each| {
            let mut bytes = Vec::new();
            table.for_each(|fragment, count| {
                bytes.clear();
                bytes.extend(fragment.iter().flat_map(|symbol| symbol.0.to_le_bytes()));
                each(&bytes, count);
            });
        })
    }
}

impl ThreadCounter for FragmentCounter {
    fn merge(&mut self, mut other: FragmentCounter) -> Result<(), Error> {
        self.pretokens += other.pretokens;
        if self.runs.is_empty() && other.runs.is_empty() {
            other.table.for_each(|fragment, count| {
                self.table.add(fragment, hash_fragment(fragment), count);
            });
            return Ok(());
        }
        other.spill()?;
        self.runs.append(other.runs);
        Ok(())
    }
}
