//! Learning merges, and the deletions that follow them, on distinct pretokens with counts.
//!
//! By their definition (docs/algorithm.md) the counts that decide here take every pretoken as
//! standing alone, so no supermerge plays a role, and counted pretokens are all there is to know.

mod deletion;
mod words;

use std::iter;

use crate::control::{Control, Stage};
use crate::count::Counted;
use crate::error::Error;
use crate::model::{Parameters, Rule};
use crate::train::Effort;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::{Pair, Pairs};
use crate::train::engine::replace::{Join, Replacer};
use crate::train::engine::sequence::{WeightClasses, check_size};
use crate::train::engine::token::{TokenId, Tokens};
use crate::train::engine::vocabulary::Vocabulary;
use deletion::Deletions;
use words::Words;

/// One merge and the deletions that follow it.
pub(crate) struct Step {
    pub(crate) left: TokenId,
    pub(crate) right: TokenId,
    pub(crate) token: TokenId,
    pub(crate) count: u64,
    /// Whether the pretoken that the token spells has become one token by it.
    pub(crate) opens: bool,
    /// The tokens deleted, with their parts.
    pub(crate) deletes: Vec<(TokenId, Box<[TokenId]>)>,
}

impl Step {
    /// The merge as a rule.
    pub(crate) fn rule(&self) -> Rule<TokenId> {
        let Step { left, right, token, count, .. } = *self;
        Rule::Merge { left, right, token, count }
    }

    /// The merge and the deletions as rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Rule<TokenId>> {
        let deletes = self.deletes.iter().cloned();
        iter::once(self.rule()).chain(deletes.map(|(token, parts)| Rule::Delete { token, parts }))
    }
}

/// What was learned.
pub(crate) struct Merges {
    pub(crate) tokens: Tokens,
    pub(crate) steps: Vec<Step>,
    /// No supermerge that is less frequent than this will ever be chosen: the smallest count of a
    /// step, or the smallest allowed if pairs ran out.
    pub(crate) bound: u64,
}

/// How far below the largest count pairs are kept at most.
const DEPTH: u64 = 1 << 13;

/// How far the largest count stays above the floor. Of pairs below it only a bound is known, and
/// the less that says, the more often they have to be looked up.
const CLEARANCE: u64 = 4;

/// How many bytes of memory learning takes for each byte of the distinct pretokens, and for each
/// of them: the cells, and places where pairs and tokens stand. Measured; see docs/training.md.
const MEMORY: u64 = 30;

/// How many bytes of memory learning takes, about.
pub(crate) fn memory(bytes: usize, pretokens: usize) -> u64 {
    MEMORY * (bytes + pretokens) as u64
}

/// Learns merges until the vocabulary is full or pairs run out.
pub(crate) fn learn(
    counted: &Counted,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Merges, Error> {
    check_size("the distinct pretokens", counted.bytes() + counted.distinct() + 1)?;
    let learner = Learner::new(counted, parameters, effort.threads);
    learner.learn(effort, control)
}

/// The state of learning.
struct Learner<'p> {
    parameters: &'p Parameters,
    threads: usize,
    /// `DEPTH`, but for tests.
    depth: u64,
    tokens: Tokens,
    vocabulary: Vocabulary,
    words: Words,
    weights: Vec<u64>,
    pairs: Pairs,
    replacer: Replacer,
    /// How often each token occurs.
    counts: Vec<u64>,
    occurrences: Occurrences,
    deletions: Option<Deletions>,
}

impl<'p> Learner<'p> {
    fn new(counted: &Counted, parameters: &'p Parameters, threads: usize) -> Learner<'p> {
        let mut words = Words::new(counted.bytes(), counted.distinct());
        let mut classes = WeightClasses::default();
        let mut counts = vec![0; 256];
        counted.for_each(|bytes, count| {
            words.push(bytes, classes.of(count));
            for &byte in bytes {
                counts[byte as usize] += count;
            }
        });
        Learner {
            parameters,
            threads,
            depth: DEPTH,
            tokens: Tokens::new(),
            vocabulary: Vocabulary::new(),
            words,
            weights: classes.values,
            // Above every count, so that the first look for a pair counts them.
            pairs: Pairs::new(u64::MAX),
            replacer: Replacer::default(),
            counts,
            occurrences: Occurrences::new(false),
            deletions: parameters.deletion.map(Deletions::new),
        }
    }

    fn learn(mut self, effort: Effort, control: &Control) -> Result<Merges, Error> {
        let mut steps = Vec::new();
        let mut is_exhausted = false;
        while self.vocabulary.size() < self.parameters.vocab_size as usize {
            if steps.len().is_multiple_of(64) {
                control.report(Stage::Merges, self.vocabulary.size() as u64)?;
            }
            let Some(step) = self.step() else {
                is_exhausted = true;
                break;
            };
            steps.push(step);
            if effort.verify_every.is_some_and(|every| (steps.len() as u64).is_multiple_of(every)) {
                self.pairs.verify(&self.words, &self.weights);
            }
        }
        control.report(Stage::Merges, self.vocabulary.size() as u64)?;
        let smallest = steps.iter().map(|step| step.count).min();
        let bound = smallest.filter(|_| !is_exhausted).unwrap_or(self.parameters.min_count);
        Ok(Merges { tokens: self.tokens, steps, bound })
    }

    /// The most frequent pair, if one is frequent enough.
    fn best(&mut self) -> Option<(Pair, u64)> {
        loop {
            let row = (&self.words, self.weights.as_slice());
            let best = self.pairs.best(&self.tokens, row, &self.occurrences);
            let floor = self.pairs.floor();
            if floor <= self.parameters.min_count {
                return best;
            }
            match best {
                Some((_, count)) if count >= floor.saturating_mul(CLEARANCE) => return best,
                Some((_, count)) => self.recount(count),
                // No pair is more frequent than the most frequent token.
                None => self.recount(self.counts.iter().max().copied().unwrap_or(0).min(floor)),
            }
        }
    }

    /// Lowers the floor, when no pair reaches `largest`.
    fn recount(&mut self, largest: u64) {
        let [lowest, highest] =
            [self.depth, CLEARANCE].map(|below| (largest / below).max(self.parameters.min_count));
        let wanted = self.parameters.vocab_size as usize - self.vocabulary.size();
        let rows = (&self.words, self.weights.as_slice());
        self.pairs.recount(&self.tokens, rows, lowest..=highest, wanted, self.threads);
        // At first all tokens are bytes, and a list of them would be as large as everything.
        if self.tokens.len() > 256 {
            self.words.list_bytes(&mut self.occurrences);
        }
    }

    /// One step: a merge and its deletions.
    fn step(&mut self) -> Option<Step> {
        let (pair, count) = self.best()?;
        let Pair { left, right } = pair;
        let token = self.tokens.joined(left, right);
        self.words.learn(token, self.tokens.bytes(token).len());
        self.counts.resize(self.tokens.len(), 0);
        let before = [left, right].map(|token| self.counts[token as usize]);
        let changed = self.replacer.replace(
            &Join { pair, token },
            &self.pairs.take(pair),
            (&mut self.words, &self.weights),
            (&self.tokens, &mut self.pairs),
            self.counts[token as usize] == 0,
        );
        assert_eq!(changed.weight, count, "a merge must be made as often as it was counted");
        self.counts[left as usize] -= count;
        self.counts[right as usize] -= count;
        self.counts[token as usize] += count;
        self.vocabulary.add(token);
        self.occurrences.add(token, changed.places);
        let mut deletes = Vec::new();
        if let Some(deletions) = &mut self.deletions {
            deletions.merged(pair, token);
            for (part, before) in [left, right].into_iter().zip(before) {
                // Of equal halves the count is at most half of the token's; they are looked at
                // once all the same.
                if part < 256 || intersection_over_self(count, before) < self.parameters.tau {
                    continue;
                }
                if deletes.iter().any(|&(deleted, _)| deleted == part) {
                    continue;
                }
                let parts = deletions.delete(
                    part,
                    (&mut self.words, &self.weights),
                    (&self.tokens, &mut self.pairs),
                    &mut self.occurrences,
                    &mut self.counts,
                );
                self.vocabulary.remove(part);
                deletes.push((part, parts));
            }
        }
        Some(Step { left, right, token, count, opens: changed.is_row, deletes })
    }
}

/// Which share of a token's occurrences a merge takes, both as they were before it, as doubles.
#[expect(clippy::cast_precision_loss, reason = "the definition divides doubles")]
fn intersection_over_self(pair_count: u64, token_count: u64) -> f64 {
    pair_count as f64 / token_count as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Deletion;
    use crate::pretokenize::ELIGIBLE;

    const ONE_THREAD: Effort = Effort { threads: 1, memory_limit: None, verify_every: Some(1) };

    fn parameters(deletion: Option<Deletion>, vocab_size: u32) -> Parameters {
        let (pattern, eligible) = ("gpt2".to_owned(), ELIGIBLE.to_owned());
        let (supermerges, tau, min_count) = (false, 0.5, 2);
        let second_stage = None;
        Parameters {
            pattern,
            eligible,
            supermerges,
            deletion,
            tau,
            min_count,
            vocab_size,
            second_stage,
        }
    }

    /// The steps in bytes, with their counts and deletions.
    fn steps(
        counted: &Counted,
        parameters: &Parameters,
        depth: u64,
        threads: usize,
    ) -> Vec<String> {
        let mut learner = Learner::new(counted, parameters, threads);
        learner.depth = depth;
        let control = Control { progress: &|_, _| (), is_interrupted: &|| false };
        let merges = learner.learn(ONE_THREAD, &control).expect("nothing interrupts it");
        let text = |token| String::from_utf8_lossy(merges.tokens.bytes(token));
        let described = merges.steps.iter().map(|step| {
            let deleted: Vec<_> = step.deletes.iter().map(|(token, _)| text(*token)).collect();
            format!("{} {} {} {deleted:?}", text(step.left), text(step.right), step.count)
        });
        described.collect()
    }

    #[test]
    fn counts_beyond_32_bits_keep_their_order() {
        let (large, larger) = ((1 << 32) + 1, (1 << 33) + 1);
        let counted = Counted::of([("ab", large), ("cd", larger), ("ef", 5)]);
        let expected =
            [format!("c d {larger} []"), format!("a b {large} []"), "e f 5 []".to_owned()];
        assert_eq!(steps(&counted, &parameters(None, 300), DEPTH, 1), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn how_many_pairs_are_kept_changes_nothing(
            words in prop::collection::vec(("[ab]{1,9}|[a-d]{1,6}", 1_u64..300), 1..30),
            mode in 0..3_usize,
        ) {
            let counted = Counted::of(words.iter().map(|(word, count)| (word.as_str(), *count)));
            let deletion = [None, Some(Deletion::Bytes), Some(Deletion::Pair)][mode];
            let parameters = parameters(deletion, 400);
            let all = steps(&counted, &parameters, u64::MAX, 1);
            prop_assert_eq!(&steps(&counted, &parameters, CLEARANCE, 1), &all);
            prop_assert_eq!(&steps(&counted, &parameters, CLEARANCE, 3), &all);
        }
    }
}
