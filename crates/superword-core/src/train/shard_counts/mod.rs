//! Counting a shard of a corpus, for sums that are made outside this process: over files, or on a
//! cluster.
//!
//! Pretokens, bigrams and fragments are counted in each document alone. So the counts of a corpus
//! are the sums of the counts of its shards, in whatever order they are added up.
//!
//! [`count_pretokens`] and [`count_fragments`] count a corpus, a [`ShardPretokenCounter`] and a
//! [`ShardFragmentCounter`] the documents that they are given. The result is [`SortedCounts`]. A
//! [`ShardFragmentSplitter`] holds what splitting documents into fragments takes.

mod fragment_splitter;
mod sorted_counts;

use crate::Error;
use crate::control::{Control, never};
use crate::corpus::{Corpus, Totals};
use crate::count::{
    BIGRAM_BUCKETS, FragmentCollector, FragmentCounter, PretokenCounter, SharedBigramCounts,
    ThreadCounter,
};
use crate::train::Resources;

pub use crate::pretokenize::Splitter;
pub use fragment_splitter::ShardFragmentSplitter;
pub use sorted_counts::{KeyCountBatch, SortedCounts};

/// The size in bytes above which the table of a counter that is fed with documents is spilled.
const MAX_TABLE_SIZE: usize = 256 << 20;

/// What a shard contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardTotals {
    /// The documents.
    pub corpus: Totals,
    /// The number of pretokens.
    pub pretokens: u64,
}

impl ShardTotals {
    fn add(&mut self, document: &str, weight: u64) -> Result<(), Error> {
        self.corpus.add_document(document.len(), weight)
    }
}

/// Counts the pretokens of a corpus and, if wanted, its bigrams by bucket.
///
/// # Errors
/// When the corpus cannot be read, or a regex fails on it; when the job is interrupted.
pub fn count_pretokens(
    corpus: &dyn Corpus,
    splitter: &Splitter,
    with_bigrams: bool,
    resources: Resources,
    control: &Control,
) -> Result<SortedCounts, Error> {
    let bigram_bytes = if with_bigrams { BIGRAM_BUCKETS * size_of::<u32>() } else { 0 };
    let reading = splitter.read_options(resources.threads);
    let pass = resources.pass(corpus, reading, bigram_bytes, control);
    let max_size = pass.budget.table_size(pass.tables);
    let new_counter =
        || PretokenCounter::new(with_bigrams.then(SharedBigramCounts::new), None, max_size);
    let (counter, corpus) = PretokenCounter::count_corpus(&pass, splitter, new_counter)?;
    SortedCounts::of_pretokens(counter, corpus)
}

/// Counts the fragments of a corpus.
///
/// # Errors
/// As [`count_pretokens`].
pub fn count_fragments(
    corpus: &dyn Corpus,
    splitter: &Splitter,
    fragment_splitter: &ShardFragmentSplitter,
    resources: Resources,
    control: &Control,
) -> Result<SortedCounts, Error> {
    let reading = splitter.read_options(resources.threads);
    let pass = resources.pass(corpus, reading, 0, control);
    let fragment_splitter =
        fragment_splitter.with_pattern(splitter.pattern(), control.is_interrupted);
    let (collector, corpus) = FragmentCollector::collect_corpus(&pass, &fragment_splitter)?;
    SortedCounts::of_fragments(collector, corpus)
}

/// Counts the pretokens of the documents that it is given.
pub struct ShardPretokenCounter {
    splitter: Splitter,
    counter: PretokenCounter<SharedBigramCounts>,
    totals: ShardTotals,
}

impl ShardPretokenCounter {
    /// Creates an empty counter.
    #[must_use]
    pub fn new(splitter: Splitter, with_bigrams: bool) -> ShardPretokenCounter {
        let bigrams = with_bigrams.then(SharedBigramCounts::new);
        let counter = PretokenCounter::new(bigrams, None, MAX_TABLE_SIZE);
        ShardPretokenCounter { splitter, counter, totals: ShardTotals::default() }
    }

    /// Counts a document `weight` times.
    ///
    /// # Errors
    /// When a regex fails on it, the counts overflow, or a temporary file cannot be written.
    pub fn add(&mut self, document: &str, weight: u64) -> Result<(), Error> {
        self.totals.add(document, weight)?;
        self.counter.add(document, weight, &self.splitter, &never)
    }

    /// Returns the counts.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn finish(self) -> Result<SortedCounts, Error> {
        SortedCounts::of_pretokens(self.counter, self.totals.corpus)
    }
}

/// Counts the fragments of the documents that it is given.
pub struct ShardFragmentCounter {
    splitter: Splitter,
    collector: FragmentCollector,
    totals: ShardTotals,
}

impl ShardFragmentCounter {
    /// Creates an empty counter.
    #[must_use]
    pub fn new(splitter: Splitter) -> ShardFragmentCounter {
        let collector = FragmentCollector::new(FragmentCounter::new(MAX_TABLE_SIZE).into());
        ShardFragmentCounter { splitter, collector, totals: ShardTotals::default() }
    }

    /// Counts the fragments of a document `weight` times.
    ///
    /// # Errors
    /// When a regex fails on it, the counts overflow, or a temporary file cannot be written.
    pub fn add(
        &mut self,
        document: &str,
        weight: u64,
        fragment_splitter: &ShardFragmentSplitter,
    ) -> Result<(), Error> {
        self.totals.add(document, weight)?;
        let splitter = fragment_splitter.with_pattern(self.splitter.pattern(), &never);
        self.collector.add(document, weight, &splitter)
    }

    /// Returns the counts.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn finish(mut self) -> Result<SortedCounts, Error> {
        self.collector.finish()?;
        SortedCounts::of_fragments(self.collector, self.totals.corpus)
    }
}
