//! Encoding as it is defined: the rules one after the other. Slow, and what the encoder is held to.

use crate::Error;
use crate::model::{Model, Rule, TokenIndex};

/// A unit: one pretoken with its tokens, or one superword.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unit {
    tokens: Vec<TokenIndex>,
    is_eligible: bool,
    is_superword: bool,
}

impl Unit {
    fn open_token(&self) -> Option<TokenIndex> {
        match self.tokens[..] {
            [token] if self.is_eligible || self.is_superword => Some(token),
            _ => None,
        }
    }
}

/// A rule that has changed something, or the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule's index; `None` for the start.
    pub rule: Option<usize>,
    /// The units after it, each with its tokens.
    pub units: Vec<Vec<TokenIndex>>,
    /// Where it changed something: the unit, and which of its tokens came from it.
    pub changes: Vec<(usize, usize)>,
}

/// Applies the rules to a text in order, and gives each step that changes something.
///
/// # Errors
/// When a regex gives up.
pub fn replay(model: &Model, text: &str, mut each: impl FnMut(Step)) -> Result<(), Error> {
    let mut units = Vec::new();
    for span in model.pattern().spans(text) {
        let pretoken = &text[span?];
        units.push(Unit {
            tokens: pretoken.bytes().map(TokenIndex::from).collect(),
            is_eligible: model.eligibility().has(pretoken)?,
            is_superword: false,
        });
    }
    each(step(None, &units, Vec::new()));
    // How often each token is there: most rules name tokens that are not.
    let mut present = vec![0_usize; model.token_count()];
    let count = |units: &[Unit], present: &mut Vec<usize>| {
        present.fill(0);
        units
            .iter()
            .flat_map(|unit| &unit.tokens)
            .for_each(|&token| present[token.as_usize()] += 1);
    };
    count(&units, &mut present);
    for (index, rule) in model.rules().iter().enumerate() {
        let may_apply = match rule {
            Rule::Merge { left, right, .. } | Rule::Supermerge { left, right, .. } => {
                present[left.as_usize()] > 0 && present[right.as_usize()] > 0
            }
            Rule::Delete { token, .. } => present[token.as_usize()] > 0,
        };
        if !may_apply {
            continue;
        }
        let mut changes = Vec::new();
        match rule {
            &Rule::Merge { left, right, token, .. } => {
                for (place, unit) in units.iter_mut().enumerate() {
                    let made = merge(&mut unit.tokens, left, right, token);
                    changes.extend(made.into_iter().map(|at| (place, at)));
                }
            }
            &Rule::Supermerge { left, right, token, .. } => {
                let mut at = 0;
                while at + 1 < units.len() {
                    let pair = (units[at].open_token(), units[at + 1].open_token());
                    if pair == (Some(left), Some(right)) {
                        let tokens = vec![token];
                        units[at] = Unit { tokens, is_eligible: false, is_superword: true };
                        units.remove(at + 1);
                        changes.push((at, 0));
                    }
                    at += 1;
                }
            }
            Rule::Delete { token, parts } => {
                for (place, unit) in units.iter_mut().enumerate() {
                    if unit.is_superword {
                        continue;
                    }
                    let mut tokens = Vec::new();
                    for &old in &unit.tokens {
                        if old == *token {
                            changes
                                .extend((0..parts.len()).map(|part| (place, tokens.len() + part)));
                            tokens.extend_from_slice(parts);
                        } else {
                            tokens.push(old);
                        }
                    }
                    unit.tokens = tokens;
                }
            }
        }
        if !changes.is_empty() {
            count(&units, &mut present);
            each(step(Some(index), &units, changes));
        }
    }
    Ok(())
}

/// Joins a pair, left to right, without overlap; gives the places of the tokens made.
fn merge(
    tokens: &mut Vec<TokenIndex>,
    left: TokenIndex,
    right: TokenIndex,
    token: TokenIndex,
) -> Vec<usize> {
    let mut made = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() {
        if (tokens[at], tokens[at + 1]) == (left, right) {
            tokens[at] = token;
            tokens.remove(at + 1);
            made.push(at);
        }
        at += 1;
    }
    made
}

fn step(rule: Option<usize>, units: &[Unit], changes: Vec<(usize, usize)>) -> Step {
    Step { rule, units: units.iter().map(|unit| unit.tokens.clone()).collect(), changes }
}
