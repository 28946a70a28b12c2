//! The distinct pretokens of a corpus with their counts, and the bigram counts of eligible ones.

use std::mem;
use std::sync::Arc;

use crate::control::Stage;
use crate::corpus::{Batch, Totals};
use crate::count::bigrams::{BigramCounter, BigramCounts};
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};
use crate::count::counted_pretokens::{CountedPretokens, MAX_PRETOKENS, PretokenCount, part_of};
use crate::count::pretoken_map::{PROBE_GROUP, Probe};
use crate::count::record::{RecordStore, RecordWriter, Recorded};
use crate::count::spill::{Run, Runs};
use crate::error::Error;
use crate::model::Training;
use crate::platform::threads::call_on_threads;
use crate::pretokenize::Eligibility;
use crate::pretokenize::Splitter;

/// What the first pass finds in a corpus.
pub(crate) struct PretokenCounts {
    /// In parts by hash, a power of two of them.
    parts: Vec<CountedPretokens>,
    /// The bytes that the distinct pretokens have together.
    bytes: usize,
    /// The number of pretokens, repeated ones included.
    occurrences: u64,
    /// `None` when there will be no supermerges, or counts come from outside this process.
    recorded: Option<Recorded>,
    pub(crate) totals: Totals,
}

impl PretokenCounts {
    /// Creates counts from sums that were made outside this process, without bigrams.
    pub(crate) fn from_sums(
        pretokens: CountedPretokens,
        occurrences: u64,
        totals: Totals,
    ) -> PretokenCounts {
        PretokenCounts::from_parts(vec![pretokens], occurrences, totals)
    }

    fn from_parts(
        parts: Vec<CountedPretokens>,
        occurrences: u64,
        totals: Totals,
    ) -> PretokenCounts {
        let bytes = call_on_threads(parts.len(), |part| {
            let mut bytes = 0;
            parts[part].for_each(|pretoken, _| bytes += pretoken.len());
            bytes
        });
        let bytes = bytes.into_iter().sum();
        PretokenCounts { parts, bytes, occurrences, recorded: None, totals }
    }

    /// Calls `each` with every distinct pretoken and its count.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], u64)) {
        for part in &self.parts {
            part.for_each(|pretoken, count| each(pretoken, count.count()));
        }
    }

    /// Returns how often the corpus contains a pretoken.
    pub(crate) fn count_of(&self, pretoken: &[u8]) -> u64 {
        self.find(pretoken).map_or(0, PretokenCount::count)
    }

    /// Whether the corpus contains a pretoken, and it is eligible.
    pub(crate) fn has_eligible(&self, pretoken: &[u8]) -> bool {
        self.find(pretoken).is_some_and(PretokenCount::is_eligible)
    }

    fn find(&self, pretoken: &[u8]) -> Option<PretokenCount> {
        let probe = Probe::new(pretoken, 0, pretoken.len());
        self.parts[part_of(&probe, self.parts.len())].find(pretoken)
    }

    /// Returns the recorded corpus, and drops the pretokens, which take most of the memory.
    pub(crate) fn into_recorded(self) -> Option<Recorded> {
        self.recorded
    }

    /// Returns what a model records about its corpus.
    pub(crate) fn training(&self) -> Training {
        Training {
            documents: self.totals.documents,
            bytes: self.totals.bytes,
            pretokens: self.occurrences,
            distinct_pretokens: self.distinct() as u64,
            ..Training::default()
        }
    }

    /// Returns the number of distinct pretokens.
    pub(crate) fn distinct(&self) -> usize {
        self.parts.iter().map(CountedPretokens::len).sum()
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
        let recorded = self.recorded.as_ref();
        self.parts.iter().map(CountedPretokens::memory).sum::<usize>()
            + recorded.map_or(0, |recorded| recorded.bigrams.memory() + recorded.record.memory())
    }
}

#[cfg(test)]
impl PretokenCounts {
    /// Creates counts of eligible pretokens. Counts of the same pretoken add up.
    pub(crate) fn from_counts<'p>(
        pretokens: impl IntoIterator<Item = (&'p str, u64)>,
    ) -> PretokenCounts {
        let mut counted = CountedPretokens::new();
        for (pretoken, count) in pretokens {
            counted.add_count(pretoken.as_bytes(), PretokenCount::new(count, true));
        }
        PretokenCounts::from_sums(counted, 0, Totals::default())
    }
}

/// Counts the pretokens of a corpus. For supermerges, it also counts neighbours, and records the
/// documents.
pub(crate) fn count_pretokens(
    pass: &CorpusPass,
    splitter: &Splitter,
    supermerges: bool,
) -> Result<PretokenCounts, Error> {
    let buckets = BigramCounts::buckets_for(pass.corpus, pass.tables, pass.budget);
    let store = Arc::new(RecordStore::new(pass.budget.record_size()));
    let new_counter = || {
        let bigrams = supermerges.then(|| BigramCounts::new(buckets));
        let record = supermerges.then(|| RecordWriter::new(store.clone()));
        PretokenCounter::new(bigrams, record, pass.budget.table_size(pass.tables))
    };
    let (mut counter, totals) = PretokenCounter::count_corpus(pass, splitter, new_counter)?;
    pass.reject_unused_weight()?;
    if !counter.runs.is_empty() {
        let run = counter.merge_runs()?;
        pass.budget.allow_merges(run.bytes + run.keys, 0)?;
        let mut pretokens = CountedPretokens::with_capacity(run.keys);
        run.for_each(|pretoken, value| pretokens.add_count(pretoken, PretokenCount(value)))?;
        counter.merged = vec![pretokens];
    }
    let PretokenCounter { merged, bigrams, occurrences, .. } = counter;
    let record = Arc::into_inner(store).map(RecordStore::into_record);
    let recorded = bigrams.zip(record).map(|(bigrams, record)| Recorded { bigrams, record });
    let counts = PretokenCounts::from_parts(merged, occurrences, totals);
    let counts = PretokenCounts { recorded, ..counts };
    pass.budget.allow_merges(counts.cells(), counts.memory())?;
    Ok(counts)
}

/// Counts the pretokens of one thread.
pub(crate) struct PretokenCounter<B> {
    pretokens: CountedPretokens,
    /// The counts of all threads, once they were added up.
    merged: Vec<CountedPretokens>,
    /// Earlier counts, which became too large.
    runs: Runs,
    /// The size in bytes above which the map is spilled.
    max_size: usize,
    pub(crate) bigrams: Option<B>,
    /// What documents are recorded by, if they are.
    record: Option<RecordWriter>,
    /// The number of pretokens so far, repeated ones included.
    pub(crate) occurrences: u64,
}

impl<B: BigramCounter> PretokenCounter<B> {
    /// Creates an empty counter, which spills pretokens of more than `max_size` bytes. Without
    /// `bigrams`, it does not count neighbours; without `record`, it does not record documents.
    pub(crate) fn new(
        bigrams: Option<B>,
        record: Option<RecordWriter>,
        max_size: usize,
    ) -> PretokenCounter<B> {
        let add = |sum, value| sum + PretokenCount(value).count();
        let (pretokens, runs) = (CountedPretokens::new(), Runs::new(add));
        let merged = Vec::new();
        PretokenCounter { pretokens, merged, runs, max_size, bigrams, record, occurrences: 0 }
    }

    /// Counts a corpus on all threads.
    pub(crate) fn count_corpus(
        pass: &CorpusPass,
        splitter: &Splitter,
        new_counter: impl Fn() -> PretokenCounter<B>,
    ) -> Result<(PretokenCounter<B>, Totals), Error> {
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
        if let Some(record) = &mut self.record {
            record.start_document(weight);
        }
        let eligibility = splitter.eligibility();
        let mut group = [Probe::default(); PROBE_GROUP];
        let mut size = 0;
        let mut before = None;
        let mut result = Ok(());
        let spans = splitter.pattern().spans(document).interrupted_by(is_interrupted);
        spans.for_each(|span| match span {
            Ok(span) => {
                group[size] = self.pretokens.probe(document.as_bytes(), span.start, span.end);
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
        self.add_group(document, weight, &group[..size], &mut before, eligibility)?;
        self.record.as_mut().map_or(Ok(()), RecordWriter::end_document)
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
            let number = self.pretokens.add(document.as_bytes(), probe, weight, || {
                eligibility.has(&document[probe.start..probe.end])
            })?;
            if let Some(record) = &mut self.record {
                record.push(number.map(|number| number.0));
            }
            let is_eligible = number.is_some();
            let hash = B::hash(document.as_bytes(), probe);
            if let (Some(bigrams), true, Some(before)) = (&self.bigrams, is_eligible, *before) {
                buckets[pairs] = bigrams.bucket(before, hash);
                pairs += 1;
            }
            *before = is_eligible.then_some(hash);
        }
        self.occurrences += group.len() as u64 * weight;
        if let Some(bigrams) = &mut self.bigrams {
            for &bucket in &buckets[..pairs] {
                bigrams.add(bucket, weight);
            }
        }
        if let Some(record) = &mut self.record {
            record.store_full_block()?;
        }
        let has_numbers = self.pretokens.len() + PROBE_GROUP <= MAX_PRETOKENS;
        if has_numbers && self.pretokens.memory() <= self.max_size { Ok(()) } else { self.spill() }
    }

    /// Returns all pretokens in order, with their counts.
    pub(crate) fn merge_runs(&mut self) -> Result<Run, Error> {
        self.spill()?;
        self.runs.merge()
    }

    /// Writes the pretokens to a run, and drops them.
    #[cold]
    fn spill(&mut self) -> Result<(), Error> {
        if let Some(record) = &mut self.record {
            record.end_numbering(&self.pretokens)?;
        }
        let mut sets = mem::take(&mut self.merged);
        sets.push(mem::replace(&mut self.pretokens, CountedPretokens::new()));
        self.runs.write(|each| {
            for set in sets {
                set.for_each(|pretoken, count| each(pretoken, count.0));
            }
        })
    }
}

impl<B: BigramCounter> ThreadCounter for PretokenCounter<B> {
    fn finish(&mut self) -> Result<(), Error> {
        let Some(mut record) = self.record.take() else { return Ok(()) };
        record.end_numbering(&self.pretokens)
    }

    fn merge(&mut self, mut other: PretokenCounter<B>) -> Result<(), Error> {
        self.occurrences += other.occurrences;
        if let (Some(bigrams), Some(other)) = (&mut self.bigrams, other.bigrams.take()) {
            bigrams.merge(other)?;
        }
        if other.pretokens.len() > 0 {
            other.spill()?;
        }
        self.runs.append(other.runs);
        Ok(())
    }

    fn merge_all(mut counters: Vec<PretokenCounter<B>>) -> Result<PretokenCounter<B>, Error> {
        let mut merged = Vec::new();
        if counters.iter().all(|counter| counter.runs.is_empty()) {
            let new = CountedPretokens::new;
            let counted = counters.iter_mut().map(|each| mem::replace(&mut each.pretokens, new()));
            let counted: Vec<_> = counted.collect();
            merged = if counted.len() > 1 { CountedPretokens::merge(&counted) } else { counted };
        }
        let mut counters = counters.into_iter();
        let mut sum = counters.next().expect("at least one thread");
        counters.try_for_each(|counter| sum.merge(counter))?;
        sum.merged = merged;
        Ok(sum)
    }
}
