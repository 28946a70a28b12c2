//! The parts that all kinds of learning share.
//!
//! The files in reading order:
//!
//! 1. `tokens`: the tokens of training; `vocabulary`: which of them are in the vocabulary;
//! 2. `sequence`: pretokens or fragments as one sequence of tokens, divided into `spans`;
//!    `fragment_sequence` is the one of fragments;
//! 3. `occurrences`: where tokens and pairs occur in a sequence;
//! 4. `pair_counts`: the counts of neighbouring tokens, in `kept_pairs`, with a `pair_queue` that has
//!    the most frequent pair first; `recount` counts all pairs of a sequence;
//! 5. `change`: a change of tokens, such as joining a pair; `replacer` makes it at all occurrences,
//!    and `neighbour_deltas` adds up its effect on the counts;
//! 6. [`PairEngine`]: all of these together.

mod change;
mod fragment_sequence;
mod kept_pairs;
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

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::platform::threads::call_on_threads;
pub(crate) use change::{Change, ChangeSummary, TokenJoin};
pub(crate) use fragment_sequence::{FragmentSequence, PretokenSwitch};
pub(crate) use occurrences::{Occurrence, TokenOccurrences};
pub(crate) use pair_counts::PairCounts;
pub(crate) use pair_queue::Candidate;
pub(crate) use recount::RecountOptions;
use replacer::Replacer;
pub(crate) use sequence::{TokenCell, TokenSequence, for_each_pair, run_end, run_start};
pub(crate) use spans::WeightedSpans;
pub(crate) use tokens::{TokenPair, TrainingToken, TrainingTokens};
pub(crate) use vocabulary::TrainingVocabulary;

/// A sequence of tokens and the counts of its pairs, which are kept up to date.
pub(crate) struct PairEngine<S> {
    pub(crate) sequence: S,
    pub(crate) occurrences: TokenOccurrences,
    pub(crate) pairs: PairCounts,
    /// One for each thread.
    replacers: Vec<Mutex<Replacer>>,
}

/// The largest number of shares of a change. Each has counts of its own for every token.
const MAX_SHARES: usize = 16;

/// The smallest share of the occurrences of a change that is worth a thread.
const MIN_SHARE: usize = if cfg!(test) { 2 } else { 4096 };

impl<S: TokenSequence> PairEngine<S> {
    /// Creates an engine without counts. It will keep pairs that reach `floor`, and make changes on so
    /// many threads.
    pub(crate) fn new(
        sequence: S,
        occurrences: TokenOccurrences,
        floor: u64,
        threads: usize,
    ) -> PairEngine<S> {
        let replacers = (0..threads.clamp(1, MAX_SHARES)).map(|_| Mutex::default()).collect();
        PairEngine { sequence, occurrences, pairs: PairCounts::new(floor), replacers }
    }

    /// Returns the most frequent pair that is allowed, if one reaches the floor.
    pub(crate) fn best(
        &mut self,
        tokens: &TrainingTokens,
        allows: impl FnMut(TokenPair) -> Result<bool, Error>,
    ) -> Result<Option<Candidate>, Error> {
        self.pairs.best(tokens, &self.sequence, &mut self.occurrences, allows)
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
        let shares = (occurrences.len() / MIN_SHARE).clamp(1, self.replacers.len());
        let shares = divide(occurrences, self.sequence.spans(), shares);
        let mut summaries = call_on_threads(shares.len(), |number| {
            let mut replacer = lock(&self.replacers[number]);
            replacer.replace(change, shares[number], &self.sequence, tokens.len())
        })
        .into_iter();
        let mut summary = summaries.next().unwrap_or_default();
        let mut sum = lock(&self.replacers[0]);
        for (summary_of_share, replacer) in summaries.zip(&self.replacers[1..]) {
            summary.append(summary_of_share);
            sum.append(&mut lock(replacer));
        }
        sum.flush_deltas(change, tokens, &mut self.pairs, is_new);
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

/// Divides occurrences, which are in order, into shares of about the same length. No span has
/// occurrences in two of them.
fn divide<'o>(
    occurrences: &'o [Occurrence],
    spans: &WeightedSpans,
    shares: usize,
) -> Vec<&'o [Occurrence]> {
    let mut divided = Vec::with_capacity(shares);
    let mut rest = occurrences;
    for left in (1..shares).rev() {
        let Some(first) = rest.get(rest.len() - rest.len() * left / (left + 1)) else { break };
        let start = spans.start_of(first.at());
        let (share, others) = rest.split_at(rest.partition_point(|other| other.at() < start));
        divided.push(share);
        rest = others;
    }
    divided.push(rest);
    divided
}

fn lock(replacer: &Mutex<Replacer>) -> MutexGuard<'_, Replacer> {
    replacer.lock().unwrap_or_else(PoisonError::into_inner)
}
