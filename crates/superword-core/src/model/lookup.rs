//! Tokens that are looked up: a pretoken that spells one is this token before any rule.
//!
//! Other libraries look up each pretoken in the vocabulary, and merge only what they do not find. That
//! matters for the tokens that merges do not make of their own bytes. A model lists those. They always
//! stay one token: nothing is deleted in such a model, and they cannot be pruned.

use super::history::History;
use super::{Model, Parameters, TokenIndex, model_error};
use crate::Error;

impl Model {
    /// The tokens that are looked up, in the order of the file.
    #[must_use]
    pub fn lookup_tokens(&self) -> impl ExactSizeIterator<Item = TokenIndex> + use<> {
        (256..256 + self.lookup_count).map(|index| TokenIndex(index as u32))
    }

    /// The token that a pretoken is before any rule, if it is looked up.
    #[must_use]
    pub fn look_up(&self, pretoken: &[u8]) -> Option<TokenIndex> {
        if self.lookup_count == 0 {
            return None;
        }
        self.tokens.find(pretoken).filter(|&token| self.is_looked_up(token))
    }

    /// Whether a token is looked up.
    #[must_use]
    pub fn is_looked_up(&self, token: TokenIndex) -> bool {
        (256..256 + self.lookup_count).contains(&token.as_usize())
    }

    /// The bytes of the tokens that are looked up.
    pub(super) fn spell_lookup_tokens(&self) -> impl Iterator<Item = &[u8]> {
        self.lookup_tokens().map(|token| self.token(token))
    }
}

/// Rejects looked-up tokens in models that have no use for them.
pub(super) fn check_lookup(parameters: &Parameters, history: &History) -> Result<(), Error> {
    let reason = match parameters {
        _ if history.lookup_count == 0 => return Ok(()),
        Parameters { deletion: Some(_), .. } => "a model with deletion has no looked-up tokens",
        Parameters { second_stage: Some(_), .. } => {
            "a model with a second stage has no looked-up tokens"
        }
        _ => return Ok(()),
    };
    Err(model_error(reason.to_owned()))
}
