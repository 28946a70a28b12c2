//! Learning the merges of a second stage (`SuperBPE`): the documents are split anew into long
//! pretokens, the merges of the first stage are applied, and learning goes on.
//!
//! Long pretokens hardly repeat, and there are as many as there is text. So they are cut between two
//! tokens of the first stage that stand side by side less often than `bound`, and what is left, the
//! fragments, is learned on. That is exact if no rule that is learned is less frequent than the
//! bound; if one would be, it is done again with a lower bound.
//!
//! For without deletions tokens only grow, and what happens between two places that no token has
//! crossed depends on the bytes between them alone. (In `x x x x` pairs are joined from the left, and
//! at a place that is not crossed this begins anew.) So the same bytes become a token by the same
//! rule wherever they do, and are made of the same tokens of the first stage. All places of a pair
//! then meet at the same two of those. If these stand side by side too rarely, all places are cut
//! and the pair would not be chosen: it is at most as frequent. Otherwise none is cut.

use std::sync::Mutex;

use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::count::fragments::{self, Counter, Fragments};
use crate::count::{Bigrams, Places, Tallies};
use crate::encode::Encoder;
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, TokenIndex, Training};
use crate::platform::hash::{fold, secret};
use crate::platform::huge_pages;
use crate::platform::memory_budget::Budget;
use crate::train::Effort;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::{Pair, Pairs};
use crate::train::engine::replace::{Join, Replacer};
use crate::train::engine::token::{TokenId, Tokens};
use crate::train::engine::units::Units;
use crate::train::merges::{Merges, Step};
use crate::train::supermerges::Learned;

/// Learns on where the first stage has ended, until the vocabulary is full or pairs run out.
/// `totals` is what the first stage has read.
pub(crate) fn learn(
    corpus: (&dyn Corpus, Reading),
    totals: Totals,
    merges: Merges,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Learned, Error> {
    learn_from(likely_bound, corpus, totals, merges, parameters, effort, control)
}

/// The same, given what to try as the first bound.
fn learn_from(
    first_bound: impl FnOnce(&Bigrams, usize) -> u64,
    corpus: (&dyn Corpus, Reading),
    totals: Totals,
    merges: Merges,
    parameters: &Parameters,
    effort: Effort,
    control: &Control,
) -> Result<Learned, Error> {
    let Merges { mut tokens, steps, .. } = merges;
    let mut rules: Vec<Rule<TokenId>> = steps.iter().flat_map(Step::rules).collect();
    let size = tokens.len();
    let vocab_size = parameters.vocab_size as usize;
    if size >= vocab_size {
        return Ok(Learned { tokens, rules });
    }
    let budget = Budget::new(effort.memory_limit);
    let encoder = encoder(&tokens, &rules, parameters)?;
    let bigrams = count_bigrams(corpus, totals, &encoder, budget, control)?;
    let mut bound = first_bound(&bigrams, vocab_size - size).max(parameters.min_count);
    loop {
        let cut = Cut { encoder: &encoder, bigrams: &bigrams, bound };
        let cut = |counter: &mut Counter, document: &str| cut.cut(document, counter);
        let (fragments, seen) = fragments::count(corpus, &cut, budget, control)?;
        if seen != totals {
            return Err(Error::CorpusChanged);
        }
        fragments.check("the distinct fragments, and learning merges on them,", budget)?;
        let learner = Learner::new(fragments, &mut tokens, bound, effort.threads)?;
        let more = learner.learn(vocab_size, effort, control)?;
        huge_pages::release();
        if tokens.len() == vocab_size || bound == parameters.min_count {
            rules.extend(more);
            return Ok(Learned { tokens, rules });
        }
        tokens.truncate(size);
        bound = (bound / 2).max(parameters.min_count);
    }
}

/// The encoder of the first stage's rules, and the second stage's pattern. It numbers tokens as
/// training does, in the order in which rules have made them.
fn encoder(
    tokens: &Tokens,
    rules: &[Rule<TokenId>],
    parameters: &Parameters,
) -> Result<Encoder, Error> {
    let bytes = (0..tokens.len() as TokenId).map(|token| tokens.bytes(token).into()).collect();
    let training = Training::default();
    let rules = rules.iter().cloned().map(|rule| rule.renumber(TokenIndex)).collect();
    Encoder::new(&Model::new(parameters.clone(), bytes, rules, Vec::new(), training)?)
}

/// A bound that is likely to be right: half of what as many pairs reach now as there will be rules.
fn likely_bound(bigrams: &Bigrams, wanted: usize) -> u64 {
    bigrams.reached_by(wanted) / 2
}

/// Counts how often tokens of the first stage stand side by side in a pretoken.
fn count_bigrams(
    (corpus, reading): (&dyn Corpus, Reading),
    totals: Totals,
    encoder: &Encoder,
    budget: Budget,
    control: &Control,
) -> Result<Bigrams, Error> {
    let room = Bigrams::room(corpus, reading.threads, budget);
    let tables: Vec<_> = (0..reading.threads).map(|_| Mutex::new(Bigrams::new(room))).collect();
    let work = |worker: usize, batch: &Batch| {
        let mut bigrams = tables[worker].lock().expect("a worker keeps to its own table");
        for document in batch.documents() {
            encoder.first_stage(document, |pretoken| {
                for pair in pretoken.windows(2) {
                    let place = place(&bigrams, pair[0], pair[1]);
                    bigrams.add(place);
                }
            })?;
        }
        if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    };
    let seen = corpus.read(reading, &work, &|done| (control.progress)(Stage::Bigrams, done))?;
    if seen != totals {
        return Err(Error::CorpusChanged);
    }
    let mut tables = tables.into_iter().map(|table| table.into_inner().expect("no panic"));
    let mut all = tables.next().expect("at least one thread");
    tables.for_each(|table| all.merge(&table));
    Ok(all)
}

/// Where it is counted how often two tokens stand side by side.
#[inline]
fn place(bigrams: &Bigrams, left: TokenId, right: TokenId) -> usize {
    let hash = |token: TokenId| fold(u64::from(token) ^ secret(), 0x9E37_79B9_7F4A_7C15);
    bigrams.place(hash(left), hash(right))
}

/// Where to cut.
struct Cut<'c> {
    encoder: &'c Encoder,
    bigrams: &'c Bigrams,
    bound: u64,
}

impl Cut<'_> {
    fn cut(&self, document: &str, counter: &mut Counter) -> Result<(), Error> {
        self.encoder.first_stage(document, |pretoken| {
            let mut before = None;
            for &token in pretoken {
                if let Some(before) = before.replace(token) {
                    let place = place(self.bigrams, before, token);
                    if !self.bigrams.reaches(place, self.bound) {
                        counter.end();
                    }
                }
                counter.push(token);
            }
            counter.end();
        })
    }
}

/// The state of learning.
struct Learner<'t> {
    tokens: &'t mut Tokens,
    units: Units,
    weights: Vec<u64>,
    pairs: Pairs,
    replacer: Replacer,
    rules: Vec<Rule<TokenId>>,
}

impl<'t> Learner<'t> {
    fn new(
        fragments: Fragments,
        tokens: &'t mut Tokens,
        bound: u64,
        threads: usize,
    ) -> Result<Learner<'t>, Error> {
        let (units, weights) = Units::new(fragments, true)?;
        let mut pairs = Pairs::new(bound);
        pairs.recount(tokens, (&units, &weights), bound..=bound, 0, threads);
        let (replacer, rules) = (Replacer::default(), Vec::new());
        Ok(Learner { tokens, units, weights, pairs, replacer, rules })
    }

    /// Learns the rules, up to so many tokens, or until no pair reaches the bound.
    fn learn(
        mut self,
        vocab_size: usize,
        effort: Effort,
        control: &Control,
    ) -> Result<Vec<Rule<TokenId>>, Error> {
        // No pair grows, as each token is made by one rule, so that none has to be looked for.
        let occurrences = Occurrences::new(true);
        while self.tokens.len() < vocab_size {
            if self.rules.len().is_multiple_of(64) {
                control.report(Stage::Merges, self.tokens.len() as u64)?;
            }
            let rows = (&self.units, self.weights.as_slice());
            let Some((pair, count)) = self.pairs.best(self.tokens, rows, &occurrences) else {
                break;
            };
            self.merge(pair, count);
            let rules = self.rules.len() as u64;
            if effort.verify_every.is_some_and(|every| rules.is_multiple_of(every)) {
                self.pairs.verify(&self.units, &self.weights);
            }
        }
        control.report(Stage::Merges, self.tokens.len() as u64)?;
        Ok(self.rules)
    }

    fn merge(&mut self, pair: Pair, count: u64) {
        let Pair { left, right } = pair;
        let known = self.tokens.len();
        let token = self.tokens.joined(left, right);
        assert_eq!(token as usize, known, "a token must be made by one rule only");
        let changed = self.replacer.replace(
            &Join { pair, token },
            &self.pairs.take(pair),
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            true,
        );
        assert_eq!(changed.weight, count, "a merge must be made as often as it was counted");
        self.rules.push(Rule::Merge { left, right, token, count });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::corpus::Memory;
    use crate::count;
    use crate::model::SecondStage;
    use crate::pretokenize::{ELIGIBLE, Eligibility, Pattern};
    use crate::train::merges;

    const ONE_THREAD: Effort = Effort { threads: 1, memory_limit: None, verify_every: Some(1) };
    const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };

    /// The rules of the second stage in bytes, with their counts, when this bound is tried first.
    fn rules(documents: &[String], parameters: &Parameters, bound: u64) -> Vec<String> {
        let corpus: Memory = documents.iter().collect();
        let stage = parameters.second_stage.as_ref().expect("a second stage");
        let first = Parameters { vocab_size: stage.transition, ..parameters.clone() };
        let pattern = Pattern::new(&first.pattern).expect("a pattern");
        let eligibility = Eligibility::new(ELIGIBLE).expect("a regex");
        let reading = Reading::whole(1);
        let split = (&pattern, &eligibility);
        let counted = count::count(&corpus, reading, split, false, Budget::default(), &QUIET);
        let counted = counted.expect("nothing is wrong");
        let merges = merges::learn(&counted, &first, ONE_THREAD, &QUIET).expect("merges");
        let (corpus, totals) = ((&corpus as &dyn Corpus, reading), counted.totals);
        let learned =
            learn_from(|_, _| bound, corpus, totals, merges, parameters, ONE_THREAD, &QUIET);
        let Learned { tokens, rules } = learned.expect("rules");
        let text = |token| String::from_utf8_lossy(tokens.bytes(token));
        let described = rules.iter().map(|rule| match *rule {
            Rule::Merge { left, right, count, .. } => {
                format!("{} {} {count}", text(left), text(right))
            }
            _ => "no merge".to_owned(),
        });
        described.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 100,
            failure_persistence: None,
            ..Default::default()
        })]
        /// A bound of one cuts nothing.
        #[test]
        fn cutting_below_a_bound_changes_nothing(
            documents in prop::collection::vec("[ab]{1,40}|[ab ]{1,60}|(ab|ba|abb| a){1,20}", 1..8),
            pattern in select(vec!["ab|.", "(?<=b)a+b?|.", " ?[a-z]+|.", "(?s).{1,2}", "gpt2"]),
            transition in 256..275_u32,
            more in 1..40_u32,
        ) {
            let second_stage = SecondStage { transition, pattern: "(?s).+".to_owned() };
            let parameters = Parameters {
                pattern: pattern.to_owned(),
                eligible: ELIGIBLE.to_owned(),
                supermerges: false,
                deletion: None,
                tau: 0.9,
                min_count: 1,
                vocab_size: transition + more,
                second_stage: Some(second_stage),
            };
            let uncut = rules(&documents, &parameters, 1);
            for bound in [2, 3, 4, 5, 6, 8, 11, 15, 20, 30, 1000] {
                prop_assert_eq!(&rules(&documents, &parameters, bound), &uncut, "{}", bound);
            }
        }
    }
}
