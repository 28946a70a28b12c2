//! Learning supermerges after all rules of a model.
//!
//! If no merges compete with them, it is not known below which count none is chosen. A threshold is
//! guessed. If supermerges run out above it, learning starts again with half the threshold.

use super::{FRAGMENT_MEMORY, OpenablePretokens, SupermergeLearner};
use crate::count::{
    AboveThreshold, CorpusPass, Fragments, PretokenCounts, RecordSplitter, Recorded,
};
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, TokenIndex};
use crate::train::TrainingContext;
use crate::train::base_tokens::{BaseTokens, training_pair, training_token};
use crate::train::engine::TrainingToken;
use crate::train::learned_rules::LearnedRules;
use crate::train::merges::MergeSteps;

/// Learns supermerges after the rules of `base`, among the merges that were learned after them, until
/// the vocabulary is full or pairs run out.
///
/// Without merges, the threshold is guessed. With merges it is known, as in training.
///
/// Returns the new rules only. The tokens of the model keep their numbers; new ones follow.
pub(crate) fn learn_after(
    base: &Model,
    pass: &CorpusPass,
    counts: PretokenCounts,
    merges: Option<MergeSteps>,
    context: &TrainingContext,
) -> Result<LearnedRules, Error> {
    let parameters = context.parameters;
    let min_supermerge_count = merges.as_ref().map(|merges| merges.min_supermerge_count);
    let mut merges = merges.unwrap_or_else(|| MergeSteps::none_after(base, 0));
    let known = merges.tokens.len();
    let openable = OpenablePretokens::after(base, &counts, &merges);
    let Recorded { bigrams, record } = counts.into_recorded().expect("it was recorded");
    let splitter = RecordSplitter::of_pretokens(&record, &openable.symbols);
    let add = count_missing_tokens(base, parameters);
    let likely = || bigrams.count_reached_by(add) / 2;
    let mut threshold = min_supermerge_count.unwrap_or_else(likely).max(parameters.min_count);
    let mut splits_rare_neighbours = !has_supermerges(base);
    loop {
        let frequent = splits_rare_neighbours.then(|| AboveThreshold::new(&bigrams, threshold));
        let fragments = splitter.count_fragments(pass, frequent.as_ref())?;
        merges.min_supermerge_count = threshold;
        match learn_on_fragments_after(base, fragments, &mut merges, &openable, context)? {
            None => splits_rare_neighbours = false,
            Some(rules)
                if min_supermerge_count.is_some()
                    || threshold == parameters.min_count
                    || count_new_tokens(&rules, base) >= add =>
            {
                return Ok(LearnedRules { tokens: merges.tokens, rules });
            }
            Some(_) => threshold = (threshold / 2).max(parameters.min_count),
        }
        merges.tokens.truncate(known);
    }
}

/// Learns supermerges on fragments, after the rules of `base`, among the merges that were learned
/// after them.
///
/// Returns `None` if documents were split between rare neighbours and must not be, as
/// [`learn_on_fragments`](super::learn_on_fragments) does.
pub(crate) fn learn_on_fragments_after(
    base: &Model,
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
    replay(base, openable, &mut learner);
    let add = count_missing_tokens(base, context.parameters);
    let vocab_size = (learner.vocabulary.size() + add) as u32;
    let extended = Parameters { vocab_size, ..context.parameters.clone() };
    learner.learn(steps, &openable.symbols, &TrainingContext { parameters: &extended, ..*context })
}

/// Whether a model has supermerges. They are performed however rare they are in a corpus, so its
/// documents are not split between rare neighbours.
pub(crate) fn has_supermerges(base: &Model) -> bool {
    base.rules().iter().any(|rule| matches!(rule, Rule::Supermerge { .. }))
}

/// Returns the number of tokens to add.
fn count_missing_tokens(base: &Model, parameters: &Parameters) -> usize {
    (parameters.vocab_size as usize).saturating_sub(base.vocab_size())
}

/// Performs the rules of a model. Of merges and deletions only the pretokens that they open and
/// close matter.
fn replay(base: &Model, openable: &OpenablePretokens, learner: &mut SupermergeLearner) {
    for &token in &openable.from_start {
        learner.open(token);
    }
    for (rule, opens) in base.rules().iter().zip(&openable.opened_by_base) {
        match *rule {
            Rule::Merge { .. } => {
                if let Some(token) = *opens {
                    learner.open(token);
                }
            }
            Rule::Delete { token, .. } => learner.close(training_token(token)),
            Rule::Supermerge { left, right, token, .. } => {
                learner.replay_supermerge(training_pair(left, right), training_token(token));
            }
        }
    }
    learner.vocabulary = BaseTokens::of(base).vocabulary;
}

/// Returns how many tokens rules make that are not in the vocabulary of a model.
fn count_new_tokens(rules: &[Rule<TrainingToken>], base: &Model) -> usize {
    let mut made: Vec<TrainingToken> = rules.iter().map(Rule::token).collect();
    made.retain(|&token| base.id_of(TokenIndex(token.0)).is_none());
    made.sort_unstable();
    made.dedup();
    made.len()
}
