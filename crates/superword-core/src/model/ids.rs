//! The ids that a file gives its tokens, held to what its rules lead to.

use super::history::History;
use super::tokens::shown;
use super::{TokenId, TokenIndex, refusal};
use crate::Error;

/// The ids so far, ascending, with their tokens.
///
/// Every token that is there after the last rule needs one. A token that was deleted may keep one:
/// the authors' models list such tokens, and their ids still have to be decoded.
pub(super) struct Ids<'a> {
    history: &'a History,
    vocabulary: Vec<(TokenId, TokenIndex)>,
    /// By token index.
    is_listed: Vec<bool>,
}

impl<'a> Ids<'a> {
    /// No ids yet for the tokens of a history that is complete.
    pub(super) fn new(history: &'a History) -> Ids<'a> {
        Ids { history, vocabulary: Vec::new(), is_listed: vec![false; history.tokens.len()] }
    }

    /// Adds an id, which has to be above those before, and its token, which rules have made.
    pub(super) fn add(&mut self, id: TokenId, token: &[u8]) -> Result<(), Error> {
        if let Some(&(before, _)) = self.vocabulary.last()
            && before >= id
        {
            return Err(refusal(format!("ids must ascend, but {id} comes after {before}")));
        }
        let Some(index) = self.history.tokens.find(token) else {
            let token = shown(token);
            return Err(refusal(format!("the rules do not lead to the token {token}, id {id}")));
        };
        if std::mem::replace(&mut self.is_listed[index.as_usize()], true) {
            let token = shown(token);
            return Err(refusal(format!("the token {token} is there twice, last with id {id}")));
        }
        self.vocabulary.push((id, index));
        Ok(())
    }

    /// The ids with their tokens, when no token lacks one.
    pub(super) fn finish(self) -> Result<Vec<(TokenId, TokenIndex)>, Error> {
        let is_missing =
            |&index: &TokenIndex| self.history.is_there(index) && !self.is_listed[index.as_usize()];
        if let Some(missing) = (0..self.is_listed.len() as u32).map(TokenIndex).find(is_missing) {
            let token = shown(self.history.tokens.get(missing));
            return Err(refusal(format!("the rules lead to the token {token}, which has no id")));
        }
        Ok(self.vocabulary)
    }
}

/// By byte: whether it is one of these tokens.
pub(super) fn listed_bytes<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> [bool; 256] {
    let mut listed = [false; 256];
    for token in tokens {
        if let [byte] = *token {
            listed[usize::from(byte)] = true;
        }
    }
    listed
}
