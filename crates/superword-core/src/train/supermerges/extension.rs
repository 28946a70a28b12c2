//! Learning supermerges after all rules of a model.
//!
//! Nothing competes with them, so no count is known below which none is chosen. One is guessed, and
//! if supermerges run out above it, it is done again with a lower one.

use super::cut::Cut;
use super::{Learned, Learner};
use crate::control::Control;
use crate::corpus::{Corpus, Reading};
use crate::count::fragments::{self, Counter};
use crate::count::pretoken_map::Table;
use crate::count::{Counted, Reaching};
use crate::encode::openings;
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, TokenIndex};
use crate::platform::memory_budget::Budget;
use crate::train::Effort;
use crate::train::engine::pairs::Pair;
use crate::train::engine::replace::Join;
use crate::train::engine::token::{TokenId, Tokens};
use crate::train::engine::vocabulary::Vocabulary;

/// Learns supermerges after the rules of `base`, until the vocabulary is full or pairs run out.
/// What is learned has the new rules only; tokens are numbered as in the model, then go on.
pub(crate) fn learn_after(
    base: &Model,
    (corpus, reading): (&dyn Corpus, Reading),
    counted: Counted,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Learned, Error> {
    let mut tokens = Tokens::new();
    for rule in base.rules() {
        if let &Rule::Merge { left, right, .. } | &Rule::Supermerge { left, right, .. } = rule {
            tokens.joined(left.0, right.0);
        }
    }
    let known = tokens.len();
    let openings = openings(base);
    let mut openable = Table::new();
    let opened = (0..256).chain(openings.iter().flatten().map(|token| token.0));
    for token in opened {
        let bytes = tokens.bytes(token);
        if counted.has_eligible(bytes) {
            openable.set(bytes, u64::from(token));
        }
    }
    let Counted { bigrams, totals, .. } = counted.without_pretokens();
    let add =
        parameters.vocab_size as usize - base.vocab_size().min(parameters.vocab_size as usize);
    let likely = bigrams.as_ref().map_or(0, |bigrams| bigrams.reached_by(add) / 2);
    let mut bound = likely.max(parameters.min_count);
    // The supermerges of the model are made however rare they are here.
    let mut bigrams = bigrams.filter(|_| !base.rules().iter().any(is_supermerge));
    let budget = Budget::new(effort.memory_limit);
    loop {
        let often = bigrams.as_ref().map(|bigrams| Reaching { bigrams, bound });
        let cut = Cut { pattern: base.pattern(), openable: &openable, bigrams: often };
        let cut = |counter: &mut Counter, document: &str| cut.cut(document, counter);
        let (fragments, seen) = fragments::count((corpus, reading), &cut, budget, control)?;
        if seen != totals {
            return Err(Error::CorpusChanged);
        }
        fragments.check("the distinct fragments, and learning supermerges on them,", budget)?;
        let mut learner = Learner::new(fragments, &mut tokens, bound)?;
        learner.replay(base, &openings, &openable);
        let full = Parameters {
            vocab_size: (learner.vocabulary.size() + add) as u32,
            ..parameters.clone()
        };
        let rules = learner.learn(&[], bigrams.is_some(), &openable, &full, effort, control)?;
        match rules {
            None => bigrams = None,
            Some(rules) if bound == parameters.min_count || has_made(&rules, base) >= add => {
                return Ok(Learned { tokens, rules });
            }
            Some(_) => bound = (bound / 2).max(parameters.min_count),
        }
        tokens.truncate(known);
    }
}

fn is_supermerge(rule: &Rule) -> bool {
    matches!(rule, Rule::Supermerge { .. })
}

/// How many tokens rules make that a model does not have.
fn has_made(rules: &[Rule<TokenId>], base: &Model) -> usize {
    let mut made: Vec<TokenId> = rules.iter().map(Rule::token).collect();
    made.retain(|&token| base.id_of(TokenIndex(token)).is_none());
    made.sort_unstable();
    made.dedup();
    made.len()
}

impl Learner<'_> {
    /// Performs the rules of a model, of which merges and deletions matter by what they open and
    /// close; `openings` says what merges open.
    fn replay(&mut self, base: &Model, openings: &[Option<TokenIndex>], openable: &Table<u64>) {
        for byte in 0..256 {
            if openable.find(self.tokens.bytes(byte)).is_some() {
                self.open(byte);
            }
        }
        for (rule, opens) in base.rules().iter().zip(openings) {
            match *rule {
                Rule::Merge { .. } => opens.iter().for_each(|&token| self.open(token.0)),
                Rule::Delete { token, .. } => self.close(token.0),
                Rule::Supermerge { left, right, token, .. } => {
                    self.join_anyway(Pair { left: left.0, right: right.0 }, token.0);
                }
            }
        }
        self.vocabulary = Vocabulary::new();
        for token in
            (0..base.token_count() as u32).filter(|&token| base.id_of(TokenIndex(token)).is_some())
        {
            self.vocabulary.add(token);
        }
    }

    /// Performs a supermerge that is not chosen by its count.
    fn join_anyway(&mut self, pair: Pair, token: TokenId) {
        self.pairs.take(pair);
        let places = self.occurrences.of_pair(&self.units, pair);
        let changed = self.replacer.replace(
            &Join { pair, token },
            &places,
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            !self.present.contains_key(&token),
        );
        if changed.weight > 0 {
            self.leave(pair.left, changed.weight);
            self.leave(pair.right, changed.weight);
            *self.present.entry(token).or_default() += changed.weight;
            self.occurrences.add(token, changed.places);
        }
    }
}
