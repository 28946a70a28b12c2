//! The pretokens that open at some time.

use crate::count::{FragmentSymbol, PretokenCounts, PretokenMap};
use crate::encode::rules_that_open;
use crate::model::Model;
use crate::train::base_tokens::training_token;
use crate::train::engine::TrainingToken;
use crate::train::merges::MergeSteps;

/// The position of a pretoken in the list of openable pretokens. Fragments that are counted outside
/// this process consist of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenableIndex(pub(crate) u32);

impl From<OpenableIndex> for FragmentSymbol {
    fn from(index: OpenableIndex) -> FragmentSymbol {
        FragmentSymbol(index.0)
    }
}

/// The eligible pretokens that merges make one token, and those that are one from the start.
pub(crate) struct OpenablePretokens {
    /// The tokens of the pretokens, as symbols of fragments.
    pub(crate) symbols: PretokenMap<FragmentSymbol>,
    /// Those that are open from the start: single bytes, and looked-up tokens of the model that is
    /// extended.
    pub(crate) from_start: Vec<TrainingToken>,
    /// All of them in the order in which they first open, by `OpenableIndex`.
    pub(crate) tokens: Vec<TrainingToken>,
    /// For each rule of the model that is extended, the token that it opens.
    pub(crate) opened_by_base: Vec<Option<TrainingToken>>,
}

impl OpenablePretokens {
    /// Finds the counted pretokens that merges open.
    pub(crate) fn new(counts: &PretokenCounts, merges: &MergeSteps) -> OpenablePretokens {
        OpenablePretokens::find(counts, TrainingToken::bytes(), Vec::new(), merges)
    }

    /// Finds the counted pretokens that the rules of a model open, or merges after them.
    pub(crate) fn after(
        base: &Model,
        counts: &PretokenCounts,
        merges: &MergeSteps,
    ) -> OpenablePretokens {
        let opened = rules_that_open(base).into_iter().map(|opened| opened.map(training_token));
        let looked_up = base.lookup_tokens().map(training_token);
        let from_start = TrainingToken::bytes().chain(looked_up);
        OpenablePretokens::find(counts, from_start, opened.collect(), merges)
    }

    /// Finds the counted pretokens that are open from the start, that the rules of a model open, or
    /// merges.
    fn find(
        counts: &PretokenCounts,
        from_start: impl Iterator<Item = TrainingToken>,
        opened_by_base: Vec<Option<TrainingToken>>,
        merges: &MergeSteps,
    ) -> OpenablePretokens {
        let spell = |token| merges.tokens.bytes(token);
        let from_start: Vec<_> = from_start.filter(|&t| counts.has_eligible(spell(t))).collect();
        let opened = merges.steps.iter().filter(|step| step.opens).map(|step| step.token);
        let mut symbols = PretokenMap::new();
        let mut tokens = Vec::new();
        let opened_before = opened_by_base.iter().flatten();
        for token in from_start.iter().chain(opened_before).copied().chain(opened) {
            if counts.has_eligible(spell(token)) && symbols.find(spell(token)).is_none() {
                symbols.insert(spell(token), FragmentSymbol::from(token));
                tokens.push(token);
            }
        }
        OpenablePretokens { symbols, from_start, tokens, opened_by_base }
    }

    /// Returns how often each of them occurs, by `OpenableIndex`.
    pub(crate) fn find_counts(&self, counts: &PretokenCounts, merges: &MergeSteps) -> Vec<u64> {
        let spelled = self.tokens.iter().map(|&token| merges.tokens.bytes(token));
        spelled.map(|pretoken| counts.count_of(pretoken)).collect()
    }
}
