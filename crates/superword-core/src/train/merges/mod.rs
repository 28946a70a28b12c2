//! Learning merges, and the deletions that follow them, on distinct pretokens with their counts.
//!
//! By definition (docs/algorithm.md) the counts that decide about merges take every pretoken as
//! standing alone. So supermerges play no role here, and the counted pretokens are all there is to
//! know.
//!
//! `learner` learns the steps, on a `pretoken_sequence`; `deletion` splits a deleted token.

mod deletion;
mod learner;
mod pretoken_sequence;

use std::iter;

use crate::count::PretokenCounts;
use crate::error::Error;
use crate::model::{Model, Rule};
use crate::train::TrainingContext;
use crate::train::base_tokens::BaseTokens;
use crate::train::engine::{TokenPair, TrainingToken, TrainingTokens};
use learner::MergeLearner;

/// One merge and the deletions that follow it.
pub(crate) struct MergeStep {
    pub(crate) pair: TokenPair,
    pub(crate) token: TrainingToken,
    pub(crate) count: u64,
    /// Whether the merge makes the pretoken that the token spells one token.
    pub(crate) opens: bool,
    pub(crate) deletions: Vec<DeletedToken>,
}

/// A token that was deleted, and its parts.
pub(crate) struct DeletedToken {
    pub(crate) token: TrainingToken,
    pub(crate) parts: Box<[TrainingToken]>,
}

impl MergeStep {
    /// Returns the rule of the merge.
    pub(crate) fn rule(&self) -> Rule<TrainingToken> {
        let MergeStep { pair: TokenPair { left, right }, token, count, .. } = *self;
        Rule::Merge { left, right, token, count }
    }

    /// Returns the rules of the merge and the deletions.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Rule<TrainingToken>> {
        iter::once(self.rule()).chain(self.deletions.iter().map(DeletedToken::rule))
    }
}

impl DeletedToken {
    /// Returns the rule of the deletion.
    pub(crate) fn rule(&self) -> Rule<TrainingToken> {
        Rule::Delete { token: self.token, parts: self.parts.clone() }
    }
}

/// The merges that were learned.
pub(crate) struct MergeSteps {
    pub(crate) tokens: TrainingTokens,
    pub(crate) steps: Vec<MergeStep>,
    /// No supermerge with a smaller count will be chosen: this is the smallest count of a step, or
    /// `min_count` if pairs ran out.
    pub(crate) min_supermerge_count: u64,
}

impl MergeSteps {
    /// Learns merges until the vocabulary is full or pairs run out.
    pub(crate) fn learn(
        counts: &PretokenCounts,
        context: &TrainingContext,
    ) -> Result<MergeSteps, Error> {
        MergeLearner::new(counts, context)?.learn()
    }

    /// Learns merges after all rules of a model, until the vocabulary is full or pairs run out.
    pub(crate) fn learn_after(
        base: &Model,
        counts: &PretokenCounts,
        context: &TrainingContext,
    ) -> Result<MergeSteps, Error> {
        MergeLearner::after(base, counts, context)?.learn()
    }

    /// Returns no merges after the rules of a model.
    pub(crate) fn none_after(base: &Model, min_supermerge_count: u64) -> MergeSteps {
        MergeSteps { tokens: BaseTokens::of(base).tokens, steps: Vec::new(), min_supermerge_count }
    }

    /// Returns the rules of all steps.
    pub(crate) fn rules(&self) -> Vec<Rule<TrainingToken>> {
        self.steps.iter().flat_map(MergeStep::rules).collect()
    }
}
