//! Rules, with their tokens by number or spelled out.

use std::borrow::Cow;

use super::TokenIndex;

/// One rule. A model's rules name tokens by their index; training numbers tokens in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule<T = TokenIndex> {
    /// Join two adjacent tokens inside pretokens.
    Merge {
        /// The left token.
        left: T,
        /// The right token.
        right: T,
        /// The token that they become.
        token: T,
        /// The number of replacements in training.
        count: u64,
    },
    /// Join two adjacent open units.
    Supermerge {
        /// The left token.
        left: T,
        /// The right token.
        right: T,
        /// The superword that they become.
        token: T,
        /// The number of replacements in training.
        count: u64,
    },
    /// Split a token.
    Delete {
        /// The token.
        token: T,
        /// The tokens it is split into.
        parts: Box<[T]>,
    },
}

/// A rule with its tokens spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpelledRule<'a> {
    /// Join two adjacent tokens inside pretokens.
    Merge {
        /// The left token.
        left: Cow<'a, [u8]>,
        /// The right token.
        right: Cow<'a, [u8]>,
        /// The number of replacements in training.
        count: u64,
    },
    /// Join two adjacent open units.
    Supermerge {
        /// The left token.
        left: Cow<'a, [u8]>,
        /// The right token.
        right: Cow<'a, [u8]>,
        /// The number of replacements in training.
        count: u64,
    },
    /// Split a token.
    Delete {
        /// The token.
        token: Cow<'a, [u8]>,
        /// The tokens it is split into.
        parts: Vec<Cow<'a, [u8]>>,
    },
}

impl<T: Copy> Rule<T> {
    /// The token that the rule makes or deletes.
    #[must_use]
    pub fn token(&self) -> T {
        match self {
            Rule::Merge { token, .. }
            | Rule::Supermerge { token, .. }
            | Rule::Delete { token, .. } => *token,
        }
    }

    /// The rule with its tokens numbered in another way, in the order in which it names them.
    pub(crate) fn renumber<U>(self, mut number: impl FnMut(T) -> U) -> Rule<U> {
        match self {
            Rule::Merge { left, right, token, count } => {
                let [left, right, token] = [left, right, token].map(number);
                Rule::Merge { left, right, token, count }
            }
            Rule::Supermerge { left, right, token, count } => {
                let [left, right, token] = [left, right, token].map(number);
                Rule::Supermerge { left, right, token, count }
            }
            Rule::Delete { token, parts } => {
                let token = number(token);
                Rule::Delete { token, parts: parts.into_iter().map(number).collect() }
            }
        }
    }

    /// The rule with its tokens spelled out by a function, which may fail.
    pub(crate) fn spelled<'a, E>(
        &self,
        spell: impl Fn(T) -> Result<Cow<'a, [u8]>, E>,
    ) -> Result<SpelledRule<'a>, E> {
        Ok(match self {
            &Rule::Merge { left, right, count, .. } => {
                SpelledRule::Merge { left: spell(left)?, right: spell(right)?, count }
            }
            &Rule::Supermerge { left, right, count, .. } => {
                SpelledRule::Supermerge { left: spell(left)?, right: spell(right)?, count }
            }
            Rule::Delete { token, parts } => SpelledRule::Delete {
                token: spell(*token)?,
                parts: parts.iter().map(|&part| spell(part)).collect::<Result<_, E>>()?,
            },
        })
    }
}
