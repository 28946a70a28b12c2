//! Learning merges step by step.

use super::deletion::TokenDeleter;
use super::pretoken_sequence::PretokenSequence;
use super::{DeletedToken, MergeStep, MergeSteps};
use crate::control::Stage;
use crate::count::PretokenCounts;
use crate::encode::PretokenRules;
use crate::error::Error;
use crate::model::{Model, Parameters};
use crate::train::TrainingContext;
use crate::train::base_tokens::BaseTokens;
use crate::train::engine::{
    Candidate, PairEngine, RecountOptions, TokenJoin, TokenOccurrences, TokenPair, TrainingToken,
    TrainingTokens, TrainingVocabulary,
};
use crate::train::token_filter::TokenFilter;

/// How far below the largest count the floor of the kept pairs may be.
const MAX_FLOOR_DIVISOR: u64 = 1 << 13;

/// How far the largest count stays above the floor. Below the floor only upper bounds of counts are
/// known. The looser they are, the more often pairs have to be counted.
const MIN_FLOOR_DIVISOR: u64 = 4;

/// The state of learning.
pub(super) struct MergeLearner<'c> {
    context: &'c TrainingContext<'c>,
    /// `MAX_FLOOR_DIVISOR`, except in tests.
    max_floor_divisor: u64,
    tokens: TrainingTokens,
    vocabulary: TrainingVocabulary,
    engine: PairEngine<PretokenSequence>,
    /// The count of each token.
    counts: Vec<u64>,
    deleter: Option<TokenDeleter>,
    filter: TokenFilter,
}

impl<'c> MergeLearner<'c> {
    pub(super) fn new(
        counts: &PretokenCounts,
        context: &'c TrainingContext<'c>,
    ) -> Result<MergeLearner<'c>, Error> {
        let mut sequence = PretokenSequence::with_capacity(counts.bytes(), counts.distinct());
        let mut byte_counts = vec![0; 256];
        counts.for_each(|pretoken, count| {
            sequence.push(pretoken, count);
            for &byte in pretoken {
                byte_counts[byte as usize] += count;
            }
        });
        let threads = context.resources.threads;
        Ok(MergeLearner {
            context,
            max_floor_divisor: MAX_FLOOR_DIVISOR,
            tokens: TrainingTokens::new(),
            vocabulary: TrainingVocabulary::new(),
            // The floor is above every count, so pairs are counted when the first one is chosen.
            engine: PairEngine::new(sequence, TokenOccurrences::new(false), u64::MAX, threads),
            counts: byte_counts,
            deleter: context.parameters.deletion.map(TokenDeleter::new),
            filter: TokenFilter::new(&context.parameters.limits)?,
        })
    }

    /// Creates a learner that goes on after all rules of a model, and deletes nothing. Of these rules,
    /// those apply that apply to a pretoken that stands alone. The vocabulary is that of the model.
    pub(super) fn after(
        base: &Model,
        counts: &PretokenCounts,
        context: &'c TrainingContext<'c>,
    ) -> Result<MergeLearner<'c>, Error> {
        let BaseTokens { tokens, vocabulary } = BaseTokens::of(base);
        let mut sequence = PretokenSequence::with_capacity(counts.bytes(), counts.distinct());
        for (number, bytes) in (0..).map(TrainingToken).zip(tokens.iter()) {
            sequence.set_length(number, bytes.len());
        }
        let mut token_counts = vec![0; tokens.len()];
        let mut rules = PretokenRules::new(base);
        let mut made = Vec::new();
        counts.for_each(|pretoken, count| {
            made.clear();
            made.extend(rules.apply(pretoken).map(|token| TrainingToken(token.0)));
            for token in &made {
                token_counts[token.index()] += count;
            }
            sequence.push_tokens(&made, count);
        });
        let mut occurrences = TokenOccurrences::new(false);
        occurrences.list(&sequence, |token| !token.is_byte());
        Ok(MergeLearner {
            context,
            max_floor_divisor: MAX_FLOOR_DIVISOR,
            tokens,
            vocabulary,
            engine: PairEngine::new(sequence, occurrences, u64::MAX, context.resources.threads),
            counts: token_counts,
            deleter: None,
            filter: TokenFilter::new(&context.parameters.limits)?,
        })
    }

    /// Learns until the vocabulary is full or pairs run out.
    pub(super) fn learn(mut self) -> Result<MergeSteps, Error> {
        let &TrainingContext { parameters, resources, control } = self.context;
        let mut steps = Vec::new();
        let mut is_exhausted = false;
        while self.vocabulary.size() < parameters.vocab_size as usize {
            if steps.len().is_multiple_of(64) {
                control.report(Stage::Merges, self.vocabulary.size() as u64)?;
            }
            let Some(step) = self.step()? else {
                is_exhausted = true;
                break;
            };
            steps.push(step);
            if resources.verifies_after(steps.len()) {
                self.engine.verify();
            }
        }
        control.report(Stage::Merges, self.vocabulary.size() as u64)?;
        let smallest = steps.iter().map(|step| step.count).min();
        let min_supermerge_count =
            smallest.filter(|_| !is_exhausted).unwrap_or(parameters.min_count);
        Ok(MergeSteps { tokens: self.tokens, steps, min_supermerge_count })
    }

    /// Performs one step, a merge and its deletions. Returns `None` when no pair is frequent
    /// enough.
    fn step(&mut self) -> Result<Option<MergeStep>, Error> {
        let Some(best) = self.best()? else { return Ok(None) };
        let Candidate { pair, count } = best;
        let TokenPair { left, right } = pair;
        let token = self.tokens.join(pair);
        self.engine.sequence.set_length(token, self.tokens.bytes(token).len());
        self.counts.resize(self.tokens.len(), 0);
        let counts_before = [left, right].map(|token| self.counts[token.index()]);
        let is_new = self.counts[token.index()] == 0;
        let join = TokenJoin { pair, token };
        let summary = self.engine.join_best(best, &join, &self.tokens, is_new);
        self.counts[left.index()] -= count;
        self.counts[right.index()] -= count;
        self.counts[token.index()] += count;
        self.vocabulary.add(token);
        self.engine.occurrences.add(token, summary.occurrences);
        let deletions = self.delete_parts(&join, count, counts_before);
        Ok(Some(MergeStep { pair, token, count, opens: summary.fills_span, deletions }))
    }

    /// Deletes the tokens of a pair that hardly occur without the token that was made of them.
    fn delete_parts(
        &mut self,
        join: &TokenJoin,
        count: u64,
        counts_before: [u64; 2],
    ) -> Vec<DeletedToken> {
        let Some(deleter) = &mut self.deleter else { return Vec::new() };
        deleter.record_merge(join.pair, join.token);
        let mut deletions: Vec<DeletedToken> = Vec::new();
        for (token, before) in [join.pair.left, join.pair.right].into_iter().zip(counts_before) {
            // Two equal halves are considered once.
            if token.is_byte()
                || intersection_over_self(count, before) < self.context.parameters.tau
                || deletions.iter().any(|deleted| deleted.token == token)
            {
                continue;
            }
            let parts = deleter.delete(token, &mut self.engine, &self.tokens, &mut self.counts);
            self.vocabulary.remove(token);
            deletions.push(DeletedToken { token, parts });
        }
        deletions
    }

    /// Returns the most frequent pair that is allowed, if one is frequent enough. Recounts when the
    /// floor is too high to tell.
    fn best(&mut self) -> Result<Option<Candidate>, Error> {
        // Pairs that are not allowed stay frequent, so the new floor may be just as far below the
        // best allowed pair. Then everything would be counted again after each step.
        let distance = if self.filter.allows_all() { MIN_FLOOR_DIVISOR } else { 1 };
        loop {
            let allows = |pair| self.filter.allows(&self.tokens, pair);
            let best = self.engine.best(&self.tokens, allows)?;
            let floor = self.engine.pairs.floor();
            if floor <= self.context.parameters.min_count {
                return Ok(best);
            }
            match best {
                Some(best) if best.count >= floor.saturating_mul(distance) => {
                    return Ok(Some(best));
                }
                Some(best) => self.recount(best.count),
                // No pair is more frequent than the most frequent token.
                None => self.recount(self.counts.iter().max().copied().unwrap_or(0).min(floor)),
            }
        }
    }

    /// Lowers the floor. No pair is more frequent than `largest`.
    fn recount(&mut self, largest: u64) {
        let &Parameters { min_count, vocab_size, .. } = self.context.parameters;
        let [lowest, highest] = [self.max_floor_divisor, MIN_FLOOR_DIVISOR]
            .map(|divisor| (largest / divisor).max(min_count));
        let options = RecountOptions {
            floors: lowest..=highest,
            wanted: vocab_size as usize - self.vocabulary.size(),
            threads: self.context.resources.threads,
        };
        self.engine.recount(&self.tokens, &options);
    }
}

/// Returns the share of a token's occurrences that a merge takes. Both counts are from before the
/// merge.
#[expect(clippy::cast_precision_loss, reason = "the definition divides doubles")]
fn intersection_over_self(pair_count: u64, token_count: u64) -> f64 {
    pair_count as f64 / token_count as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::control::Control;
    use crate::model::{Deletion, RuleLimits};
    use crate::train::Resources;

    fn parameters(deletion: Option<Deletion>, vocab_size: u32) -> Parameters {
        let (supermerges, tau) = (false, 0.5);
        Parameters { supermerges, deletion, tau, vocab_size, ..Parameters::default() }
    }

    /// Returns the steps in bytes, with their counts and deletions.
    fn learn_steps(
        counts: &PretokenCounts,
        parameters: &Parameters,
        max_floor_divisor: u64,
        threads: usize,
    ) -> Vec<String> {
        let control = Control { progress: &|_, _| (), is_interrupted: &|| false };
        let resources = Resources { threads, memory_limit: None, verify_every: Some(1) };
        let context = TrainingContext { parameters, resources, control: &control };
        let mut learner = MergeLearner::new(counts, &context).expect("no regex");
        learner.max_floor_divisor = max_floor_divisor;
        let MergeSteps { tokens, steps, .. } = learner.learn().expect("nothing interrupts it");
        let text = |token| String::from_utf8_lossy(tokens.bytes(token));
        let describe = |step: &MergeStep| {
            let MergeStep { pair: TokenPair { left, right }, count, .. } = *step;
            let deleted: Vec<_> = step.deletions.iter().map(|token| text(token.token)).collect();
            format!("{} {} {count} {deleted:?}", text(left), text(right))
        };
        steps.iter().map(describe).collect()
    }

    #[test]
    fn counts_beyond_32_bits_keep_their_order() {
        let (large, larger) = ((1 << 32) + 1, (1 << 33) + 1);
        let counts = PretokenCounts::from_counts([("ab", large), ("cd", larger), ("ef", 5)]);
        let expected =
            [format!("c d {larger} []"), format!("a b {large} []"), "e f 5 []".to_owned()];
        assert_eq!(learn_steps(&counts, &parameters(None, 300), MAX_FLOOR_DIVISOR, 1), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..Default::default() })]
        #[test]
        fn the_floor_does_not_change_the_steps(
            words in prop::collection::vec(("[ab]{1,9}|[a-d]{1,6}", 1_u64..300), 1..30),
            mode in 0..3_usize,
            max_token_bytes in prop::option::of(1..9_u32),
        ) {
            let words = words.iter().map(|(word, count)| (word.as_str(), *count));
            let counts = PretokenCounts::from_counts(words);
            let deletion = [None, Some(Deletion::Bytes), Some(Deletion::Pair)][mode];
            let limits = RuleLimits { max_token_bytes, ..RuleLimits::default() };
            let parameters = Parameters { limits, ..parameters(deletion, 400) };
            let all = learn_steps(&counts, &parameters, u64::MAX, 1);
            let learn = |threads| learn_steps(&counts, &parameters, MIN_FLOOR_DIVISOR, threads);
            prop_assert_eq!(&learn(1), &all);
            prop_assert_eq!(&learn(3), &all);
        }
    }
}
