//! The vocabulary as rules are added one by one, and what keeps a rule from being added.
//!
//! Every model is made here, whether training, a file or a cut gives its rules, so what is checked
//! here holds for all of them: a rule names tokens that earlier rules have made, and the bytes add
//! up. What training gives is held to more: the tokens are still there. The authors' models have
//! rules with tokens that were deleted, which do nothing, and deletes that bring such tokens back.

use std::borrow::Cow;

use super::TokenIndex;
use super::rule::{Rule, SpelledRule};
use super::tokens::{Tokens, shown};
use crate::Error;

/// Whether a token is there, and since when.
#[derive(Clone, Copy, Default)]
struct Presence {
    /// It may stand in a pretoken: it is a single byte, or a merge has made it, or a delete has
    /// brought it back, and no delete has removed it since.
    by_merge: bool,
    /// It is a single byte, or some merge has made it, be it deleted since.
    was_merged: bool,
    /// Some supermerge has made it: no delete removes it any more.
    by_supermerge: bool,
    /// The rule with which it last entered the vocabulary.
    entered: usize,
}

impl Presence {
    /// Whether it is in the vocabulary.
    fn is_there(self) -> bool {
        self.by_merge || self.by_supermerge
    }

    /// Whether some rule has made it.
    fn was_made(self) -> bool {
        self.was_merged || self.by_supermerge
    }
}

/// The rules so far, and the vocabulary that they lead to.
pub(super) struct History {
    pub(super) tokens: Tokens,
    pub(super) rules: Vec<Rule>,
    /// By the number of the token.
    presence: Vec<Presence>,
    size: usize,
    /// Whether rules may name tokens that are not there any more.
    names_the_deleted: bool,
    /// Room for the token that a rule makes.
    joined: Vec<u8>,
}

impl History {
    /// No rules yet, and room for those of training; the vocabulary is the 256 bytes.
    pub(super) fn of_training(rules: usize) -> History {
        History { names_the_deleted: false, ..History::of_file(|_| true, rules) }
    }

    /// No rules yet, and room for those of a file; the vocabulary is these single bytes.
    pub(super) fn of_file(has_byte: impl Fn(u8) -> bool, rules: usize) -> History {
        let presence: Vec<Presence> = (0..=u8::MAX)
            .map(has_byte)
            .map(|has| Presence { by_merge: has, was_merged: has, ..Presence::default() })
            .collect();
        History {
            tokens: Tokens::single_bytes(rules),
            rules: Vec::with_capacity(rules),
            size: presence.iter().filter(|presence| presence.is_there()).count(),
            presence,
            names_the_deleted: true,
            joined: Vec::new(),
        }
    }

    /// How many tokens are in the vocabulary.
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
                self.enter(token, mark_merged);
                Rule::Merge { left, right, token, count: *count }
            }
            SpelledRule::Supermerge { left, right, count } => {
                let may_join =
                    if self.names_the_deleted { Presence::was_made } else { Presence::is_there };
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
        let is_there = |&token: &TokenIndex| self.is_there(token);
        let later = (256..self.tokens.len() as u32).map(TokenIndex);
        let mut later: Vec<TokenIndex> = later.filter(is_there).collect();
        // No rule of training makes or brings back two tokens, so no two entered with the same rule.
        later.sort_unstable_by_key(|&token| self.presence[token.as_usize()].entered);
        (0..=u8::MAX).map(TokenIndex::from).chain(later)
    }

    /// Whether a token is in the vocabulary.
    pub(super) fn is_there(&self, token: TokenIndex) -> bool {
        self.presence[token.as_usize()].is_there()
    }

    /// By token index: whether some supermerge has made the token.
    pub(super) fn superwords(&self) -> Vec<bool> {
        self.presence.iter().map(|presence| presence.by_supermerge).collect()
    }

    /// Two tokens, and the one that they make.
    fn join(
        &mut self,
        left: &[u8],
        right: &[u8],
        may_join: fn(Presence) -> bool,
    ) -> Result<[TokenIndex; 3], Error> {
        let left_token = self.present(left, may_join)?;
        let right_token = self.present(right, may_join)?;
        self.joined.clear();
        self.joined.extend_from_slice(left);
        self.joined.extend_from_slice(right);
        let token = self.tokens.intern(&self.joined);
        if token.as_usize() == self.presence.len() {
            self.presence.push(Presence::default());
        }
        Ok([left_token, right_token, token])
    }

    /// Puts a token into the vocabulary, at its end if it is not in it.
    fn enter(&mut self, token: TokenIndex, mark: impl Fn(&mut Presence)) {
        let presence = &mut self.presence[token.as_usize()];
        if !presence.is_there() {
            presence.entered = self.rules.len();
            self.size += 1;
        }
        mark(presence);
    }

    fn delete(&mut self, token: &[u8], parts: &[Cow<'_, [u8]>]) -> Result<Rule, Error> {
        let may_merge = self.may_merge();
        let index = self.present(token, may_merge)?;
        if token.len() < 2 {
            return Err(self.refused(&format!("deletes {}, a single byte", shown(token))));
        }
        let is_token = parts.iter().flat_map(|part| part.iter()).eq(token);
        if !is_token || parts.len() < 2 {
            let parts: Vec<String> = parts.iter().take(8).map(|part| shown(part)).collect();
            let parts = parts.join(", ");
            let problem =
                format!("splits {} into [{parts}], which do not make it up", shown(token));
            return Err(self.refused(&problem));
        }
        let parts = parts.iter().map(|part| self.present(part, may_merge));
        let parts = parts.collect::<Result<Box<[TokenIndex]>, Error>>()?;
        let presence = &mut self.presence[index.as_usize()];
        if std::mem::replace(&mut presence.by_merge, false) {
            self.size -= usize::from(!presence.by_supermerge);
            for &part in &parts {
                self.enter(part, mark_merged);
            }
        }
        Ok(Rule::Delete { token: index, parts })
    }

    /// Which tokens merges and deletes may name.
    fn may_merge(&self) -> fn(Presence) -> bool {
        if self.names_the_deleted {
            |presence| presence.was_merged
        } else {
            |presence| presence.by_merge
        }
    }

    /// The index of a token that a rule may name here.
    fn present(&self, token: &[u8], may_be: fn(Presence) -> bool) -> Result<TokenIndex, Error> {
        match self.tokens.find(token) {
            Some(index) if may_be(self.presence[index.as_usize()]) => Ok(index),
            Some(_) if token.len() > 1 => Err(self.refused(&format!(
                "names {}, which is not there: it was deleted, or only supermerges have made it",
                shown(token)
            ))),
            _ => Err(self.refused(&format!(
                "names {}, which is no token: no earlier rule has made it",
                shown(token)
            ))),
        }
    }

    fn refused(&self, problem: &str) -> Error {
        Error::Model { reason: format!("rule {} {problem}", self.rules.len()) }
    }
}

fn mark_merged(presence: &mut Presence) {
    presence.by_merge = true;
    presence.was_merged = true;
}
