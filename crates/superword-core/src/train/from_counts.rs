//! Training on counts that were added up outside this process: first on pretokens, then on
//! fragments.

use std::sync::Arc;

use crate::control::Control;
use crate::corpus::MAX_WEIGHTED_BYTES;
use crate::count::{CountedPretokens, Fragments, PretokenCount, PretokenCounts, RunWriter};
use crate::error::Error;
use crate::model::{Model, Parameters, Training};
use crate::platform::huge_pages;
use crate::platform::memory_budget::MemoryBudget;
use crate::pretokenize::Eligibility;
use crate::train::engine::TrainingToken;
use crate::train::learned_rules::LearnedRules;
use crate::train::merges::MergeSteps;
use crate::train::shard_counts::ShardTotals;
use crate::train::supermerges::{
    OpenableIndex, OpenablePretokens, has_supermerges, learn_on_fragments, learn_on_fragments_after,
};
use crate::train::{Extension, Resources, TrainingContext, extend};

/// How many pretokens are added between two checks of the memory limit.
const CHECK_EVERY: usize = 1 << 20;

/// Collects distinct pretokens with their counts.
pub struct PretokenSums {
    eligibility: Eligibility,
    pretokens: CountedPretokens,
    budget: MemoryBudget,
    /// The bytes that the distinct pretokens have together.
    bytes: usize,
    /// The number of all pretokens, and of their bytes.
    occurrences: u64,
    occurring_bytes: u64,
}

impl PretokenSums {
    /// Creates an empty collection.
    ///
    /// # Errors
    /// When the regex of eligible pretokens is malformed.
    pub fn new(eligible: &str, memory_limit: Option<u64>) -> Result<PretokenSums, Error> {
        let (eligibility, budget) = (Eligibility::new(eligible)?, MemoryBudget::new(memory_limit));
        let pretokens = CountedPretokens::new();
        Ok(PretokenSums {
            eligibility,
            pretokens,
            budget,
            bytes: 0,
            occurrences: 0,
            occurring_bytes: 0,
        })
    }

    /// Adds a pretoken, which was not added before, with its count.
    ///
    /// # Errors
    /// When it is not UTF-8, or was added before; when its count is out of range; when a regex fails
    /// on it; when there are too many pretokens for the memory limit.
    pub fn add(&mut self, pretoken: &[u8], count: u64) -> Result<(), Error> {
        let refuse = |problem| {
            let reason = format!("the pretoken b\"{}\" {problem}", pretoken.escape_ascii());
            Error::Counts { reason }
        };
        let text = std::str::from_utf8(pretoken).map_err(|_| refuse("is not UTF-8"))?;
        if text.is_empty() || count == 0 {
            return Err(refuse("is empty, or its count is 0"));
        }
        let bytes = count.checked_mul(text.len() as u64);
        let bytes = bytes.and_then(|bytes| bytes.checked_add(self.occurring_bytes));
        // So no sum of counts overflows: neither one over pretokens nor one over their bytes.
        let Some(bytes) = bytes.filter(|&bytes| bytes < MAX_WEIGHTED_BYTES) else {
            return Err(refuse("makes the corpus as large as 2^62 bytes, so its count is wrong"));
        };
        if self.pretokens.find(pretoken).is_some() {
            return Err(refuse("occurs twice; sum the counts first"));
        }
        let is_eligible = self.eligibility.has(text)?;
        self.pretokens.add_count(pretoken, PretokenCount::new(count, is_eligible));
        self.occurring_bytes = bytes;
        self.occurrences += count;
        self.bytes += pretoken.len();
        if self.pretokens.len().is_multiple_of(CHECK_EVERY) {
            self.budget.allow_merges(self.bytes + self.pretokens.len(), 0)?;
        }
        Ok(())
    }

    /// Rejects pretokens that occur more often than the documents have room for.
    fn check_totals(&self, totals: ShardTotals) -> Result<(), Error> {
        let ShardTotals { pretokens, corpus } = totals;
        if self.occurrences > pretokens || self.occurring_bytes > corpus.bytes {
            let reason = format!(
                "the counts are of {} pretokens with {} bytes, but the documents have {pretokens} \
                 pretokens and {} bytes",
                self.occurrences, self.occurring_bytes, corpus.bytes
            );
            return Err(Error::Counts { reason });
        }
        Ok(())
    }

    /// Learns the merges.
    ///
    /// # Errors
    /// When the counts exceed the totals; when the parameters have a second stage; when the memory limit is too low; when the job is
    /// interrupted.
    pub fn learn(
        self,
        parameters: Parameters,
        totals: ShardTotals,
        resources: Resources,
        control: &Control,
    ) -> Result<LearnedMerges, Error> {
        if parameters.second_stage.is_some() {
            let reason = "a second stage (transition) is learned on documents, not on counts";
            return Err(Error::Counts { reason: reason.to_owned() });
        }
        self.check_totals(totals)?;
        let counts = PretokenCounts::from_sums(self.pretokens, totals.pretokens, totals.corpus);
        self.budget.allow_merges(counts.cells(), counts.memory())?;
        let context = TrainingContext { parameters: &parameters, resources, control };
        let merges = MergeSteps::learn(&counts, &context)?;
        huge_pages::release();
        let openable = OpenablePretokens::new(&counts, &merges);
        let openable_counts = openable.find_counts(&counts, &merges);
        let training = counts.training();
        Ok(LearnedMerges { base: None, parameters, training, merges, openable, openable_counts })
    }

    /// Learns the merges of an extension, after all rules of a model. If it has superwords only,
    /// there are none.
    ///
    /// # Errors
    /// When the counts exceed the totals; when the model cannot be extended, or has added tokens; when the memory limit is too low;
    /// when the job is interrupted.
    pub fn learn_after(
        self,
        base: Arc<Model>,
        extension: Extension,
        totals: ShardTotals,
        resources: Resources,
        control: &Control,
    ) -> Result<LearnedMerges, Error> {
        if !base.added_tokens().is_empty() {
            let reason = "the base has added tokens, at which documents are split before they are \
                          counted; extend it on the documents";
            return Err(Error::Counts { reason: reason.to_owned() });
        }
        let kind = extension.kind;
        let parameters = extension.into_parameters(&base)?;
        self.check_totals(totals)?;
        let counts = PretokenCounts::from_sums(self.pretokens, totals.pretokens, totals.corpus);
        self.budget.allow_merges(counts.cells(), counts.memory())?;
        let context = TrainingContext { parameters: &parameters, resources, control };
        // Without merges, it is not known which supermerges will be too rare.
        let merges = extend::learn_merges(&base, kind, &counts, &context)?
            .unwrap_or_else(|| MergeSteps::none_after(&base, parameters.min_count));
        huge_pages::release();
        let openable = OpenablePretokens::after(&base, &counts, &merges);
        let openable_counts = openable.find_counts(&counts, &merges);
        let training = counts.training();
        let base = Some(base);
        Ok(LearnedMerges { base, parameters, training, merges, openable, openable_counts })
    }
}

/// Learned merges, with which supermerges can compete.
pub struct LearnedMerges {
    /// The model that is extended, if there is one.
    base: Option<Arc<Model>>,
    parameters: Parameters,
    training: Training,
    merges: MergeSteps,
    openable: OpenablePretokens,
    /// How often each of them occurs, by `OpenableIndex`.
    openable_counts: Vec<u64>,
}

/// The counts below which pretokens and fragments were left out, if any. The model records them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountThresholds {
    /// The smallest count of a pretoken.
    pub min_pretoken_count: Option<u64>,
    /// The smallest count of a fragment.
    pub min_fragment_count: Option<u64>,
}

impl LearnedMerges {
    /// Returns the pretokens that open at some time. Fragments name them by their index here.
    pub fn openable_pretokens(&self) -> impl Iterator<Item = &[u8]> {
        self.openable.tokens.iter().map(|&token| self.merges.tokens.bytes(token))
    }

    /// Returns the smallest count that a supermerge can have. Documents may be split between rarer
    /// neighbours.
    #[must_use]
    pub fn min_supermerge_count(&self) -> u64 {
        self.merges.min_supermerge_count
    }

    /// Whether documents may be split between rare neighbours.
    #[must_use]
    pub fn may_split_rare_neighbours(&self) -> bool {
        !self.base.as_deref().is_some_and(has_supermerges)
    }

    /// Returns an empty collection of fragments.
    ///
    /// # Errors
    /// When no temporary file can be written.
    pub fn fragment_sums(&self) -> Result<FragmentSums, Error> {
        let (openable, unused) = (self.openable.tokens.clone(), self.openable_counts.clone());
        Ok(FragmentSums { openable, unused, writer: RunWriter::new()? })
    }

    /// Learns supermerges on fragments, and returns the model. Without fragments, it has no
    /// supermerges. An extended model keeps the special tokens of its base.
    ///
    /// Returns `None` if documents were split between rare neighbours and must not be. The
    /// fragments have to be counted again then, without splitting there.
    ///
    /// # Errors
    /// When the memory limit is too low, the job is interrupted, or the special tokens contradict
    /// each other.
    pub fn finish(
        &mut self,
        fragments: Option<CountedFragments>,
        special_tokens: Vec<String>,
        thresholds: CountThresholds,
        resources: Resources,
        control: &Control,
    ) -> Result<Option<Model>, Error> {
        let rules = if let Some(fragments) = fragments {
            let context = TrainingContext { parameters: &self.parameters, resources, control };
            let CountedFragments { sums, splits_rare_neighbours } = fragments;
            let fragments = Fragments::from_sums(sums.writer.finish()?, splits_rare_neighbours);
            let (merges, openable) = (&mut self.merges, &self.openable);
            match &self.base {
                Some(base) => learn_on_fragments_after(base, fragments, merges, openable, &context),
                None => learn_on_fragments(fragments, merges, openable, &context),
            }?
        } else {
            Some(self.merges.rules())
        };
        let Some(rules) = rules else { return Ok(None) };
        let learned = LearnedRules { tokens: self.merges.tokens.clone(), rules };
        let CountThresholds { min_pretoken_count, min_fragment_count } = thresholds;
        let training = Training { min_pretoken_count, min_fragment_count, ..self.training };
        let parameters = self.parameters.clone();
        if let Some(base) = &self.base {
            return extend::append_learned(base, parameters, &learned, training).map(Some);
        }
        let (tokens, rules) = learned.index_tokens();
        Model::new(parameters, tokens, rules, special_tokens, training).map(Some)
    }
}

/// Collects distinct fragments with their counts.
pub struct FragmentSums {
    /// The tokens of the openable pretokens, by `OpenableIndex`.
    openable: Vec<TrainingToken>,
    /// How often each of them occurs outside the fragments that were added.
    unused: Vec<u64>,
    writer: RunWriter,
}

/// All fragments of a corpus, and how its documents were split.
pub struct CountedFragments {
    /// The fragments with their counts.
    pub sums: FragmentSums,
    /// Whether documents were also split between rare neighbours.
    pub splits_rare_neighbours: bool,
}

impl FragmentSums {
    /// Adds a fragment, which was not added before, with its count. A fragment is the indices of
    /// openable pretokens, four bytes each, the lowest first.
    ///
    /// # Errors
    /// When the fragment or its count is invalid; when the temporary file cannot be written.
    pub fn add(&mut self, fragment: &[u8], count: u64) -> Result<(), Error> {
        let (indices, rest) = fragment.as_chunks();
        let refuse = |reason: &str| Err(Error::Counts { reason: reason.to_owned() });
        if !rest.is_empty() || indices.len() < 2 || count == 0 {
            return refuse("a fragment has fewer than two pretokens, or the count 0");
        }
        let mut tokens = Vec::with_capacity(fragment.len());
        for &bytes in indices {
            let index = OpenableIndex(u32::from_le_bytes(bytes)).0 as usize;
            let Some(token) = self.openable.get(index) else {
                return refuse("a fragment contains an index that no openable pretoken has");
            };
            let Some(unused) = self.unused[index].checked_sub(count) else {
                return refuse("a pretoken occurs more often in fragments than it was counted");
            };
            self.unused[index] = unused;
            tokens.extend_from_slice(&token.0.to_le_bytes());
        }
        self.writer.push(&tokens, count)
    }
}
