//! Learning the merges of a second stage (`SuperBPE`).
//!
//! The documents are split anew into long pretokens, the merges of the first stage are applied, and
//! learning goes on from there. It works on fragments of the long pretokens, split between tokens
//! that are neighbours less often than a threshold; `count::record` says why that is exact. If
//! learning needs pairs below the threshold, it starts again with half of it.
//!
//! The first stage is applied by an [`Encoder`]. An encoder takes its rules, pattern and ids from a
//! [`Model`], so one is built of the merges so far; it does not leave this file.

use crate::control::Stage;
use crate::count::{
    AboveThreshold, BigramCounts, CorpusPass, Fragments, RecordSplitter, Recorded, record_tokens,
};
use crate::encode::Encoder;
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, TokenIndex, Training};
use crate::platform::huge_pages;
use crate::pretokenize::Pattern;
use crate::train::TrainingContext;
use crate::train::engine::{
    Candidate, FragmentSequence, PairEngine, RecountOptions, TokenJoin, TokenOccurrences,
    TokenPair, TrainingToken, TrainingTokens,
};
use crate::train::learned_rules::LearnedRules;
use crate::train::merges::MergeSteps;
use crate::train::token_filter::TokenFilter;
use crate::train::word_counts::count_pretokens_in;

/// The subject of the error when fragments exceed the memory limit.
const FRAGMENT_MEMORY: &str = "the distinct fragments, and learning merges on them,";

/// Learns merges after those of the first stage, until the vocabulary is full or pairs run out.
pub(crate) fn learn(
    pass: &CorpusPass,
    merges: MergeSteps,
    context: &TrainingContext,
) -> Result<LearnedRules, Error> {
    // If n rules remain, the threshold starts at half the count of the n-th most frequent pair.
    let likely = |bigrams: &BigramCounts, wanted| bigrams.count_reached_by(wanted) / 2;
    learn_from(pass, merges, context, likely)
}

/// Learns merges, starting with the threshold that `first_threshold` returns.
fn learn_from(
    pass: &CorpusPass,
    merges: MergeSteps,
    context: &TrainingContext,
    first_threshold: impl FnOnce(&BigramCounts, usize) -> u64,
) -> Result<LearnedRules, Error> {
    let &TrainingContext { parameters, resources, .. } = context;
    let mut rules = merges.rules();
    let MergeSteps { mut tokens, .. } = merges;
    let known = tokens.len();
    let vocab_size = parameters.vocab_size as usize;
    if known >= vocab_size {
        return Ok(LearnedRules { tokens, rules });
    }
    let encoder = first_stage_encoder(&tokens, &rules, parameters)?;
    let Recorded { bigrams, record } = record_tokens(pass, &encoder)?;
    drop(encoder);
    let splitter = RecordSplitter::of_tokens(&record, known as u32);
    let mut threshold = first_threshold(&bigrams, vocab_size - known).max(parameters.min_count);
    loop {
        let frequent = AboveThreshold::new(&bigrams, threshold);
        let fragments = splitter.count_fragments(pass, Some(&frequent))?;
        resources.budget().allow_fragments(fragments.cells(), FRAGMENT_MEMORY)?;
        let learner =
            SecondStageLearner::new(fragments, &mut tokens, threshold, resources.threads)?;
        let more = learner.learn(context)?;
        huge_pages::release();
        if tokens.len() == vocab_size || threshold == parameters.min_count {
            rules.extend(more);
            return Ok(LearnedRules { tokens, rules });
        }
        tokens.truncate(known);
        threshold = (threshold / 2).max(parameters.min_count);
    }
}

/// Builds the encoder of the first stage, with the pattern of the second. Its token numbers are
/// those of training: both number tokens in the order in which rules make them.
fn first_stage_encoder(
    tokens: &TrainingTokens,
    rules: &[Rule<TrainingToken>],
    parameters: &Parameters,
) -> Result<Encoder, Error> {
    let bytes = tokens.iter().map(Box::from).collect();
    let rules = rules.iter().cloned();
    let rules = rules.map(|rule| rule.renumber(|token| TokenIndex(token.0))).collect();
    let training = Training::default();
    Encoder::new(&Model::new(parameters.clone(), bytes, rules, Vec::new(), training)?)
}

/// The state of learning.
struct SecondStageLearner<'t> {
    tokens: &'t mut TrainingTokens,
    engine: PairEngine<FragmentSequence>,
    rules: Vec<Rule<TrainingToken>>,
}

impl<'t> SecondStageLearner<'t> {
    fn new(
        fragments: Fragments,
        tokens: &'t mut TrainingTokens,
        threshold: u64,
        threads: usize,
    ) -> Result<SecondStageLearner<'t>, Error> {
        let sequence = FragmentSequence::new(fragments, true)?;
        // Each token is made by one rule, so no pair grows and none has to be searched for. The
        // occurrences of tokens are not needed.
        let occurrences = TokenOccurrences::new(true);
        let mut engine = PairEngine::new(sequence, occurrences, threshold, threads);
        let options = RecountOptions { floors: threshold..=threshold, wanted: 0, threads };
        engine.recount(tokens, &options);
        Ok(SecondStageLearner { tokens, engine, rules: Vec::new() })
    }

    /// Learns until the vocabulary is full, or no pair reaches the threshold.
    fn learn(mut self, context: &TrainingContext) -> Result<Vec<Rule<TrainingToken>>, Error> {
        let &TrainingContext { parameters, resources, control } = context;
        let filter = TokenFilter::new(&parameters.limits)?;
        let words = Pattern::new(&parameters.pattern)?;
        let has_few_words = |tokens: &TrainingTokens, pair: TokenPair| {
            let Some(max_words) = parameters.limits.max_words else { return Ok(true) };
            let token = [tokens.bytes(pair.left), tokens.bytes(pair.right)].concat();
            Ok::<bool, Error>(count_pretokens_in(&token, &words)? <= max_words)
        };
        while self.tokens.len() < parameters.vocab_size as usize {
            if self.rules.len().is_multiple_of(64) {
                control.report(Stage::Merges, self.tokens.len() as u64)?;
            }
            let allows =
                |pair| Ok(filter.allows(self.tokens, pair)? && has_few_words(self.tokens, pair)?);
            let Some(best) = self.engine.best(self.tokens, allows)? else { break };
            self.merge(best);
            if resources.verifies_after(self.rules.len()) {
                self.engine.verify();
            }
        }
        control.report(Stage::Merges, self.tokens.len() as u64)?;
        Ok(self.rules)
    }

    fn merge(&mut self, best: Candidate) {
        let Candidate { pair, count } = best;
        let TokenPair { left, right } = pair;
        let known = self.tokens.len();
        let token = self.tokens.join(pair);
        assert_eq!(token.index(), known, "a token must be made by one rule only");
        self.engine.join_best(best, &TokenJoin { pair, token }, self.tokens, true);
        self.rules.push(Rule::Merge { left, right, token, count });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::control::Control;
    use crate::corpus::{Memory, ReadOptions};
    use crate::count::count_pretokens;
    use crate::model::SecondStage;
    use crate::pretokenize::Splitter;
    use crate::train::Resources;

    /// Returns the rules in bytes, with their counts, when this threshold is tried first.
    fn learn_rules(documents: &[String], parameters: &Parameters, threshold: u64) -> Vec<String> {
        let corpus: Memory = documents.iter().collect();
        let control = Control { progress: &|_, _| (), is_interrupted: &|| false };
        let resources = Resources { threads: 1, memory_limit: None, verify_every: Some(1) };
        let context = TrainingContext { parameters, resources, control: &control };
        let stage = parameters.second_stage.as_ref().expect("a second stage");
        let first_stage = Parameters { vocab_size: stage.transition, ..parameters.clone() };
        let splitter = Splitter::new(&parameters.pattern, &parameters.eligible).expect("regexes");
        let pass = resources.pass(&corpus, ReadOptions::whole_documents(1), 0, &control);
        let counts = count_pretokens(&pass, &splitter, false).expect("counts");
        let first_context = TrainingContext { parameters: &first_stage, ..context };
        let merges = MergeSteps::learn(&counts, &first_context).expect("merges");
        let pass = CorpusPass { expected: Some(counts.totals), ..pass };
        let learned = learn_from(&pass, merges, &context, |_, _| threshold);
        let LearnedRules { tokens, rules } = learned.expect("rules");
        let text = |token| String::from_utf8_lossy(tokens.bytes(token));
        let describe = |rule: &Rule<_>| match *rule {
            Rule::Merge { left, right, count, .. } => {
                format!("{} {} {count}", text(left), text(right))
            }
            _ => "no merge".to_owned(),
        };
        rules.iter().map(describe).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 100,
            failure_persistence: None,
            ..Default::default()
        })]
        /// A threshold of 1 keeps all neighbours together.
        #[test]
        fn the_threshold_does_not_change_the_rules(
            documents in prop::collection::vec("[ab]{1,40}|[ab ]{1,60}|(ab|ba|abb| a){1,20}", 1..8),
            pattern in select(vec!["ab|.", "(?<=b)a+b?|.", " ?[a-z]+|.", "(?s).{1,2}", "gpt2"]),
            transition in 256..275_u32,
            more in 1..40_u32,
        ) {
            let parameters = Parameters {
                pattern: pattern.to_owned(),
                supermerges: false,
                deletion: None,
                min_count: 1,
                vocab_size: transition + more,
                second_stage: Some(SecondStage { transition, pattern: "(?s).+".to_owned() }),
                ..Parameters::default()
            };
            let unsplit = learn_rules(&documents, &parameters, 1);
            for threshold in [2, 3, 5, 11, 30] {
                let rules = learn_rules(&documents, &parameters, threshold);
                prop_assert_eq!(&rules, &unsplit, "{}", threshold);
            }
        }
    }
}
