//! Learning the merges of a second stage (`SuperBPE`): the documents are split anew into long
//! pretokens, the merges of the first stage are applied, and learning goes on.
//!
//! Long pretokens hardly repeat, and there are as many as there is text. So they are cut between two
//! tokens of the first stage that stand side by side less often than `bound`, and what is left, the
//! fragments, is learned on. That is exact, by induction over the rules, if no rule is less frequent
//! than the bound, and if all ways to spell a token agree in `Edges`: with which class of tokens of
//! the first stage it begins, and with which it ends. Then all places of a pair meet at the same two
//! classes, so that all of them are cut or none. A pair whose places are cut occurs at most as often
//! as its classes meet, which is below the bound, and is not chosen; of the others no place is lost.
//! Both conditions show while learning, and if one does not hold, it is done again with a lower
//! bound, or with larger classes.

mod edges;

use std::sync::Mutex;

use crate::budget::Budget;
use crate::control::{Control, Stage};
use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::count::Bigrams;
use crate::encode::Encoder;
use crate::error::Error;
use crate::fragments::{self, Counter, Fragments};
use crate::memory;
use crate::merges::{Merges, Step};
use crate::model::{Model, Parameters, Rule, Training};
use crate::occurrences::Occurrences;
use crate::pairs::{Pair, Pairs};
use crate::replace::{Join, Replacer};
use crate::supermerges::Learned;
use crate::token::{TokenId, Tokens};
use crate::train::Effort;
use crate::units::Units;
use crate::vocabulary::Vocabulary;
use edges::Edges;

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
    let mut rules: Vec<Rule> = steps.into_iter().flat_map(Step::into_rules).collect();
    let size = tokens.len();
    let wanted = (parameters.vocab_size as usize).saturating_sub(size);
    if wanted == 0 {
        return Ok(Learned { tokens, rules });
    }
    let budget = Budget::new(effort.memory_limit);
    let encoder = encoder(&tokens, &rules, parameters)?;
    let mut edges = Edges::of_first(size);
    let mut bigrams = count_bigrams(corpus, totals, &encoder, &edges, budget, control)?;
    let mut bound = first_bound(&bigrams, wanted).max(parameters.min_count);
    loop {
        let cut = Cut { encoder: &encoder, edges: &edges, bigrams: &bigrams, bound };
        let cut = |counter: &mut Counter, document: &str| cut.cut(document, counter);
        let (fragments, seen) = fragments::count(corpus, &cut, budget, control)?;
        if seen != totals {
            return Err(Error::CorpusChanged);
        }
        fragments.check("the distinct fragments, and learning merges on them,", budget)?;
        let learner =
            Learner::new(fragments, (&mut tokens, size), &mut edges, bound, effort.threads)?;
        let (more, ran_out) = learner.learn(parameters, effort, control)?;
        memory::release();
        let is_united = edges.is_united();
        if ran_out && bound > parameters.min_count {
            bound = (bound / 2).max(parameters.min_count);
        } else if !is_united {
            rules.extend(more);
            return Ok(Learned { tokens, rules });
        }
        edges.restart(size);
        if is_united {
            bigrams = count_bigrams(corpus, totals, &encoder, &edges, budget, control)?;
        }
    }
}

/// The encoder of the first stage's rules, and the second stage's pattern. It numbers tokens as
/// training does, in the order in which rules have made them.
fn encoder(tokens: &Tokens, rules: &[Rule], parameters: &Parameters) -> Result<Encoder, Error> {
    let bytes = (0..tokens.len() as TokenId).map(|token| tokens.bytes(token).into()).collect();
    let training = Training::default();
    Encoder::new(&Model::new(parameters.clone(), bytes, rules.to_vec(), Vec::new(), training)?)
}

/// A bound that is likely to be right: half of what as many pairs reach now as there will be rules.
fn likely_bound(bigrams: &Bigrams, wanted: usize) -> u64 {
    bigrams.reached_by(wanted) / 2
}

/// Counts how often classes of tokens of the first stage stand side by side in a pretoken.
fn count_bigrams(
    (corpus, reading): (&dyn Corpus, Reading),
    totals: Totals,
    encoder: &Encoder,
    edges: &Edges,
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
                    let place = edges.place(pair[0], pair[1], &bigrams);
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

/// Where to cut.
struct Cut<'c> {
    encoder: &'c Encoder,
    edges: &'c Edges,
    bigrams: &'c Bigrams,
    bound: u64,
}

impl Cut<'_> {
    fn cut(&self, document: &str, counter: &mut Counter) -> Result<(), Error> {
        self.encoder.first_stage(document, |pretoken| {
            let mut before = None;
            for &token in pretoken {
                if let Some(before) = before.replace(token) {
                    let place = self.edges.place(before, token, self.bigrams);
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
struct Learner<'l> {
    tokens: &'l mut Tokens,
    edges: &'l mut Edges,
    units: Units,
    weights: Vec<u64>,
    occurrences: Occurrences,
    pairs: Pairs,
    replacer: Replacer,
    /// How often each token occurs.
    counts: Vec<u64>,
    vocabulary: Vocabulary,
    rules: Vec<Rule>,
}

impl<'l> Learner<'l> {
    /// Starts with the first `size` tokens, which are those of the first stage.
    fn new(
        fragments: Fragments,
        (tokens, size): (&'l mut Tokens, usize),
        edges: &'l mut Edges,
        bound: u64,
        threads: usize,
    ) -> Result<Learner<'l>, Error> {
        let (units, weights, occurrences) = Units::new(fragments, true)?;
        let mut pairs = Pairs::new(bound);
        pairs.recount(tokens, (&units, &weights), bound..=bound, 0, threads);
        let weight_of = |token| {
            let places = occurrences.of(token).iter();
            places.map(|place| weights[place.weight as usize]).sum()
        };
        let counts = (0..tokens.len() as TokenId).map(weight_of).collect();
        let mut vocabulary = Vocabulary::new();
        (256..size as TokenId).for_each(|token| vocabulary.add(token));
        let (replacer, rules) = (Replacer::default(), Vec::new());
        Ok(Learner {
            tokens,
            edges,
            units,
            weights,
            occurrences,
            pairs,
            replacer,
            counts,
            vocabulary,
            rules,
        })
    }

    /// Learns the rules, and says whether no pair has been left that reaches the bound.
    fn learn(
        mut self,
        parameters: &Parameters,
        effort: Effort,
        control: &Control,
    ) -> Result<(Vec<Rule>, bool), Error> {
        let mut ran_out = false;
        while self.vocabulary.size() < parameters.vocab_size as usize && !ran_out {
            if self.rules.len().is_multiple_of(64) {
                control.report(Stage::Merges, self.vocabulary.size() as u64)?;
            }
            let rows = (&self.units, self.weights.as_slice());
            match self.pairs.best(self.tokens, rows, &self.occurrences) {
                Some((pair, count)) => self.merge(pair, count),
                None => ran_out = true,
            }
            if effort
                .verify_every
                .is_some_and(|every| (self.rules.len() as u64).is_multiple_of(every))
            {
                self.pairs.verify(&self.units, &self.weights);
            }
        }
        control.report(Stage::Merges, self.vocabulary.size() as u64)?;
        Ok((self.rules, ran_out))
    }

    fn merge(&mut self, pair: Pair, count: u64) {
        let Pair { left, right } = pair;
        let token = self.tokens.joined(left, right);
        self.edges.join(left, right, token);
        self.counts.resize(self.tokens.len(), 0);
        let changed = self.replacer.replace(
            &Join { pair, token },
            &self.pairs.take(pair),
            (&mut self.units, &self.weights),
            (self.tokens, &mut self.pairs),
            self.counts[token as usize] == 0,
        );
        assert_eq!(changed.weight, count, "a merge must be made as often as it was counted");
        self.counts[left as usize] -= count;
        self.counts[right as usize] -= count;
        self.counts[token as usize] += count;
        self.occurrences.add(token, changed.places);
        self.vocabulary.add(token);
        self.rules.push(Rule::Merge { left, right, token, count });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::corpus::Memory;
    use crate::model::SecondStage;
    use crate::pretokenize::{ELIGIBLE, Eligibility, Pattern};
    use crate::{count, merges};

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
            cases: 400,
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
