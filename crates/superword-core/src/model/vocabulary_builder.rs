//! The ids that a file gives its tokens, checked against the tokens that its rules make.

use super::history::History;
use super::token_interner::quote_token;
use super::{TokenId, TokenIndex, model_error};
use crate::Error;

/// The vocabulary so far, in ascending order of ids.
///
/// Every token that is in the vocabulary after the last rule needs an id, unless the model is pruned and
/// the token is not looked up. A deleted token may keep one: the authors' models list such tokens, and
/// their ids must still decode.
pub(super) struct VocabularyBuilder<'a> {
    history: &'a History,
    vocabulary: Vec<(TokenId, TokenIndex)>,
    /// By token index.
    is_listed: Vec<bool>,
}

impl<'a> VocabularyBuilder<'a> {
    /// An empty vocabulary for the tokens of a complete history.
    pub(super) fn new(history: &'a History) -> VocabularyBuilder<'a> {
        VocabularyBuilder {
            history,
            vocabulary: Vec::with_capacity(history.tokens.len()),
            is_listed: vec![false; history.tokens.len()],
        }
    }

    /// Adds an id, which must be larger than those before, and its token, which rules must make.
    pub(super) fn add(&mut self, id: TokenId, token: &[u8]) -> Result<(), Error> {
        if let Some(&(before, _)) = self.vocabulary.last()
            && before >= id
        {
            return Err(model_error(format!("ids must ascend, but {id} follows {before}")));
        }
        // Ids and indices usually have the same order.
        let next = self.vocabulary.last().map_or(0, |(_, last)| last.0 + 1);
        let Some(index) = self.history.tokens.find_near(token, TokenIndex(next)) else {
            let token = quote_token(token);
            return Err(model_error(format!("no rule makes the token {token}, id {id}")));
        };
        if std::mem::replace(&mut self.is_listed[index.as_usize()], true) {
            let token = quote_token(token);
            return Err(model_error(format!("the token {token} has two ids; the second is {id}")));
        }
        self.vocabulary.push((id, index));
        Ok(())
    }

    /// The vocabulary, if every token has an id, or tokens may have none.
    pub(super) fn finish(self, is_pruned: bool) -> Result<Vec<(TokenId, TokenIndex)>, Error> {
        let is_missing = |&index: &TokenIndex| {
            let may_be_missing = is_pruned && !self.history.is_looked_up(index);
            !may_be_missing && self.history.has(index) && !self.is_listed[index.as_usize()]
        };
        if let Some(missing) = (0..self.is_listed.len() as u32).map(TokenIndex).find(is_missing) {
            let token = quote_token(self.history.tokens.get(missing));
            if self.history.is_looked_up(missing) {
                return Err(model_error(format!("the looked-up token {token} has no id")));
            }
            return Err(model_error(format!("the rules make the token {token}, which has no id")));
        }
        Ok(self.vocabulary)
    }
}

/// By byte: whether it is one of these tokens.
pub(super) fn mark_bytes<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> [bool; 256] {
    let mut listed = [false; 256];
    for token in tokens {
        if let [byte] = *token {
            listed[usize::from(byte)] = true;
        }
    }
    listed
}
