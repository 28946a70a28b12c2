//! The vocabulary after each rule, and the checks that every rule passes.
//!
//! Every model is built here, whether its rules come from training, a file or a truncation. So these
//! checks hold for all models: a rule names tokens that earlier rules have made, and the bytes add
//! up. Rules of training must also name tokens that are still in the vocabulary. The authors' models
//! have rules that name deleted tokens, which do nothing, and deletes that bring such tokens back.

use std::borrow::Cow;

use super::rule::{Rule, SpelledRule};
use super::token_interner::{TokenInterner, quote_token};
use super::{TokenIndex, model_error};
use crate::Error;
use crate::platform::huge_pages;

/// Whether a token is in the vocabulary, and since when.
#[derive(Clone, Copy, Default)]
struct Presence {
    /// The token can occur in a pretoken: it is a single byte, or a merge made it, or a delete
    /// brought it back, and no delete has removed it since.
    by_merge: bool,
    /// The token is a single byte, is looked up, or some merge made it, even if it was deleted later.
    was_merged: bool,
    /// Some supermerge made the token, so deletes no longer remove it from the vocabulary.
    by_supermerge: bool,
    /// The index of the rule with which the token last entered the vocabulary.
    entered: u32,
}

impl Presence {
    /// Whether the token is in the vocabulary.
    fn is_in_vocabulary(self) -> bool {
        self.by_merge || self.by_supermerge
    }

    /// Whether some rule made the token.
    fn was_made(self) -> bool {
        self.was_merged || self.by_supermerge
    }
}

/// The rules so far, and the vocabulary that they produce.
pub(super) struct History {
    pub(super) tokens: TokenInterner,
    pub(super) rules: Vec<Rule>,
    /// By token index.
    presence: Vec<Presence>,
    size: usize,
    /// The number of tokens that are looked up. They follow the single bytes.
    pub(super) lookup_count: usize,
    /// Whether rules may name deleted tokens.
    allows_deleted: bool,
    /// A buffer for the bytes of the token that a rule makes.
    joined: Vec<u8>,
}

impl History {
    /// A history without rules, for those of training. The vocabulary is the 256 bytes.
    pub(super) fn of_training(rules: usize) -> History {
        History { allows_deleted: false, ..History::of_file(|_| true, rules) }
    }

    /// A history without rules, for those of a file. The vocabulary is the given single bytes.
    pub(super) fn of_file(has_byte: impl Fn(u8) -> bool, rules: usize) -> History {
        let mut presence = Vec::with_capacity(256 + rules);
        presence.extend((0..=u8::MAX).map(has_byte).map(|has| Presence {
            by_merge: has,
            was_merged: has,
            ..Presence::default()
        }));
        History {
            tokens: TokenInterner::single_bytes(rules),
            rules: huge_pages::with_capacity(rules),
            size: presence
                .iter()
                .filter(|presence: &&Presence| presence.is_in_vocabulary())
                .count(),
            presence,
            lookup_count: 0,
            allows_deleted: true,
            joined: Vec::new(),
        }
    }

    /// Adds the tokens that are looked up, before the first rule.
    ///
    /// # Errors
    /// When one of them has fewer than two bytes, or comes twice.
    pub(super) fn look_up<'a>(
        mut self,
        tokens: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<History, Error> {
        for token in tokens {
            if token.len() < 2 || self.tokens.find(token).is_some() {
                let token = quote_token(token);
                return Err(model_error(format!(
                    "the looked-up token {token} must have two bytes or more, and occur once"
                )));
            }
            let index = self.tokens.intern(token);
            self.presence.push(Presence::default());
            self.enter(index, set_merged);
            self.lookup_count += 1;
        }
        Ok(self)
    }

    /// Whether a token is looked up.
    pub(super) fn is_looked_up(&self, token: TokenIndex) -> bool {
        (256..256 + self.lookup_count).contains(&token.as_usize())
    }

    /// The number of tokens in the vocabulary.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Adds a rule, and returns it with its tokens by index.
    ///
    /// # Errors
    /// When it could never be performed after the rules so far, or names tokens that no rule has
    /// made.
    pub(super) fn perform(&mut self, rule: &SpelledRule<'_>) -> Result<&Rule, Error> {
        let rule = match rule {
            SpelledRule::Merge { left, right, count } => {
                let [left, right, token] = self.join(left, right, self.may_merge())?;
                self.enter(token, set_merged);
                Rule::Merge { left, right, token, count: *count }
            }
            SpelledRule::Supermerge { left, right, count } => {
                let may_join = if self.allows_deleted {
                    Presence::was_made
                } else {
                    Presence::is_in_vocabulary
                };
                let [left, right, token] = self.join(left, right, may_join)?;
                self.enter(token, |presence| presence.by_supermerge = true);
                Rule::Supermerge { left, right, token, count: *count }
            }
            SpelledRule::Delete { token, parts } => self.delete(token, parts)?,
        };
        self.rules.push(rule);
        Ok(&self.rules[self.rules.len() - 1])
    }

    /// The vocabulary as training orders it: the bytes, then the other tokens in the order in which
    /// they last entered it.
    pub(super) fn in_order_of_entry(&self) -> impl Iterator<Item = TokenIndex> {
        let is_there = |&token: &TokenIndex| self.has(token);
        let later = (256..self.tokens.len() as u32).map(TokenIndex);
        let mut later: Vec<TokenIndex> = later.filter(is_there).collect();
        // No rule of training makes or brings back two tokens, so no two entered with the same rule.
        later.sort_unstable_by_key(|&token| self.presence[token.as_usize()].entered);
        (0..=u8::MAX).map(TokenIndex::from).chain(later)
    }

    /// Whether a token is in the vocabulary.
    pub(super) fn has(&self, token: TokenIndex) -> bool {
        self.presence[token.as_usize()].is_in_vocabulary()
    }

    /// By token index: whether some supermerge made the token.
    pub(super) fn superwords(&self) -> Vec<bool> {
        self.presence.iter().map(|presence| presence.by_supermerge).collect()
    }

    /// The two tokens of a rule, and the token that they make.
    fn join(
        &mut self,
        left: &[u8],
        right: &[u8],
        may_join: fn(Presence) -> bool,
    ) -> Result<[TokenIndex; 3], Error> {
        let left_token = self.find_token(left, may_join)?;
        let right_token = self.find_token(right, may_join)?;
        self.joined.clear();
        self.joined.extend_from_slice(left);
        self.joined.extend_from_slice(right);
        let token = self.tokens.intern(&self.joined);
        if token.as_usize() == self.presence.len() {
            self.presence.push(Presence::default());
        }
        Ok([left_token, right_token, token])
    }

    /// Adds a token to the end of the vocabulary, unless it is in it.
    fn enter(&mut self, token: TokenIndex, mark: impl Fn(&mut Presence)) {
        let presence = &mut self.presence[token.as_usize()];
        if !presence.is_in_vocabulary() {
            presence.entered = self.rules.len() as u32;
            self.size += 1;
        }
        mark(presence);
    }

    fn delete(&mut self, token: &[u8], parts: &[Cow<'_, [u8]>]) -> Result<Rule, Error> {
        let may_merge = self.may_merge();
        let index = self.find_token(token, may_merge)?;
        if token.len() < 2 {
            return Err(self.rule_error(&format!(
                "deletes {}, a single byte; bytes stay",
                quote_token(token)
            )));
        }
        let is_token = parts.iter().flat_map(|part| part.iter()).eq(token);
        if !is_token || parts.len() < 2 {
            let parts: Vec<String> = parts.iter().take(8).map(|part| quote_token(part)).collect();
            let parts = parts.join(", ");
            let problem = format!(
                "splits {} into [{parts}]; there must be two or more parts that spell it",
                quote_token(token)
            );
            return Err(self.rule_error(&problem));
        }
        let parts = parts.iter().map(|part| self.find_token(part, may_merge));
        let parts = parts.collect::<Result<Box<[TokenIndex]>, Error>>()?;
        let presence = &mut self.presence[index.as_usize()];
        if std::mem::replace(&mut presence.by_merge, false) {
            self.size -= usize::from(!presence.by_supermerge);
            for &part in &parts {
                self.enter(part, set_merged);
            }
        }
        Ok(Rule::Delete { token: index, parts })
    }

    /// The test for the tokens that merges and deletes may name.
    fn may_merge(&self) -> fn(Presence) -> bool {
        if self.allows_deleted {
            |presence| presence.was_merged
        } else {
            |presence| presence.by_merge
        }
    }

    /// The index of a token that a rule may name here.
    fn find_token(&self, token: &[u8], may_be: fn(Presence) -> bool) -> Result<TokenIndex, Error> {
        match self.tokens.find(token) {
            Some(index) if may_be(self.presence[index.as_usize()]) => Ok(index),
            Some(_) if token.len() > 1 => Err(self.rule_error(&format!(
                "names {}, which was deleted, or which only supermerges have made",
                quote_token(token)
            ))),
            _ => Err(self.rule_error(&format!(
                "names {}, which no earlier rule has made",
                quote_token(token)
            ))),
        }
    }

    fn rule_error(&self, problem: &str) -> Error {
        Error::Model { reason: format!("rule {} {problem}", self.rules.len()) }
    }
}

fn set_merged(presence: &mut Presence) {
    presence.by_merge = true;
    presence.was_merged = true;
}
