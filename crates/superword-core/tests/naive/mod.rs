//! Training as docs/algorithm.md defines it, slow and plain: the naive twin of
//! `superword_core::train`.
//!
//! Of the package it uses only what splits texts. After a rule, only the sequences that it changes
//! are counted again; nothing else is done for speed.

mod comparing;
mod sequences;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;

use superword_core::model::{Deletion, Parameters};
use superword_core::pretokenize::{ForbiddenText, SCRIPT_PATTERN, is_unspaced_word};
use superword_core::{Eligibility, Pattern};

pub(crate) use self::comparing::{assert_same_model, assert_same_model_in_memory};
use self::sequences::{Pair, Sequences, Token, join};

/// Patterns by which the same bytes are split in many ways.
pub(crate) const PATTERNS: [&str; 17] = [
    "boundless",
    "gpt2",
    "gpt4o",
    SCRIPT_PATTERN,
    ".",
    "(?s).",
    "(?s).{1,2}",
    "ab|.",
    " ?[a-z]+|.",
    "(?s) ?.",
    r"[ab]+|\s",
    "a+|b",
    "(?<= )[ab]+|.",
    "(?<=b)a+b?|.b",
    "(?<=')[ab]+|.",
    "(?<=b)a+b?|.",
    "(?<=')[ab]+|[ab]",
];

/// A rule.
#[derive(Debug, PartialEq)]
struct Rule {
    kind: Kind,
    /// The token that it makes or deletes.
    token: Token,
    /// The pair that it joins, or what the deleted token is split into.
    parts: Vec<Token>,
    /// How often the pair was joined; 0 for a delete.
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Merge,
    Supermerge,
    Delete,
}

/// Learns the rules and the vocabulary. A token's index in the vocabulary is its id.
fn train(documents: &[String], parameters: &Parameters) -> (Vec<Rule>, Vec<Token>) {
    let mut trainer = Trainer::new(documents, parameters);
    while trainer.vocabulary.len() < parameters.vocab_size as usize && trainer.step(parameters) {}
    (trainer.rules, trainer.vocabulary)
}

/// A pretoken, by its number, or a superword.
#[derive(Clone)]
enum Unit {
    Pretoken(usize),
    Superword(Token),
}

/// The state of training.
#[derive(Default)]
struct Trainer {
    /// The distinct pretokens, each standing alone, as if there were no supermerges.
    pretokens: Sequences,
    is_eligible: Vec<bool>,
    /// The pretokens that hold each token.
    holders: HashMap<Token, BTreeSet<usize>>,
    /// The documents, split at the pretokens that are not eligible: those never open.
    runs: Vec<Vec<Unit>>,
    /// For each unit of a run its token if it is open, and otherwise an empty one.
    open: Sequences,
    /// The runs that contained each pretoken at the start.
    runs_of: Vec<BTreeSet<usize>>,
    rules: Vec<Rule>,
    vocabulary: Vec<Token>,
    /// The words of superwords; other tokens have one.
    words: HashMap<Token, u32>,
}

impl Trainer {
    fn new(documents: &[String], parameters: &Parameters) -> Trainer {
        let pattern = Pattern::new(&parameters.pattern).expect("a pattern");
        let eligibility = Eligibility::new(&parameters.eligible).expect("a regex");
        let bytes: Vec<u8> = (0..=255).collect();
        let mut trainer = Trainer { vocabulary: single_bytes(&bytes), ..Trainer::default() };
        let mut numbers = HashMap::new();
        for document in documents {
            let mut is_in_run = false;
            for span in pattern.spans(document) {
                let pretoken = &document[span.expect("the pattern does not give up")];
                let number = *numbers.entry(pretoken).or_insert_with(|| {
                    let is_eligible = eligibility.has(pretoken).expect("nor does the regex");
                    trainer.is_eligible.push(is_eligible);
                    trainer.runs_of.push(BTreeSet::new());
                    trainer.pretokens.push(0)
                });
                trainer.pretokens.weights[number] += 1;
                let was_in_run = mem::replace(&mut is_in_run, trainer.is_eligible[number]);
                if is_in_run && parameters.supermerges {
                    if !was_in_run {
                        trainer.runs.push(Vec::new());
                        trainer.open.push(1);
                    }
                    let run = trainer.runs.len() - 1;
                    trainer.runs[run].push(Unit::Pretoken(number));
                    trainer.runs_of[number].insert(run);
                }
            }
        }
        for (pretoken, number) in numbers {
            trainer.set_pretoken(number, single_bytes(pretoken.as_bytes()));
        }
        trainer
    }

    /// Performs one step, its deletions included. Returns false when no pair is frequent enough.
    fn step(&mut self, parameters: &Parameters) -> bool {
        let limits = &parameters.limits;
        let forbidden =
            limits.forbid.as_deref().map(|regex| ForbiddenText::new(regex).expect("a regex"));
        let allows = |(left, right): &Pair| {
            let token = [&**left, &**right].concat();
            let is_forbidden = forbidden
                .as_ref()
                .is_some_and(|regex| regex.has(&token).expect("a match, or none"));
            token.len() <= limits.max_token_bytes.map_or(usize::MAX, |max| max as usize)
                && !is_forbidden
        };
        let cap = limits.max_superwords.map(|cap| cap.count(parameters.vocab_size));
        let is_capped = cap.is_some_and(|cap| self.count_superwords() >= cap);
        let allows_supermerge = |pair: &Pair| {
            // Under a cap, words of scripts without spaces join only each other.
            let is_within_cap = match (is_unspaced_word(&pair.0), is_unspaced_word(&pair.1)) {
                (false, false) => !is_capped,
                (true, true) => cap.is_none() || !pair.1.starts_with(b" "),
                _ => cap.is_none(),
            };
            let max_words = limits.max_words.unwrap_or(u32::MAX);
            is_within_cap && count_words(&self.words, pair) <= max_words && allows(pair)
        };
        let (merge, merge_count) = self.pretokens.most_frequent(allows);
        let (supermerge, supermerge_count) = self.open.most_frequent(allows_supermerge);
        if merge_count.max(supermerge_count) < parameters.min_count {
            return false;
        }
        if supermerge_count >= merge_count {
            self.supermerge(&supermerge, supermerge_count);
            return true;
        }
        let mut tokens = vec![merge.0.clone(), merge.1.clone()];
        tokens.dedup();
        // Before the merge.
        tokens.retain(|token| {
            parameters.deletion.is_some()
                && token.len() > 1
                && share(merge_count, self.count(token)) >= parameters.tau
        });
        self.merge(&merge, merge_count);
        for token in tokens {
            let is_pair = parameters.deletion == Some(Deletion::Pair);
            let parts = if is_pair { self.pair_parts(&token) } else { single_bytes(&token) };
            self.delete(token, parts);
        }
        true
    }

    /// Counts the superwords in the vocabulary, but those of scripts without spaces. They never leave
    /// it.
    fn count_superwords(&self) -> usize {
        let supermerges = self.rules.iter().filter(|rule| rule.kind == Kind::Supermerge);
        let tokens = supermerges.map(|rule| &rule.token);
        tokens.filter(|token| !is_unspaced_word(token)).collect::<HashSet<_>>().len()
    }

    fn merge(&mut self, pair: &Pair, count: u64) {
        let token = self.make(Kind::Merge, pair, count);
        for number in self.pretokens.holding(pair).clone() {
            let tokens = &self.pretokens.tokens[number];
            self.set_pretoken(number, join(tokens, tokens, pair, &token));
        }
    }

    fn supermerge(&mut self, pair: &Pair, count: u64) {
        let token = self.make(Kind::Supermerge, pair, count);
        let before = self.words.get(&token).copied().unwrap_or(1);
        self.words.insert(token.clone(), before.max(count_words(&self.words, pair)));
        let superword = Unit::Superword(token);
        for run in self.open.holding(pair).clone() {
            self.runs[run] = join(&self.runs[run], &self.open.tokens[run], pair, &superword);
            self.recount_run(run);
        }
    }

    /// Adds a rule that joins a pair, and its token to the vocabulary unless it has it.
    fn make(&mut self, kind: Kind, (left, right): &Pair, count: u64) -> Token {
        let token = Token::from([&**left, &**right].concat());
        if !self.vocabulary.contains(&token) {
            self.vocabulary.push(token.clone());
        }
        let parts = vec![left.clone(), right.clone()];
        self.rules.push(Rule { kind, token: token.clone(), parts, count });
        token
    }

    fn delete(&mut self, token: Token, parts: Vec<Token>) {
        for number in self.holders[&token].clone() {
            let tokens = self.pretokens.tokens[number].iter().cloned();
            let split = |other| if other == token { parts.clone() } else { vec![other] };
            self.set_pretoken(number, tokens.flat_map(split).collect());
        }
        let is_supermerge = |rule: &Rule| rule.kind == Kind::Supermerge && rule.token == token;
        if !self.rules.iter().any(is_supermerge) {
            let index = self.vocabulary.iter().position(|other| *other == token);
            self.vocabulary.remove(index.expect("a token that is deleted was made"));
        }
        self.rules.push(Rule { kind: Kind::Delete, token, parts, count: 0 });
    }

    /// Returns the pair of the first merge that made a token. A part that is deleted is split
    /// again.
    fn pair_parts(&self, token: &Token) -> Vec<Token> {
        let is_merge = |rule: &&Rule| rule.kind == Kind::Merge && rule.token == *token;
        let first = self.rules.iter().find(is_merge).expect("a merge made the token");
        let split = first.parts.iter().flat_map(|part| {
            let is_about = |rule: &&Rule| rule.kind != Kind::Supermerge && rule.token == *part;
            match self.rules.iter().rfind(is_about) {
                Some(last) if last.kind == Kind::Delete => self.pair_parts(part),
                _ => vec![part.clone()],
            }
        });
        split.collect()
    }

    /// Counts a token in the pretokens.
    fn count(&self, token: &Token) -> u64 {
        let in_pretoken = |&number: &usize| {
            let equal = self.pretokens.tokens[number].iter().filter(|other| *other == token);
            equal.count() as u64 * self.pretokens.weights[number]
        };
        self.holders[token].iter().map(in_pretoken).sum()
    }

    /// Sets the tokens of a pretoken, wherever it occurs.
    fn set_pretoken(&mut self, number: usize, tokens: Vec<Token>) {
        for token in &self.pretokens.tokens[number] {
            self.holders.get_mut(token).expect("it holds the token").remove(&number);
        }
        for token in &tokens {
            self.holders.entry(token.clone()).or_default().insert(number);
        }
        let was_open = self.open_token(&Unit::Pretoken(number));
        self.pretokens.set(number, tokens);
        if self.open_token(&Unit::Pretoken(number)) != was_open {
            for run in self.runs_of[number].clone() {
                self.recount_run(run);
            }
        }
    }

    fn recount_run(&mut self, run: usize) {
        let tokens = self.runs[run].iter().map(|unit| self.open_token(unit)).collect();
        self.open.set(run, tokens);
    }

    /// Returns the token of an open unit, and an empty one for a unit that is not open.
    fn open_token(&self, unit: &Unit) -> Token {
        match unit {
            Unit::Superword(token) => token.clone(),
            Unit::Pretoken(number) => match self.pretokens.tokens[*number].as_slice() {
                [token] if self.is_eligible[*number] => token.clone(),
                _ => Token::default(),
            },
        }
    }
}

/// Counts the words that a supermerge of a pair would join. Letters of scripts without spaces are one
/// word, however many.
fn count_words(words: &HashMap<Token, u32>, (left, right): &Pair) -> u32 {
    if is_unspaced_word(&[&**left, &**right].concat()) {
        return 1;
    }
    [left, right].iter().map(|token| words.get(*token).copied().unwrap_or(1)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "the definition divides doubles")]
fn share(pair_count: u64, token_count: u64) -> f64 {
    pair_count as f64 / token_count as f64
}

/// Splits a token into its bytes: `ab` -> `a b`.
fn single_bytes(token: &[u8]) -> Vec<Token> {
    token.iter().map(|&byte| Token::from([byte])).collect()
}
