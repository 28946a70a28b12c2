//! The definition of encoding: the rules, applied one after the other.
//!
//! It is slow and simple. Tests compare the encoder with it, and explanations of an encoding show its
//! steps.

use std::borrow::Borrow;

use crate::Error;
use crate::model::{Model, Rule, Segment, TokenId, TokenIndex};

/// A unit: a pretoken with its tokens, or a superword.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReplayUnit {
    tokens: Vec<TokenIndex>,
    is_eligible: bool,
    is_superword: bool,
}

impl ReplayUnit {
    /// Returns the token of an open unit.
    fn open_token(&self) -> Option<TokenIndex> {
        match self.tokens[..] {
            [token] if self.is_eligible || self.is_superword => Some(token),
            _ => None,
        }
    }
}

/// The state of a text after a rule that changed it, or at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayStep {
    /// The index of the rule; `None` for the start, and at the end of a pruned model for the replacement
    /// of removed tokens.
    pub rule: Option<usize>,
    /// The tokens of each unit after the rule; [`replayed_token`] says which they are.
    pub units: Vec<Vec<TokenIndex>>,
    /// The tokens that the rule made: the index of the unit, and of the token in it.
    pub changes: Vec<(usize, usize)>,
}

/// Applies the rules of a model to a text in order: an iterator over the start, and the state after
/// each rule that changes something; in a pruned model, also after removed tokens are replaced. It holds
/// one state at a time.
#[derive(Debug)]
pub struct Replay<M> {
    model: M,
    units: Vec<ReplayUnit>,
    /// Whether each token occurs in the text. Most rules name tokens that do not.
    occurs: Vec<bool>,
    /// The index of the next rule; `None` before the start.
    next_rule: Option<usize>,
}

/// What changes a text: a rule, or, without one, the replacement of removed tokens; and the changes.
struct TextChange {
    rule: Option<usize>,
    changes: Vec<(usize, usize)>,
}

impl<M: Borrow<Model>> Replay<M> {
    /// Splits a text into pretokens, and these into bytes, unless they are looked up.
    ///
    /// # Errors
    /// When a regex exceeds its backtracking limit.
    pub fn new(model: M, text: &str) -> Result<Replay<M>, Error> {
        let units = split_into_units(model.borrow(), text)?;
        let tokens = model.borrow().token_count() + model.borrow().added_tokens().len();
        let occurs = vec![false; tokens];
        let mut replay = Replay { model, units, occurs, next_rule: None };
        replay.find_occurring();
        Ok(replay)
    }

    fn find_occurring(&mut self) {
        self.occurs.fill(false);
        for token in self.units.iter().flat_map(|unit| &unit.tokens) {
            self.occurs[token.as_usize()] = true;
        }
    }

    /// Applies rules up to the first that changes something. After the last rule, replaces removed
    /// tokens.
    fn apply_next(&mut self) -> Option<TextChange> {
        let first = self.next_rule.unwrap_or(0);
        for (index, rule) in self.model.borrow().rules().iter().enumerate().skip(first) {
            let may_apply = match rule {
                Rule::Merge { left, right, .. } | Rule::Supermerge { left, right, .. } => {
                    self.occurs[left.as_usize()] && self.occurs[right.as_usize()]
                }
                Rule::Delete { token, .. } => self.occurs[token.as_usize()],
            };
            if !may_apply {
                continue;
            }
            let changes = apply_rule(rule, &mut self.units);
            if !changes.is_empty() {
                self.next_rule = Some(index + 1);
                self.find_occurring();
                return Some(TextChange { rule: Some(index), changes });
            }
        }
        if self.next_rule.replace(usize::MAX) == Some(usize::MAX) {
            return None;
        }
        let changes = replace_removed(self.model.borrow(), &mut self.units);
        (!changes.is_empty()).then_some(TextChange { rule: None, changes })
    }
}

impl<M: Borrow<Model>> Iterator for Replay<M> {
    type Item = ReplayStep;

    fn next(&mut self) -> Option<ReplayStep> {
        let TextChange { rule, changes } = if self.next_rule.is_none() {
            self.next_rule = Some(0);
            TextChange { rule: None, changes: Vec::new() }
        } else {
            self.apply_next()?
        };
        let units = self.units.iter().map(|unit| unit.tokens.clone()).collect();
        Some(ReplayStep { rule, units, changes })
    }
}

/// Returns the tokens of a text after all rules.
///
/// # Errors
/// As [`Replay::new`].
pub fn replay_tokens(model: &Model, text: &str) -> Result<Vec<TokenIndex>, Error> {
    let mut replay = Replay::new(model, text)?;
    while replay.apply_next().is_some() {}
    Ok(replay.units.into_iter().flat_map(|unit| unit.tokens).collect())
}

/// Returns the bytes of a token that replay gives, and its id if it has one.
///
/// No rule names an added token. Here the added tokens have the indices after those of the model.
///
/// # Panics
/// If replay does not give this token for the model.
#[must_use]
pub fn replayed_token(model: &Model, token: TokenIndex) -> (&[u8], Option<TokenId>) {
    match token.as_usize().checked_sub(model.token_count()) {
        Some(position) => {
            let (id, text) = &model.added_tokens()[position];
            (text.as_bytes(), Some(*id))
        }
        None => (model.token(token), model.id_of(token)),
    }
}

fn split_into_units(model: &Model, text: &str) -> Result<Vec<ReplayUnit>, Error> {
    let mut units = Vec::new();
    let Some(added_tokens) = model.added_token_finder() else {
        push_pretokens(model, text, &mut units)?;
        return Ok(units);
    };
    for segment in added_tokens.split(text) {
        match segment {
            Segment::Text(text) => push_pretokens(model, text, &mut units)?,
            Segment::Added { position, .. } => units.push(ReplayUnit {
                tokens: vec![TokenIndex((model.token_count() + position) as u32)],
                is_eligible: false,
                is_superword: false,
            }),
        }
    }
    Ok(units)
}

fn push_pretokens(model: &Model, text: &str, units: &mut Vec<ReplayUnit>) -> Result<(), Error> {
    for span in model.pattern().spans(text) {
        let pretoken = &text[span?];
        units.push(ReplayUnit {
            tokens: match model.look_up(pretoken.as_bytes()) {
                Some(token) => vec![token],
                None => pretoken.bytes().map(TokenIndex::from).collect(),
            },
            is_eligible: model.eligibility().has(pretoken)?,
            is_superword: false,
        });
    }
    Ok(())
}

/// Applies a rule wherever it applies, and returns the tokens that it made.
fn apply_rule(rule: &Rule, units: &mut Vec<ReplayUnit>) -> Vec<(usize, usize)> {
    let mut changes = Vec::new();
    match rule {
        Rule::Merge { left, right, token, .. } => {
            for (index, unit) in units.iter_mut().enumerate() {
                let made = join_pairs(&mut unit.tokens, |one, next| {
                    ([*one, *next] == [*left, *right]).then_some(*token)
                });
                changes.extend(made.into_iter().map(|at| (index, at)));
            }
        }
        Rule::Supermerge { left, right, token, .. } => {
            let made = join_pairs(units, |one, next| {
                let is_pair = [one.open_token(), next.open_token()] == [Some(*left), Some(*right)];
                let tokens = vec![*token];
                is_pair.then_some(ReplayUnit { tokens, is_eligible: false, is_superword: true })
            });
            changes.extend(made.into_iter().map(|at| (at, 0)));
        }
        Rule::Delete { token, parts } => {
            for (index, unit) in units.iter_mut().enumerate() {
                if !unit.is_superword && unit.tokens.contains(token) {
                    let split = |old| if old == *token { &**parts } else { &[] };
                    changes.extend(split_tokens(unit, split).map(|part| (index, part)));
                }
            }
        }
    }
    changes
}

/// Replaces neighbours by what `join` returns for them, from the left, in linear time. Returns the
/// positions of the new items.
fn join_pairs<T>(items: &mut Vec<T>, join: impl Fn(&T, &T) -> Option<T>) -> Vec<usize> {
    let mut made = Vec::new();
    let mut rest = std::mem::take(items).into_iter().peekable();
    while let Some(item) = rest.next() {
        let joined = rest.peek().and_then(|next| join(&item, next));
        if joined.is_some() {
            made.push(items.len());
            rest.next();
        }
        items.push(joined.unwrap_or(item));
    }
    made
}

/// Replaces the tokens that a pruned model lacks, and returns the tokens that replace them.
fn replace_removed(model: &Model, units: &mut [ReplayUnit]) -> Vec<(usize, usize)> {
    let mut changes = Vec::new();
    if !model.is_pruned() {
        return changes;
    }
    // Added tokens have the indices after those of the model.
    let is_added = |token: TokenIndex| token.as_usize() >= model.token_count();
    let split = |token| if is_added(token) { &[] } else { model.replacement(token) };
    for (index, unit) in units.iter_mut().enumerate() {
        changes.extend(split_tokens(unit, split).map(|part| (index, part)));
    }
    changes
}

/// Splits the tokens of a unit for which `split` returns parts. Returns the positions of the parts.
fn split_tokens<'p>(
    unit: &mut ReplayUnit,
    split: impl Fn(TokenIndex) -> &'p [TokenIndex],
) -> impl Iterator<Item = usize> {
    let mut tokens = Vec::with_capacity(unit.tokens.len());
    let mut made = Vec::new();
    for &token in &unit.tokens {
        match split(token) {
            [] => tokens.push(token),
            parts => {
                made.extend(tokens.len()..tokens.len() + parts.len());
                tokens.extend_from_slice(parts);
            }
        }
    }
    unit.tokens = tokens;
    made.into_iter()
}
