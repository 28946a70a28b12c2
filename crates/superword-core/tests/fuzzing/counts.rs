//! Counts of shards: right ones against training on the documents, and any others.

use std::collections::BTreeMap;

use superword_core::corpus::{Memory, Totals};
use superword_core::model::Parameters;
use superword_core::train::from_counts::{
    CountThresholds, CountedFragments, LearnedMerges, PretokenSums,
};
use superword_core::train::shard_counts::{
    ShardFragmentCounter, ShardFragmentSplitter, ShardPretokenCounter, ShardTotals, SortedCounts,
    Splitter,
};
use superword_core::{Control, Error, Model, Resources};

use super::train::{invent_documents, invent_parameters};
use crate::oracle::Choices;

const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };
const RESOURCES: Resources = Resources { threads: 1, memory_limit: None, verify_every: None };

/// Keys with their counts.
type Sums = BTreeMap<Vec<u8>, u64>;

/// Counts documents in shards and trains on the sums. With true counts the model is that of the
/// documents; counts that lie are refused, or give a model.
pub(super) fn train_on_counts(data: &[u8]) {
    let mut choices = Choices::new(data);
    let lies = choices.chance(50);
    let parameters = invent_parameters(&mut choices);
    let documents = invent_documents(&mut choices);
    let shards = documents.chunks(choices.between(1, 5)).collect::<Vec<_>>();
    let mut counted = Counted { choices, lies, shards, parameters };
    let trained = counted.train();
    let Counted { lies, parameters, .. } = counted;
    if let Ok(model) = &trained {
        let read = Model::from_json(&model.to_json()).expect("a written model");
        assert!(read == *model);
    }
    if !lies {
        let corpus: Memory = documents.iter().collect();
        let wanted = superword_core::train(&corpus, parameters, Vec::new(), RESOURCES, &QUIET);
        let wanted = wanted.expect("a model").to_json();
        assert_eq!(trained.expect("true counts").to_json(), wanted);
    }
}

struct Counted<'c> {
    choices: Choices<'c>,
    lies: bool,
    shards: Vec<&'c [String]>,
    parameters: Parameters,
}

impl Counted<'_> {
    fn train(&mut self) -> Result<Model, Error> {
        let Parameters { pattern, eligible, supermerges, .. } = &self.parameters;
        let supermerges = *supermerges;
        let splitter = Splitter::new(pattern, eligible).expect("good regexes");
        let mut sums = Sums::new();
        let mut totals = ShardTotals::default();
        for &shard in &self.shards {
            let mut counter = ShardPretokenCounter::new(splitter.clone(), false);
            for document in shard {
                counter.add(document, 1)?;
            }
            let mut counts = counter.finish()?;
            totals.pretokens += counts.totals().pretokens;
            let Totals { documents, bytes, skipped } = counts.totals().corpus;
            totals.corpus.documents += documents;
            totals.corpus.bytes += bytes;
            totals.corpus.skipped += skipped;
            add(&mut sums, &mut counts)?;
        }
        self.lie_about(&mut sums);
        if self.lies && self.choices.chance(30) {
            totals.pretokens = self.invent_count(totals.pretokens);
            totals.corpus.bytes = self.invent_count(totals.corpus.bytes);
        }
        let mut pretokens = PretokenSums::new(&self.parameters.eligible, None)?;
        for (pretoken, &count) in &sums {
            pretokens.add(pretoken, count)?;
        }
        let mut merges = pretokens.learn(self.parameters.clone(), totals, RESOURCES, &QUIET)?;
        let fragments =
            if supermerges { Some(self.count_fragments(&splitter, &merges)?) } else { None };
        let thresholds = CountThresholds::default();
        let model = merges.finish(fragments, Vec::new(), thresholds, RESOURCES, &QUIET)?;
        Ok(model.expect("no document was split between rare neighbours"))
    }

    fn count_fragments(
        &mut self,
        splitter: &Splitter,
        merges: &LearnedMerges,
    ) -> Result<CountedFragments, Error> {
        let fragment_splitter = ShardFragmentSplitter::new(merges.openable_pretokens(), None)?;
        let mut sums = Sums::new();
        for &shard in &self.shards {
            let mut counter = ShardFragmentCounter::new(splitter.clone());
            for document in shard {
                counter.add(document, 1, &fragment_splitter)?;
            }
            add(&mut sums, &mut counter.finish()?)?;
        }
        self.lie_about(&mut sums);
        let mut fragments = merges.fragment_sums()?;
        for (fragment, &count) in &sums {
            fragments.add(fragment, count)?;
        }
        Ok(CountedFragments { sums: fragments, splits_rare_neighbours: false })
    }

    /// Changes some keys and counts, unless the counts must be true.
    fn lie_about(&mut self, sums: &mut Sums) {
        if !self.lies {
            return;
        }
        for _ in 0..self.choices.below(5) {
            let keys: Vec<Vec<u8>> = sums.keys().cloned().collect();
            let mut key =
                if keys.is_empty() { Vec::new() } else { self.choices.pick(&keys).clone() };
            let count = sums.get(&key).copied().unwrap_or_default();
            match self.choices.below(5) {
                0 => drop(sums.remove(&key)),
                1 => key.truncate(self.choices.below(key.len() + 1)),
                2 => key.extend((0..4).map(|_| self.choices.below(256) as u8)),
                3 if !key.is_empty() => {
                    let at = self.choices.below(key.len());
                    key[at] = self.choices.below(4) as u8;
                }
                _ => {}
            }
            sums.insert(key, self.invent_count(count));
        }
    }

    /// Returns a count, or one near it, or near the largest that is allowed.
    fn invent_count(&mut self, count: u64) -> u64 {
        match self.choices.below(6) {
            0 => self.choices.below(4) as u64,
            1 => count.wrapping_sub(1),
            2 => count.wrapping_add(1),
            3 => (1 << self.choices.below(64)) - 1,
            4 => 1 << self.choices.below(64),
            _ => count,
        }
    }
}

/// Adds counts to sums.
fn add(sums: &mut Sums, counts: &mut SortedCounts) -> Result<(), Error> {
    while let Some(batch) = counts.next_batch()? {
        for (ends, count) in batch.offsets.windows(2).zip(batch.counts) {
            let key = batch.bytes[ends[0] as usize..ends[1] as usize].to_vec();
            *sums.entry(key).or_default() += count;
        }
    }
    Ok(())
}
