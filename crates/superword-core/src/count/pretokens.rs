//! The distinct pretokens of a corpus with their counts, and the bigram counts of eligible ones.

use std::convert::Infallible;

use crate::control::Stage;
use crate::corpus::{Batch, Totals};
use crate::count::bigrams::{BigramCounter, BigramCounts};
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};
use crate::count::pretoken_map::{PROBE_GROUP, PretokenMap, Probe};
use crate::count::spill::{Run, Runs};
use crate::error::Error;
use crate::model::Training;
use crate::pretokenize::Eligibility;
use crate::pretokenize::Splitter;

/// The count of a pretoken, with its highest bit set if the pretoken is eligible.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct PretokenCount(pub(crate) u64);

impl PretokenCount {
    const ELIGIBLE: u64 = 1 << 63;

    /// Creates a count.
    #[inline]
    pub(crate) fn new(count: u64, is_eligible: bool) -> PretokenCount {
        PretokenCount(count | if is_eligible { PretokenCount::ELIGIBLE } else { 0 })
    }

    /// Returns the count without the bit.
    #[inline]
    pub(crate) fn count(self) -> u64 {
        self.0 & !PretokenCount::ELIGIBLE
    }

    /// Whether the pretoken is eligible.
    #[inline]
    pub(crate) fn is_eligible(self) -> bool {
        self.0 & PretokenCount::ELIGIBLE != 0
    }
}

/// What the first pass finds in a corpus.
pub(crate) struct PretokenCounts {
    map: PretokenMap<PretokenCount>,
    /// The bytes that the distinct pretokens have together.
    bytes: usize,
    /// The number of pretokens, repeated ones included.
    pretokens: u64,
    /// `None` when there will be no supermerges.
    bigrams: Option<BigramCounts>,
    pub(crate) totals: Totals,
}

impl PretokenCounts {
    /// Creates counts from sums that were made outside this process, without bigrams.
    pub(crate) fn from_sums(
        map: PretokenMap<PretokenCount>,
        pretokens: u64,
        totals: Totals,
    ) -> PretokenCounts {
        let mut bytes = 0;
        map.for_each(|pretoken, _| bytes += pretoken.len());
        PretokenCounts { map, bytes, pretokens, bigrams: None, totals }
    }

    /// Calls `each` with every distinct pretoken and its count.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], u64)) {
        self.map.for_each(|pretoken, value| each(pretoken, value.count()));
    }

    /// Returns how often the corpus contains a pretoken.
    pub(crate) fn count_of(&self, pretoken: &[u8]) -> u64 {
        self.map.find(pretoken).map_or(0, PretokenCount::count)
    }

    /// Whether the corpus contains a pretoken, and it is eligible.
    pub(crate) fn has_eligible(&self, pretoken: &[u8]) -> bool {
        self.map.find(pretoken).is_some_and(PretokenCount::is_eligible)
    }

    /// Returns the bigram counts, and drops the pretokens, which take most of the memory.
    pub(crate) fn into_bigrams(self) -> Option<BigramCounts> {
        self.bigrams
    }

    /// Returns what a model records about its corpus.
    pub(crate) fn training(&self) -> Training {
        Training {
            documents: self.totals.documents,
            bytes: self.totals.bytes,
            pretokens: self.pretokens,
            distinct_pretokens: self.distinct() as u64,
            ..Training::default()
        }
    }

    /// Returns the number of distinct pretokens.
    pub(crate) fn distinct(&self) -> usize {
        self.map.len()
    }

    /// Returns the number of bytes that the distinct pretokens have together.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of cells that learning needs: one for each byte, and one for each
    /// pretoken.
    pub(crate) fn cells(&self) -> usize {
        self.bytes + self.distinct()
    }

    /// Returns the size of the tables in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.map.memory() + self.bigrams.as_ref().map_or(0, BigramCounts::memory)
    }
}

#[cfg(test)]
impl PretokenCounts {
    /// Creates counts of eligible pretokens. Counts of the same pretoken add up.
    pub(crate) fn from_counts<'p>(
        pretokens: impl IntoIterator<Item = (&'p str, u64)>,
    ) -> PretokenCounts {
        let mut map = PretokenMap::new();
        for (pretoken, count) in pretokens {
            let probe = map.probe(pretoken.as_bytes(), 0, pretoken.len());
            let new = || Ok::<_, Infallible>(PretokenCount::new(0, true));
            let Ok(sum) = map.entry(pretoken.as_bytes(), &probe, new);
            sum.0 += count;
        }
        PretokenCounts::from_sums(map, 0, Totals::default())
    }
}

/// Counts the pretokens of a corpus.
pub(crate) fn count_pretokens(
    pass: &CorpusPass,
    splitter: &Splitter,
    with_bigrams: bool,
) -> Result<PretokenCounts, Error> {
    let buckets = BigramCounts::buckets_for(pass.corpus, pass.tables, pass.budget);
    let new_bigrams = || with_bigrams.then(|| BigramCounts::new(buckets));
    let (mut counter, totals) = PretokenCounter::count_corpus(pass, splitter, new_bigrams)?;
    pass.reject_unused_weight()?;
    if !counter.runs.is_empty() {
        let run = counter.merge_runs()?;
        pass.budget.allow_merges(run.bytes + run.keys, 0)?;
        counter.map = PretokenMap::with_capacity(run.keys);
        run.for_each(|pretoken, value| counter.map.insert(pretoken, PretokenCount(value)))?;
    }
    let PretokenCounter { map, bigrams, pretokens, .. } = counter;
    let counts = PretokenCounts { bigrams, ..PretokenCounts::from_sums(map, pretokens, totals) };
    pass.budget.allow_merges(counts.cells(), counts.memory())?;
    Ok(counts)
}

/// Counts the pretokens of one thread.
pub(crate) struct PretokenCounter<B> {
    map: PretokenMap<PretokenCount>,
    /// The contents of earlier maps, which became too large.
    runs: Runs,
    /// The size in bytes above which the map is spilled.
    max_size: usize,
    pub(crate) bigrams: Option<B>,
    /// The number of pretokens so far.
    pub(crate) pretokens: u64,
}

impl<B: BigramCounter> PretokenCounter<B> {
    /// Creates an empty counter, which spills a map of more than `max_size` bytes. Without `bigrams`,
    /// it does not count neighbours.
    pub(crate) fn new(bigrams: Option<B>, max_size: usize) -> PretokenCounter<B> {
        let runs = Runs::new(|sum, value| sum + PretokenCount(value).count());
        PretokenCounter { map: PretokenMap::new(), runs, max_size, bigrams, pretokens: 0 }
    }

    /// Counts a corpus on all threads.
    pub(crate) fn count_corpus(
        pass: &CorpusPass,
        splitter: &Splitter,
        new_bigrams: impl Fn() -> Option<B>,
    ) -> Result<(PretokenCounter<B>, Totals), Error> {
        let max_size = pass.budget.table_size(pass.tables);
        let new_counter = || PretokenCounter::new(new_bigrams(), max_size);
        let count = |counter: &mut PretokenCounter<B>, batch: &Batch| {
            batch.weighted_documents().try_for_each(|(document, weight)| {
                counter.add(document, weight, splitter, pass.control.is_interrupted)
            })
        };
        pass.count(Stage::Count, new_counter, count)
    }

    /// Counts a document `weight` times. Pretokens are looked up in groups: when the first of a
    /// group is compared, the memory of all of them has been prefetched.
    pub(crate) fn add(
        &mut self,
        document: &str,
        weight: u64,
        splitter: &Splitter,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        if weight == 0 {
            return Ok(());
        }
        let eligibility = splitter.eligibility();
        let mut group = [Probe::default(); PROBE_GROUP];
        let mut size = 0;
        let mut before = None;
        let mut result = Ok(());
        let spans = splitter.pattern().spans(document).interrupted_by(is_interrupted);
        spans.for_each(|span| match span {
            Ok(span) => {
                group[size] = self.map.probe(document.as_bytes(), span.start, span.end);
                size += 1;
                if size == PROBE_GROUP && result.is_ok() {
                    result = self.add_group(document, weight, &group, &mut before, eligibility);
                    size = 0;
                }
                size %= PROBE_GROUP;
            }
            Err(error) => result = Err(error),
        });
        result?;
        self.add_group(document, weight, &group[..size], &mut before, eligibility)
    }

    /// Counts consecutive pretokens, and spills the map if it has become too large. `before` is the hash
    /// of the pretoken before them, if it is eligible.
    #[inline]
    fn add_group(
        &mut self,
        document: &str,
        weight: u64,
        group: &[Probe],
        before: &mut Option<u64>,
        eligibility: &Eligibility,
    ) -> Result<(), Error> {
        let mut buckets = [0; PROBE_GROUP];
        let mut pairs = 0;
        for probe in group {
            let value = self.map.entry(document.as_bytes(), probe, || {
                let is_eligible = eligibility.has(&document[probe.start..probe.end])?;
                Ok::<_, Error>(PretokenCount::new(0, is_eligible))
            })?;
            value.0 += weight;
            let is_eligible = value.is_eligible();
            let hash = B::hash(document.as_bytes(), probe);
            if let (Some(bigrams), true, Some(before)) = (&self.bigrams, is_eligible, *before) {
                buckets[pairs] = bigrams.bucket(before, hash);
                pairs += 1;
            }
            *before = is_eligible.then_some(hash);
        }
        self.pretokens += group.len() as u64 * weight;
        if let Some(bigrams) = &mut self.bigrams {
            for &bucket in &buckets[..pairs] {
                bigrams.add(bucket, weight);
            }
        }
        if self.map.memory() > self.max_size { self.spill() } else { Ok(()) }
    }

    /// Returns all pretokens in order, with their counts.
    pub(crate) fn merge_runs(&mut self) -> Result<Run, Error> {
        self.spill()?;
        self.runs.merge()
    }

    /// Writes the map to a run, and empties it.
    #[cold]
    fn spill(&mut self) -> Result<(), Error> {
        let map = std::mem::replace(&mut self.map, PretokenMap::new());
        self.runs.write(|each| map.for_each(|pretoken, value| each(pretoken, value.0)))
    }
}

impl<B: BigramCounter> ThreadCounter for PretokenCounter<B> {
    fn merge(&mut self, mut other: PretokenCounter<B>) -> Result<(), Error> {
        self.pretokens += other.pretokens;
        if let (Some(bigrams), Some(other)) = (&mut self.bigrams, other.bigrams.take()) {
            bigrams.merge(other)?;
        }
        if !(self.runs.is_empty() && other.runs.is_empty()) {
            other.spill()?;
            self.runs.append(other.runs);
            return Ok(());
        }
        other.map.for_each(|pretoken, value| {
            let probe = self.map.probe(pretoken, 0, pretoken.len());
            let new = || Ok::<_, Infallible>(PretokenCount::new(0, value.is_eligible()));
            let Ok(sum) = self.map.entry(pretoken, &probe, new);
            sum.0 += value.count();
        });
        Ok(())
    }
}
