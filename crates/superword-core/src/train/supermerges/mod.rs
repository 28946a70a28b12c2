//! Learning supermerges: they compete with the merges, which are known by now.

mod cut;
mod extension;
mod openable;

use crate::control::{Control, Stage};
use crate::corpus::{Corpus, Reading};
use crate::count::fragments::{self, Counter, Fragments};
use crate::count::pretoken_map::Table;
use crate::count::{Counted, Reaching};
use crate::error::Error;
use crate::model::{Parameters, Rule};
use crate::platform::hash::FastMap;
use crate::platform::memory_budget::Budget;
use crate::pretokenize::Pattern;
use crate::train::Effort;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::{Pair, Pairs, Place};
use crate::train::engine::replace::{Join, Replacer};
use crate::train::engine::token::{TokenId, Tokens};
use crate::train::engine::units::{Close, Open, Units};
use crate::train::engine::vocabulary::Vocabulary;
use crate::train::merges::{Merges, Step};
pub(crate) use cut::Cut;
pub(crate) use openable::Openable;

pub(crate) use extension::learn_after;

/// What was learned in all.
pub(crate) struct Learned {
    pub(crate) tokens: Tokens,
    pub(crate) rules: Vec<Rule<TokenId>>,
}

/// Learns supermerges among the merges, until the vocabulary is full or pairs run out.
pub(crate) fn learn(
    (corpus, reading): (&dyn Corpus, Reading),
    pattern: &Pattern,
    counted: Counted,
    merges: Merges,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Learned, Error> {
    let Merges { mut tokens, steps, bound } = merges;
    if !parameters.supermerges {
        let rules = steps.iter().flat_map(Step::rules).collect();
        return Ok(Learned { tokens, rules });
    }
    let budget = Budget::new(effort.memory_limit);
    let openable = Openable::new(&counted, &tokens, &steps);
    let Counted { bigrams, totals, .. } = counted.without_pretokens();
    let mut bigrams = bigrams.as_ref().map(|bigrams| Reaching { bigrams, bound });
    loop {
        let cut = Cut { pattern, openable: &openable.tokens, bigrams };
        let cut = |counter: &mut Counter, document: &str| cut.cut(document, counter);
        let (fragments, seen) = fragments::count((corpus, reading), &cut, budget, control)?;
        if seen != totals {
            return Err(Error::CorpusChanged);
        }
        let merges = (&mut tokens, steps.as_slice(), bound);
        let is_cut = bigrams.is_some();
        let rules = learn_on(fragments, is_cut, merges, &openable, parameters, effort, control)?;
        if let Some(rules) = rules {
            return Ok(Learned { tokens, rules });
        }
        bigrams = None;
    }
}

/// Learns supermerges on fragments among the merges: their tokens, steps and bound.
///
/// If the fragments are cut at rare neighbours, there may be nothing learned. Some superword then
/// spells a pretoken, or another superword in another way: its pairs meet at several pairs of
/// pretokens, and all of them may be too rare while their sum is not. So nothing may be cut on that
/// account.
pub(crate) fn learn_on(
    fragments: Fragments,
    is_cut: bool,
    (tokens, steps, bound): (&mut Tokens, &[Step], u64),
    openable: &Openable,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Option<Vec<Rule<TokenId>>>, Error> {
    let budget = Budget::new(effort.memory_limit);
    fragments.check("the distinct fragments, and learning supermerges on them,", budget)?;
    let mut learner = Learner::new(fragments, tokens, bound)?;
    for &byte in &openable.at_once {
        learner.open(byte);
    }
    learner.learn(steps, is_cut, &openable.tokens, parameters, effort, control)
}

/// The state of learning.
struct Learner<'t> {
    tokens: &'t mut Tokens,
    units: Units,
    weights: Vec<u64>,
    occurrences: Occurrences,
    pairs: Pairs,
    replacer: Replacer,
    /// How many open units hold each token, by their weights.
    present: FastMap<TokenId, u64>,
    vocabulary: Vocabulary,
    /// The pair that made each superword first.
    made_from: FastMap<TokenId, Pair>,
    rules: Vec<Rule<TokenId>>,
}

impl<'t> Learner<'t> {
    fn new(fragments: Fragments, tokens: &'t mut Tokens, bound: u64) -> Result<Learner<'t>, Error> {
        let (units, weights) = Units::new(fragments, false)?;
        let occurrences = units.occurrences();
        Ok(Learner {
            tokens,
            units,
            weights,
            occurrences,
            pairs: Pairs::new(bound),
            replacer: Replacer::default(),
            present: FastMap::default(),
            vocabulary: Vocabulary::new(),
            made_from: FastMap::default(),
            rules: Vec::new(),
        })
    }

    /// Learns the rules, or finds that the fragments are cut too short and gives none.
    fn learn(
        mut self,
        steps: &[Step],
        is_cut: bool,
        openable: &Table<u64>,
        parameters: &Parameters,
        effort: Effort,
        control: &Control,
    ) -> Result<Option<Vec<Rule<TokenId>>>, Error> {
        let mut steps = steps.iter().peekable();
        while self.vocabulary.size() < parameters.vocab_size as usize {
            if self.rules.len().is_multiple_of(64) {
                control.report(Stage::Supermerges, self.vocabulary.size() as u64)?;
            }
            let rows = (&self.units, self.weights.as_slice());
            let best = self.pairs.best(self.tokens, rows, &self.occurrences);
            let next = steps.peek().map_or(0, |step| step.count);
            // A supermerge that is as frequent as the merge goes first.
            match best {
                Some((pair, count)) if count >= next => {
                    let is_clear = self.supermerge(pair, count, openable);
                    if is_cut && !is_clear {
                        return Ok(None);
                    }
                }
                _ => match steps.next() {
                    Some(step) => self.merge(step),
                    None => break,
                },
            }
            if effort
                .verify_every
                .is_some_and(|every| (self.rules.len() as u64).is_multiple_of(every))
            {
                self.pairs.verify(&self.units, &self.weights);
            }
        }
        control.report(Stage::Supermerges, self.vocabulary.size() as u64)?;
        Ok(Some(self.rules))
    }

    /// Performs a supermerge, and says whether its token is spelled in this way only.
    fn supermerge(&mut self, pair: Pair, count: u64, openable: &Table<u64>) -> bool {
        let Pair { left, right } = pair;
        let token = self.tokens.joined(left, right);
        let bytes = self.tokens.bytes(token);
        let is_pretoken = openable.find(bytes).is_some();
        // Noted whatever it spells: a token that a supermerge has made outlives its deletion.
        let first = *self.made_from.entry(token).or_insert(pair);
        let is_clear = !is_pretoken && first == pair;
        let changed = self.replacer.replace(
            &Join { pair, token },
            &self.pairs.take(pair),
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            !self.present.contains_key(&token),
        );
        assert_eq!(changed.weight, count, "a supermerge must be made as often as it was counted");
        self.leave(left, count);
        self.leave(right, count);
        *self.present.entry(token).or_default() += count;
        self.occurrences.add(token, changed.places);
        self.vocabulary.add(token);
        self.rules.push(Rule::Supermerge { left, right, token, count });
        is_clear
    }

    /// Performs a merge and its deletions, of which only what they open and close matters here.
    fn merge(&mut self, step: &Step) {
        self.vocabulary.add(step.token);
        self.rules.push(step.rule());
        if step.opens {
            self.open(step.token);
        }
        for (token, parts) in &step.deletes {
            self.rules.push(Rule::Delete { token: *token, parts: parts.clone() });
            if !self.made_from.contains_key(token) {
                self.vocabulary.remove(*token);
            }
            self.close(*token);
        }
    }

    fn open(&mut self, token: TokenId) {
        let places = self.ordered_places(token);
        let changed = self.replacer.replace(
            &Open(token),
            &places,
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            !self.present.contains_key(&token),
        );
        if changed.weight > 0 {
            *self.present.entry(token).or_default() += changed.weight;
        }
    }

    fn close(&mut self, token: TokenId) {
        let places = self.ordered_places(token);
        let changed = self.replacer.replace(
            &Close(token),
            &places,
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            false,
        );
        self.leave(token, changed.weight);
    }

    fn ordered_places(&self, token: TokenId) -> Vec<Place> {
        let mut places = self.occurrences.of(token).to_vec();
        places.sort_unstable();
        places
    }

    fn leave(&mut self, token: TokenId, weight: u64) {
        if let Some(present) = self.present.get_mut(&token) {
            *present -= weight;
            if *present == 0 {
                self.present.remove(&token);
            }
        }
    }
}
