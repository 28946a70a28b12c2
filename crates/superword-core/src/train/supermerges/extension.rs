//! Learning supermerges after all rules of a model.
//!
//! No merges compete with them, so it is not known below which count none is chosen. A threshold is
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
use crate::train::engine::{TokenPair, TrainingToken, TrainingTokens, TrainingVocabulary};
use crate::train::learned_rules::LearnedRules;

/// Learns supermerges after the rules of `base`, until the vocabulary is full or pairs run out.
///
/// Returns the new rules only. The tokens of the model keep their numbers; new ones follow.
pub(crate) fn learn_after(
    base: &Model,
    pass: &CorpusPass,
    counts: PretokenCounts,
    context: &TrainingContext,
) -> Result<LearnedRules, Error> {
    let &TrainingContext { parameters, resources, .. } = context;
    let mut tokens = TrainingTokens::new();
    for rule in base.rules() {
        if let &Rule::Merge { left, right, .. } | &Rule::Supermerge { left, right, .. } = rule {
            tokens.join(training_pair(left, right));
        }
    }
    let known = tokens.len();
    let openings = rules_that_open(base);
    let mut openable = PretokenMap::new();
    let opened = openings.iter().flatten().copied().map(training_token);
    for token in TrainingToken::bytes().chain(opened) {
        let bytes = tokens.bytes(token);
        if counts.has_eligible(bytes) {
            openable.insert(bytes, FragmentSymbol::from(token));
        }
    }
    let bigrams = counts.into_bigrams();
    let vocab_size = parameters.vocab_size as usize;
    let add = vocab_size - base.vocab_size().min(vocab_size);
    let likely = bigrams.as_ref().map_or(0, |bigrams| bigrams.count_reached_by(add) / 2);
    let mut threshold = likely.max(parameters.min_count);
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
        match learner.learn(&[], &openable, &context)? {
            None => bigrams = None,
            Some(rules)
                if threshold == parameters.min_count || count_new_tokens(&rules, base) >= add =>
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
    for byte in TrainingToken::bytes() {
        if openable.find(learner.tokens.bytes(byte)).is_some() {
            learner.open(byte);
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
    learner.vocabulary = TrainingVocabulary::new();
    let indices = (0..base.token_count() as u32).map(TokenIndex);
    for index in indices.filter(|&index| base.id_of(index).is_some()) {
        learner.vocabulary.add(training_token(index));
    }
}

/// Returns the token of training with an index in the model. The two numbers are equal here,
/// because the tokens of the model come first.
fn training_token(index: TokenIndex) -> TrainingToken {
    TrainingToken(index.0)
}

fn training_pair(left: TokenIndex, right: TokenIndex) -> TokenPair {
    TokenPair { left: training_token(left), right: training_token(right) }
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
