//! Texts that have an id and no rules: special tokens, and added tokens.
//!
//! A special token is encoded where the caller allows it. An added token is encoded wherever a text
//! contains it.

use std::collections::HashSet;

use super::added_finder::AddedTokenFinder;
use super::token_interner::quote_token;
use super::{Model, TokenId, model_error};
use crate::Error;

/// The special tokens and the added tokens of a model, each in the given order.
#[derive(Clone, Debug)]
pub(super) struct AddedTokens {
    pub(super) special: Vec<(TokenId, String)>,
    pub(super) added: Vec<(TokenId, String)>,
    /// Positions in the special tokens followed by the added tokens, sorted by id.
    by_id: Vec<usize>,
    /// `None` without added tokens.
    pub(super) finder: Option<AddedTokenFinder>,
}

impl AddedTokens {
    /// Rejects texts that are empty or repeated, and ids that are taken. An added token may have the
    /// id of the token of the vocabulary with the same bytes, which `find_token` returns.
    pub(super) fn new<'v>(
        special: Vec<(TokenId, String)>,
        added: Vec<(TokenId, String)>,
        find_token: impl Fn(TokenId) -> Option<&'v [u8]>,
    ) -> Result<AddedTokens, Error> {
        let mut ids = HashSet::new();
        let mut texts = HashSet::new();
        let kinds = [("special", &special), ("added", &added)];
        let all = kinds.iter().flat_map(|(kind, tokens)| tokens.iter().map(move |t| (kind, t)));
        for (kind, (id, text)) in all {
            let quoted = quote_token(text.as_bytes());
            if text.is_empty() {
                return Err(model_error(format!("the {kind} token with the id {id} is empty")));
            }
            if !texts.insert(text) {
                return Err(model_error(format!("the {kind} token {quoted} is repeated")));
            }
            let is_shared = |token: &[u8]| *kind == "added" && token == text.as_bytes();
            if !ids.insert(id) || find_token(*id).is_some_and(|token| !is_shared(token)) {
                return Err(model_error(format!(
                    "the {kind} token {quoted} has the id {id}, which another token has"
                )));
            }
        }
        let mut by_id: Vec<usize> = (0..special.len() + added.len()).collect();
        by_id.sort_unstable_by_key(|&position| nth(&special, &added, position).0);
        let finder = AddedTokenFinder::new(&added)?;
        Ok(AddedTokens { special, added, by_id, finder })
    }

    /// The text of the special token or added token with an id.
    pub(super) fn text(&self, id: TokenId) -> Option<&str> {
        let found = self.by_id.binary_search_by_key(&id, |&position| self.nth(position).0).ok()?;
        Some(&self.nth(self.by_id[found]).1)
    }

    /// The largest id.
    fn last_id(&self) -> Option<TokenId> {
        self.by_id.last().map(|&position| self.nth(position).0)
    }

    fn nth(&self, position: usize) -> &(TokenId, String) {
        nth(&self.special, &self.added, position)
    }
}

/// The token at a position in two lists, of which the second follows the first.
fn nth<'t>(
    special: &'t [(TokenId, String)],
    added: &'t [(TokenId, String)],
    position: usize,
) -> &'t (TokenId, String) {
    special.get(position).unwrap_or_else(|| &added[position - special.len()])
}

impl Model {
    /// The special tokens with their ids, in the given order.
    #[must_use]
    pub fn special_tokens(&self) -> &[(TokenId, String)] {
        &self.added_tokens.special
    }

    /// The added tokens with their ids, in the given order. They are not special: every text that
    /// contains one is split there, and it becomes one id.
    #[must_use]
    pub fn added_tokens(&self) -> &[(TokenId, String)] {
        &self.added_tokens.added
    }

    /// Finds the added tokens in texts; `None` without added tokens.
    #[must_use]
    pub fn added_token_finder(&self) -> Option<&AddedTokenFinder> {
        self.added_tokens.finder.as_ref()
    }

    /// The largest id, including those of special tokens and added tokens.
    pub(super) fn last_id(&self) -> Option<TokenId> {
        self.vocabulary.last().map(|&(id, _)| id).max(self.added_tokens.last_id())
    }

    /// Whether large texts may be split into parts that have the same tokens.
    pub(crate) fn may_split_documents(&self) -> bool {
        self.splitter.may_split_documents()
            && self.added_token_finder().is_none_or(AddedTokenFinder::may_split_documents)
    }
}
