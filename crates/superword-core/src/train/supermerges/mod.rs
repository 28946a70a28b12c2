//! Learning supermerges. They compete with the merges, which have been learned before.
//!
//! Limits keep this exact. Merges do not depend on supermerges, so they are the same with and
//! without a cap on superwords (`max_superwords`). Either way the vocabulary has at least the tokens
//! of the merges alone, so it is full no later than theirs: the merges that were learned are enough,
//! and no supermerge has a smaller count than all of them (`min_supermerge_count`).
//! Limits on tokens remove the same merges with and without supermerges, since they depend on the
//! bytes of a token alone, and a limit on words removes none.
//!
//! The files in reading order:
//!
//! 1. `openable`: the pretokens that open at some time, among which supermerges are learned;
//! 2. `cap`: which supermerges the cap on superwords leaves;
//! 3. `learner`: learns the rules on fragments of the documents;
//! 4. `extension`: learns supermerges after all rules of an existing model.

mod cap;
mod extension;
mod learner;
mod openable;

use crate::count::{
    AboveThreshold, CorpusPass, Fragments, PretokenCounts, RecordSplitter, Recorded,
};
use crate::error::Error;
use crate::model::Rule;
use crate::train::TrainingContext;
use crate::train::engine::TrainingToken;
use crate::train::learned_rules::LearnedRules;
use crate::train::merges::MergeSteps;

pub(crate) use extension::{has_supermerges, learn_after, learn_on_fragments_after};
use learner::SupermergeLearner;
pub(crate) use openable::{OpenableIndex, OpenablePretokens};

/// The subject of the error when fragments exceed the memory limit.
const FRAGMENT_MEMORY: &str = "the distinct fragments, and learning supermerges on them,";

/// Learns supermerges among the merges, until the vocabulary is full or pairs run out.
pub(crate) fn learn(
    pass: &CorpusPass,
    counts: PretokenCounts,
    mut merges: MergeSteps,
    context: &TrainingContext,
) -> Result<LearnedRules, Error> {
    if !context.parameters.supermerges {
        return Ok(LearnedRules { rules: merges.rules(), tokens: merges.tokens });
    }
    let openable = OpenablePretokens::new(&counts, &merges);
    let Recorded { bigrams, record } = counts.into_recorded().expect("it was recorded");
    let splitter = RecordSplitter::of_pretokens(&record, &openable.symbols);
    let threshold = merges.min_supermerge_count;
    let mut frequent = Some(AboveThreshold::new(&bigrams, threshold));
    loop {
        let fragments = splitter.count_fragments(pass, frequent.as_ref())?;
        if let Some(rules) = learn_on_fragments(fragments, &mut merges, &openable, context)? {
            return Ok(LearnedRules { tokens: merges.tokens, rules });
        }
        frequent = None;
    }
}

/// Learns supermerges on fragments, among the merges.
///
/// Returns `None` if documents were split between rare neighbours and must not be. That happens
/// when a superword spells a pretoken, or spells another superword in another way. Its pairs then
/// meet at several pairs of pretokens. Each of these may be too rare while their sum is not.
pub(crate) fn learn_on_fragments(
    fragments: Fragments,
    merges: &mut MergeSteps,
    openable: &OpenablePretokens,
    context: &TrainingContext,
) -> Result<Option<Vec<Rule<TrainingToken>>>, Error> {
    context.resources.budget().allow_fragments(fragments.cells(), FRAGMENT_MEMORY)?;
    let MergeSteps { tokens, steps, min_supermerge_count } = merges;
    let mut learner = SupermergeLearner::new(
        fragments,
        tokens,
        *min_supermerge_count,
        context.resources.threads,
    )?;
    for &token in &openable.from_start {
        learner.open(token);
    }
    learner.learn(steps, &openable.symbols, context)
}
