//! Learning supermerges after all rules of a model.
//!
//! If no merges compete with them, it is not known below which count none is chosen. A threshold is
//! guessed. If supermerges run out above it, learning starts again with half the threshold.

use super::{FRAGMENT_MEMORY, SupermergeLearner};
use crate::count::{
    AboveThreshold, CorpusPass, FragmentSymbol, Fragments, OpenableSplitter, PretokenCounts,
    PretokenMap,
};
use crate::encode::rules_that_open;
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
    let &TrainingContext { parameters, resources, .. } = context;
    let min_supermerge_count = merges.as_ref().map(|merges| merges.min_supermerge_count);
    let (mut tokens, steps) = match merges {
        Some(MergeSteps { tokens, steps, .. }) => (tokens, steps),
        None => (BaseTokens::of(base).tokens, Vec::new()),
    };
    let known = tokens.len();
    let openings = rules_that_open(base);
    let mut openable = PretokenMap::new();
    let opened = openings.iter().flatten().copied().map(training_token);
    let opened_later = steps.iter().filter(|step| step.opens).map(|step| step.token);
    for token in open_from_start(base).chain(opened).chain(opened_later) {
        let bytes = tokens.bytes(token);
        if counts.has_eligible(bytes) && openable.find(bytes).is_none() {
            openable.insert(bytes, FragmentSymbol::from(token));
        }
    }
    let bigrams = counts.into_bigrams();
    let vocab_size = parameters.vocab_size as usize;
    let add = vocab_size - base.vocab_size().min(vocab_size);
    let likely = || bigrams.as_ref().map_or(0, |bigrams| bigrams.count_reached_by(add) / 2);
    let mut threshold = min_supermerge_count.unwrap_or_else(likely).max(parameters.min_count);
    // The supermerges of the model are performed however rare they are here.
    let mut bigrams = bigrams.filter(|_| !base.rules().iter().any(is_supermerge));
    loop {
        let frequent = bigrams.as_ref().map(|bigrams| AboveThreshold { bigrams, threshold });
        let splitter =
            OpenableSplitter { pattern: base.pattern(), openable: &openable, bigrams: frequent };
        let fragments = Fragments::count(pass, &splitter)?;
        resources.budget().allow_fragments(fragments.cells(), FRAGMENT_MEMORY)?;
        let mut learner = SupermergeLearner::new(fragments, &mut tokens, threshold)?;
        replay(base, &openings, &openable, &mut learner);
        let vocab_size = (learner.vocabulary.size() + add) as u32;
        let extended = Parameters { vocab_size, ..parameters.clone() };
        let context = TrainingContext { parameters: &extended, ..*context };
        match learner.learn(&steps, &openable, &context)? {
            None => bigrams = None,
            Some(rules)
                if min_supermerge_count.is_some()
                    || threshold == parameters.min_count
                    || count_new_tokens(&rules, base) >= add =>
            {
                return Ok(LearnedRules { tokens, rules });
            }
            Some(_) => threshold = (threshold / 2).max(parameters.min_count),
        }
        tokens.truncate(known);
    }
}

/// Performs the rules of a model. Of merges and deletions only the pretokens that they open and
/// close matter; `openings` has the token that each rule opens.
fn replay(
    base: &Model,
    openings: &[Option<TokenIndex>],
    openable: &PretokenMap<FragmentSymbol>,
    learner: &mut SupermergeLearner,
) {
    for token in open_from_start(base) {
        if openable.find(learner.tokens.bytes(token)).is_some() {
            learner.open(token);
        }
    }
    for (rule, opens) in base.rules().iter().zip(openings) {
        match *rule {
            Rule::Merge { .. } => {
                if let Some(token) = *opens {
                    learner.open(training_token(token));
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

/// Returns the tokens that a pretoken may be before the first rule.
fn open_from_start(base: &Model) -> impl Iterator<Item = TrainingToken> + use<> {
    TrainingToken::bytes().chain(base.lookup_tokens().map(training_token))
}

fn is_supermerge(rule: &Rule) -> bool {
    matches!(rule, Rule::Supermerge { .. })
}

/// Returns how many tokens rules make that are not in the vocabulary of a model.
fn count_new_tokens(rules: &[Rule<TrainingToken>], base: &Model) -> usize {
    let mut made: Vec<TrainingToken> = rules.iter().map(Rule::token).collect();
    made.retain(|&token| base.id_of(TokenIndex(token.0)).is_none());
    made.sort_unstable();
    made.dedup();
    made.len()
}
