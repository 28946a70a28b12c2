//! Collecting fragments as documents are split.

use std::sync::Arc;

use super::counter::{FragmentCounter, PARTS, WaitingFragment, WaitingFragments, part_of};
use super::table::hash_fragment;
use super::{FragmentSymbol, OpenableSplitter};
use crate::Error;
use crate::control::Stage;
use crate::corpus::{Batch, Totals};
use crate::count::bigrams::FrequentBigrams;
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};

/// How many symbols wait for a part of the counter at most, about.
const MAX_WAITING: usize = 1 << 9;

/// Collects the fragments of one thread.
pub(crate) struct FragmentCollector {
    counter: Arc<FragmentCounter>,
    /// By part of the counter.
    waiting: Vec<WaitingFragments>,
    /// The symbols of the current fragment.
    symbols: Vec<FragmentSymbol>,
    /// Why fragments could not be counted inside the current document.
    failed: Option<Error>,
    /// The number of pretokens that were split; zero where pretokens are not the symbols.
    pub(crate) pretokens: u64,
    /// How often the current document counts.
    pub(crate) weight: u64,
}

impl FragmentCollector {
    /// Creates a collector for a counter.
    pub(crate) fn new(counter: Arc<FragmentCounter>) -> FragmentCollector {
        FragmentCollector {
            counter,
            waiting: (0..PARTS).map(|_| WaitingFragments::default()).collect(),
            symbols: Vec::new(),
            failed: None,
            pretokens: 0,
            weight: 1,
        }
    }

    /// Collects the fragments of a corpus on all threads.
    pub(crate) fn collect_corpus<B: FrequentBigrams>(
        pass: &CorpusPass,
        splitter: &OpenableSplitter<B>,
    ) -> Result<(FragmentCollector, Totals), Error> {
        let counter = Arc::new(FragmentCounter::new(pass.budget.table_size(1)));
        let collect = |collector: &mut FragmentCollector, batch: &Batch| {
            batch
                .weighted_documents()
                .try_for_each(|(document, weight)| collector.add(document, weight, splitter))
        };
        let new_collector = || FragmentCollector::new(counter.clone());
        pass.count(Stage::Fragments, new_collector, collect)
    }

    /// Collects the fragments of a document, which counts `weight` times.
    pub(crate) fn add<B: FrequentBigrams>(
        &mut self,
        document: &str,
        weight: u64,
        splitter: &OpenableSplitter<B>,
    ) -> Result<(), Error> {
        if weight == 0 {
            return Ok(());
        }
        self.weight = weight;
        splitter.split(document, self)?;
        self.end_document()
    }

    /// Adds a symbol to the current fragment.
    #[inline]
    pub(crate) fn push(&mut self, symbol: FragmentSymbol) {
        self.symbols.push(symbol);
    }

    /// Ends the current fragment. A single symbol is dropped.
    #[inline]
    pub(crate) fn end_fragment(&mut self) {
        if self.symbols.len() > 1 {
            let hash = hash_fragment(&self.symbols);
            let part = part_of(hash);
            let waiting = &mut self.waiting[part];
            let (length, weight) = (self.symbols.len() as u32, self.weight);
            waiting.fragments.push(WaitingFragment { hash, length, weight });
            waiting.symbols.extend_from_slice(&self.symbols);
            if waiting.symbols.len() >= MAX_WAITING {
                self.count_waiting(part);
            }
        }
        self.symbols.clear();
    }

    /// Ends the current document.
    ///
    /// # Errors
    /// When a temporary file could not be written since the document before.
    pub(crate) fn end_document(&mut self) -> Result<(), Error> {
        self.end_fragment();
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Returns the counter. The other collectors must be finished and dropped.
    pub(crate) fn into_counter(self) -> FragmentCounter {
        Arc::into_inner(self.counter).expect("this is the last collector")
    }

    /// Counts the fragments that wait for a part.
    #[cold]
    fn count_waiting(&mut self, part: usize) {
        let counted = self.counter.count(part, &mut self.waiting[part]);
        if self.failed.is_none() {
            self.failed = counted.err();
        }
    }
}

impl ThreadCounter for FragmentCollector {
    /// Counts the fragments that still wait.
    fn finish(&mut self) -> Result<(), Error> {
        for part in 0..PARTS {
            self.count_waiting(part);
        }
        self.end_document()
    }

    fn merge(&mut self, other: FragmentCollector) -> Result<(), Error> {
        self.pretokens += other.pretokens;
        Ok(())
    }
}
