//! Learning supermerges step by step.

use crate::control::Stage;
use crate::count::{FragmentSymbol, Fragments, PretokenMap};
use crate::error::Error;
use crate::model::Rule;
use crate::platform::hash::FastMap;
use crate::train::TrainingContext;
use crate::train::engine::{
    Candidate, FragmentSequence, PairEngine, PretokenSwitch, TokenJoin, TokenPair, TrainingToken,
    TrainingTokens, TrainingVocabulary,
};
use crate::train::merges::MergeStep;
use crate::train::supermerges::cap::Cap;
use crate::train::token_filter::TokenFilter;
use crate::train::word_counts::WordCounts;

/// The state of learning.
pub(super) struct SupermergeLearner<'t> {
    pub(super) tokens: &'t mut TrainingTokens,
    pub(super) vocabulary: TrainingVocabulary,
    engine: PairEngine<FragmentSequence>,
    /// For each token, the weight of the open units that hold it.
    live: FastMap<TrainingToken, u64>,
    /// The pair that first made each superword.
    first_pair: FastMap<TrainingToken, TokenPair>,
    words: WordCounts,
    /// Whether documents were split between rare neighbours, which may have been wrong.
    splits_rare_neighbours: bool,
    rules: Vec<Rule<TrainingToken>>,
}

impl<'t> SupermergeLearner<'t> {
    /// Creates a learner, with all units closed. It will not learn pairs below `min_count`.
    pub(super) fn new(
        fragments: Fragments,
        tokens: &'t mut TrainingTokens,
        min_count: u64,
        threads: usize,
    ) -> Result<SupermergeLearner<'t>, Error> {
        let splits_rare_neighbours = fragments.splits_rare_neighbours;
        let sequence = FragmentSequence::new(fragments, false)?;
        let occurrences = sequence.occurrences();
        Ok(SupermergeLearner {
            tokens,
            vocabulary: TrainingVocabulary::new(),
            engine: PairEngine::new(sequence, occurrences, min_count, threads),
            live: FastMap::default(),
            first_pair: FastMap::default(),
            words: WordCounts::default(),
            splits_rare_neighbours,
            rules: Vec::new(),
        })
    }

    /// Learns the rules, or returns `None` if documents must not be split between rare neighbours.
    pub(super) fn learn(
        mut self,
        steps: &[MergeStep],
        openable: &PretokenMap<FragmentSymbol>,
        context: &TrainingContext,
    ) -> Result<Option<Vec<Rule<TrainingToken>>>, Error> {
        let &TrainingContext { parameters, resources, control } = context;
        let mut cap = Cap::new(parameters);
        for &token in self.first_pair.keys() {
            cap.record_superword(self.tokens.bytes(token)); // Of a model that is extended.
        }
        let filter = TokenFilter::new(&parameters.limits)?;
        let mut steps = steps.iter().peekable();
        while self.vocabulary.size() < parameters.vocab_size as usize {
            if self.rules.len().is_multiple_of(64) {
                control.report(Stage::Supermerges, self.vocabulary.size() as u64)?;
            }
            let has_few_words = |pair| {
                let max_words = parameters.limits.max_words;
                max_words.is_none_or(|max| self.words.count_joined(self.tokens, pair) <= max)
            };
            let allows = |pair| {
                let is_left = cap.allows(self.tokens, pair) && has_few_words(pair);
                Ok(is_left && filter.allows(self.tokens, pair)?)
            };
            let best = self.engine.best(self.tokens, allows)?;
            let next = steps.peek().map_or(0, |step| step.count);
            match best {
                // A supermerge that is as frequent as the next merge goes first.
                Some(best) if best.count >= next => {
                    let is_unambiguous = self.supermerge(best, openable, &mut cap);
                    if self.splits_rare_neighbours && !is_unambiguous {
                        return Ok(None);
                    }
                }
                _ => match steps.next() {
                    Some(step) => {
                        self.merge(step);
                        self.switch_pretokens(step, &cap);
                    }
                    None => break,
                },
            }
            if resources.verifies_after(self.rules.len()) {
                self.engine.verify();
            }
        }
        control.report(Stage::Supermerges, self.vocabulary.size() as u64)?;
        Ok(Some(self.rules))
    }

    /// Performs a supermerge. Returns whether its token spells no pretoken and no other pair.
    fn supermerge(
        &mut self,
        best: Candidate,
        openable: &PretokenMap<FragmentSymbol>,
        cap: &mut Cap,
    ) -> bool {
        let Candidate { pair, count } = best;
        let TokenPair { left, right } = pair;
        let token = self.tokens.join(pair);
        let is_pretoken = openable.find(self.tokens.bytes(token)).is_some();
        // Recorded for every token: one that a supermerge has made outlives its deletion.
        let first = *self.first_pair.entry(token).or_insert_with(|| {
            cap.record_superword(self.tokens.bytes(token));
            pair
        });
        let is_new = !self.live.contains_key(&token);
        let summary = self.engine.join_best(best, &TokenJoin { pair, token }, self.tokens, is_new);
        self.decrement_live(left, count);
        self.decrement_live(right, count);
        *self.live.entry(token).or_default() += count;
        self.words.record_supermerge(self.tokens, pair, token);
        self.engine.occurrences.add(token, summary.occurrences);
        self.vocabulary.add(token);
        self.rules.push(Rule::Supermerge { left, right, token, count });
        !is_pretoken && first == pair
    }

    /// Adds the rules of a merge and its deletions, and updates the vocabulary.
    fn merge(&mut self, step: &MergeStep) {
        self.vocabulary.add(step.token);
        self.rules.extend(step.rules());
        for deleted in &step.deletions {
            if !self.first_pair.contains_key(&deleted.token) {
                self.vocabulary.remove(deleted.token);
            }
        }
    }

    /// Performs a merge and its deletions. Here only the pretokens that they open and close matter,
    /// and of these only those that may still be supermerged.
    fn switch_pretokens(&mut self, step: &MergeStep, cap: &Cap) {
        if step.opens && cap.allows_token(self.tokens, step.token) {
            self.open(step.token);
        }
        for deleted in &step.deletions {
            if cap.allows_token(self.tokens, deleted.token) {
                self.close(deleted.token);
            }
        }
    }

    /// Performs a supermerge of an existing model, whatever its count here.
    pub(super) fn replay_supermerge(&mut self, pair: TokenPair, token: TrainingToken) {
        self.engine.pairs.take(pair);
        self.first_pair.entry(token).or_insert(pair);
        self.words.record_supermerge(self.tokens, pair, token);
        let occurrences = self.engine.occurrences.of_pair(&self.engine.sequence, pair);
        let is_new = !self.live.contains_key(&token);
        let summary =
            self.engine.apply(&TokenJoin { pair, token }, &occurrences, self.tokens, is_new);
        if summary.weight > 0 {
            self.decrement_live(pair.left, summary.weight);
            self.decrement_live(pair.right, summary.weight);
            *self.live.entry(token).or_default() += summary.weight;
            self.engine.occurrences.add(token, summary.occurrences);
        }
    }

    /// Opens the pretokens that a token spells.
    pub(super) fn open(&mut self, token: TrainingToken) {
        let weight = self.switch(PretokenSwitch { token, opens: true });
        if weight > 0 {
            *self.live.entry(token).or_default() += weight;
        }
    }

    /// Closes the pretokens that a token spells.
    pub(super) fn close(&mut self, token: TrainingToken) {
        let weight = self.switch(PretokenSwitch { token, opens: false });
        self.decrement_live(token, weight);
    }

    /// Opens or closes pretokens, and returns their weight.
    fn switch(&mut self, switch: PretokenSwitch) -> u64 {
        let PretokenSwitch { token, opens } = switch;
        let occurrences = self.engine.occurrences.sorted(token);
        let is_new = opens && !self.live.contains_key(&token);
        self.engine.apply(&switch, &occurrences, self.tokens, is_new).weight
    }

    fn decrement_live(&mut self, token: TrainingToken, weight: u64) {
        if let Some(live) = self.live.get_mut(&token) {
            *live -= weight;
            if *live == 0 {
                self.live.remove(&token);
            }
        }
    }
}
