//! Counting a part of a corpus, for sums that are made elsewhere: over files, or on a cluster.
//!
//! Pretokens, the places of bigrams and fragments are all counted alone in each document, so the
//! counts of a corpus are the sums of those of its parts, in whatever order they are added up.

mod counts;
mod cut;

use crate::Error;
use crate::control::Control;
use crate::corpus::{Corpus, Reading, Totals};
use crate::count::fragments;
use crate::count::{self, Counter, PortableBigrams, count_of};
use crate::platform::memory_budget::Budget;
use crate::pretokenize::{Eligibility, Pattern};
pub use counts::{Counts, Rows};
pub use cut::Cut;

/// How many bytes of memory a counter that is fed may use for its table before it writes a file.
const TABLE: usize = 256 << 20;

/// What a part of a corpus was found to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Documents, their bytes, and items that were left out.
    pub totals: Totals,
    /// Pretokens.
    pub pretokens: u64,
}

impl Seen {
    fn add(&mut self, document: &str) {
        self.totals.documents += 1;
        self.totals.bytes += document.len() as u64;
    }
}

/// What splits documents, and which pretokens are eligible.
#[derive(Clone, Debug)]
pub struct Splitting {
    pattern: Pattern,
    eligibility: Eligibility,
}

impl Splitting {
    /// What these regexes say.
    ///
    /// # Errors
    /// When a regex is malformed.
    pub fn new(pattern: &str, eligible: &str) -> Result<Splitting, Error> {
        let (pattern, eligibility) = (Pattern::new(pattern)?, Eligibility::new(eligible)?);
        Ok(Splitting { pattern, eligibility })
    }

    /// How a corpus may be read for this.
    fn reading(&self, threads: usize) -> Reading {
        let in_pieces = self.pattern.has_seams() && self.eligibility.is_default();
        Reading { threads, in_pieces }
    }
}

/// How a part of a corpus is counted, without an effect on the counts.
#[derive(Clone, Copy, Debug)]
pub struct CountEffort {
    /// How many threads to use.
    pub threads: usize,
    /// How many bytes of memory to keep to, if any.
    pub memory_limit: Option<u64>,
}

/// Counts the pretokens of a corpus and, if wanted, at which places they stand side by side.
///
/// # Errors
/// When the corpus cannot be read, or a regex fails on it; when the job is interrupted.
pub fn count_pretokens(
    corpus: &dyn Corpus,
    splitting: &Splitting,
    with_bigrams: bool,
    effort: CountEffort,
    control: &Control,
) -> Result<Counts, Error> {
    let Splitting { pattern, eligibility } = splitting;
    let (mut all, totals) = count::read(
        corpus,
        splitting.reading(effort.threads),
        (pattern, eligibility),
        || with_bigrams.then(PortableBigrams::new),
        Budget::new(effort.memory_limit),
        control,
    )?;
    let seen = Seen { totals, pretokens: all.pretokens };
    let bigrams = all.bigrams.take().map(PortableBigrams::into_counts);
    Counts::new(all.sorted()?, count_of, seen, bigrams)
}

/// Counts the fragments of a corpus.
///
/// # Errors
/// As [`count_pretokens`].
pub fn count_fragments(
    corpus: &dyn Corpus,
    splitting: &Splitting,
    cut: &Cut,
    effort: CountEffort,
    control: &Control,
) -> Result<Counts, Error> {
    let input = (corpus, splitting.reading(effort.threads));
    let budget = Budget::new(effort.memory_limit);
    let cut = |counter: &mut fragments::Counter, document: &str| {
        cut.cut(document, &splitting.pattern, counter)
    };
    let (mut all, totals) = fragments::read(input, &cut, budget, control)?;
    let seen = Seen { totals, pretokens: all.pretokens };
    Counts::new(all.sorted()?, |count| count, seen, None)
}

/// Counts pretokens of documents that are handed to it.
pub struct PretokenCounter {
    splitting: Splitting,
    counter: Counter<PortableBigrams>,
    seen: Seen,
}

impl PretokenCounter {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(splitting: Splitting, with_bigrams: bool) -> PretokenCounter {
        let counter = Counter::new(with_bigrams.then(PortableBigrams::new));
        PretokenCounter { splitting, counter, seen: Seen::default() }
    }

    /// Counts a document.
    ///
    /// # Errors
    /// When a regex fails on it, or a temporary file cannot be written.
    pub fn add(&mut self, document: &str) -> Result<(), Error> {
        self.seen.add(document);
        self.counter.add(document, &self.splitting.pattern, &self.splitting.eligibility)?;
        self.counter.keep_to(TABLE)
    }

    /// What was counted.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn finish(mut self) -> Result<Counts, Error> {
        let seen = Seen { pretokens: self.counter.pretokens, ..self.seen };
        let bigrams = self.counter.bigrams.take().map(PortableBigrams::into_counts);
        Counts::new(self.counter.sorted()?, count_of, seen, bigrams)
    }
}

/// Counts fragments of documents that are handed to it.
pub struct FragmentCounter {
    splitting: Splitting,
    counter: fragments::Counter,
    seen: Seen,
}

impl FragmentCounter {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(splitting: Splitting) -> FragmentCounter {
        FragmentCounter { splitting, counter: fragments::Counter::new(), seen: Seen::default() }
    }

    /// Counts the fragments of a document.
    ///
    /// # Errors
    /// When a regex fails on it, or a temporary file cannot be written.
    pub fn add(&mut self, document: &str, cut: &Cut) -> Result<(), Error> {
        self.seen.add(document);
        let pattern = &self.splitting.pattern;
        self.counter.add(document, &|counter, document| cut.cut(document, pattern, counter))?;
        self.counter.keep_to(TABLE)
    }

    /// What was counted.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn finish(mut self) -> Result<Counts, Error> {
        let seen = Seen { pretokens: self.counter.pretokens, ..self.seen };
        Counts::new(self.counter.sorted()?, |count| count, seen, None)
    }
}
