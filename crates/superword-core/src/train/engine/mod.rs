//! The parts that all kinds of learning share.
//!
//! The files in reading order:
//!
//! 1. `tokens`: the tokens of training; `vocabulary`: which of them are in the vocabulary;
//! 2. `sequence`: pretokens or fragments as one sequence of tokens, divided into `spans`;
//!    `fragment_sequence` is the one of fragments;
//! 3. `occurrences`: where tokens and pairs occur in a sequence;
//! 4. `pair_counts`: the counts of neighbouring tokens, with a `pair_queue` that has the most
//!    frequent pair first; `recount` counts all pairs of a sequence;
//! 5. `change`: a change of tokens, such as joining a pair; `replacer` makes it at all occurrences,
//!    and `neighbour_deltas` adds up its effect on the counts;
//! 6. [`PairEngine`]: all of these together.

mod change;
mod fragment_sequence;
mod neighbour_deltas;
mod occurrences;
mod pair_counts;
mod pair_queue;
mod recount;
mod replacer;
mod sequence;
mod spans;
mod tokens;
mod vocabulary;

use crate::error::Error;
pub(crate) use change::{Change, ChangeSummary, TokenJoin};
pub(crate) use fragment_sequence::{FragmentSequence, PretokenSwitch};
pub(crate) use occurrences::{Occurrence, TokenOccurrences};
pub(crate) use pair_counts::PairCounts;
pub(crate) use pair_queue::Candidate;
pub(crate) use recount::RecountOptions;
use replacer::Replacer;
pub(crate) use sequence::{TokenSequence, for_each_pair, run_end, run_start};
pub(crate) use spans::WeightedSpans;
pub(crate) use tokens::{TokenPair, TrainingToken, TrainingTokens};
pub(crate) use vocabulary::TrainingVocabulary;

/// A sequence of tokens and the counts of its pairs, which are kept up to date.
pub(crate) struct PairEngine<S> {
    pub(crate) sequence: S,
    pub(crate) occurrences: TokenOccurrences,
    pub(crate) pairs: PairCounts,
    replacer: Replacer,
}

impl<S: TokenSequence> PairEngine<S> {
    /// Creates an engine without counts. It will keep pairs that reach `floor`.
    pub(crate) fn new(sequence: S, occurrences: TokenOccurrences, floor: u64) -> PairEngine<S> {
        let (pairs, replacer) = (PairCounts::new(floor), Replacer::default());
        PairEngine { sequence, occurrences, pairs, replacer }
    }

    /// Returns the most frequent pair that is allowed, if one reaches the floor.
    pub(crate) fn best(
        &mut self,
        tokens: &TrainingTokens,
        allows: impl FnMut(TokenPair) -> Result<bool, Error>,
    ) -> Result<Option<Candidate>, Error> {
        self.pairs.best(tokens, &self.sequence, &self.occurrences, allows)
    }

    /// Counts all pairs again.
    pub(crate) fn recount(&mut self, tokens: &TrainingTokens, options: &RecountOptions) {
        self.pairs.recount(tokens, &self.sequence, options);
    }

    /// Makes a change at the occurrences where it fits. `is_new` says that its token did not occur
    /// before.
    pub(crate) fn apply(
        &mut self,
        change: &impl Change<S>,
        occurrences: &[Occurrence],
        tokens: &TrainingTokens,
        is_new: bool,
    ) -> ChangeSummary {
        let summary = self.replacer.replace(change, occurrences, &mut self.sequence, tokens.len());
        self.replacer.flush_deltas(change, tokens, &mut self.pairs, is_new);
        summary
    }

    /// Joins the most frequent pair everywhere.
    ///
    /// # Panics
    /// When the pair is not joined as often as it was counted.
    pub(crate) fn join_best(
        &mut self,
        best: Candidate,
        join: &TokenJoin,
        tokens: &TrainingTokens,
        is_new: bool,
    ) -> ChangeSummary {
        let occurrences = self.pairs.take(join.pair);
        let summary = self.apply(join, &occurrences, tokens, is_new);
        assert_eq!(summary.weight, best.count, "a pair must be joined as often as it was counted");
        summary
    }

    /// Counts all pairs again and compares.
    ///
    /// # Panics
    /// When a count is wrong.
    pub(crate) fn verify(&self) {
        self.pairs.verify(&self.sequence);
    }
}
