//! Which pairs may become rules, by the token that they make.

use crate::error::Error;
use crate::model::RuleLimits;
use crate::pretokenize::ForbiddenText;
use crate::train::engine::{TokenPair, TrainingTokens};

/// The limits on the bytes and the text of tokens (docs/algorithm.md). They depend on the bytes
/// that a pair spells alone, so a pair that is removed stays removed.
pub(crate) struct TokenFilter {
    max_token_bytes: usize,
    forbidden: Option<ForbiddenText>,
}

impl TokenFilter {
    pub(crate) fn new(limits: &RuleLimits) -> Result<TokenFilter, Error> {
        let max_token_bytes = limits.max_token_bytes.map_or(usize::MAX, |max| max as usize);
        let forbidden = limits.forbid.as_deref().map(ForbiddenText::new).transpose()?;
        Ok(TokenFilter { max_token_bytes, forbidden })
    }

    /// Whether all tokens are allowed.
    pub(crate) fn allows_all(&self) -> bool {
        self.max_token_bytes == usize::MAX && self.forbidden.is_none()
    }

    /// Returns whether the token that a pair makes is allowed.
    pub(crate) fn allows(&self, tokens: &TrainingTokens, pair: TokenPair) -> Result<bool, Error> {
        let [left, right] = [pair.left, pair.right].map(|token| tokens.bytes(token));
        if left.len() + right.len() > self.max_token_bytes {
            return Ok(false);
        }
        match &self.forbidden {
            Some(forbidden) => forbidden.has(&[left, right].concat()).map(|has| !has),
            None => Ok(true),
        }
    }
}
