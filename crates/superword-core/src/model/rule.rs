//! Rules, with their tokens as numbers or spelled out.

use std::borrow::Cow;

/// One rule of a model. Tokens are named by their numbers, which are not their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Join two tokens inside pretokens.
    Merge {
        /// The first of the two.
        left: u32,
        /// The second.
        right: u32,
        /// The two as one.
        token: u32,
        /// How often training did it.
        count: u64,
    },
    /// Join two tokens that are open units.
    Supermerge {
        /// The first of the two.
        left: u32,
        /// The second.
        right: u32,
        /// The two as one, a superword.
        token: u32,
        /// How often training did it.
        count: u64,
    },
    /// Split a token.
    Delete {
        /// The token.
        token: u32,
        /// What it is split into.
        parts: Box<[u32]>,
    },
}

/// A rule with its tokens spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpelledRule<'a> {
    /// Join two tokens inside pretokens.
    Merge {
        /// The first of the two.
        left: Cow<'a, [u8]>,
        /// The second.
        right: Cow<'a, [u8]>,
        /// How often training did it.
        count: u64,
    },
    /// Join two tokens that are open units.
    Supermerge {
        /// The first of the two.
        left: Cow<'a, [u8]>,
        /// The second.
        right: Cow<'a, [u8]>,
        /// How often training did it.
        count: u64,
    },
    /// Split a token.
    Delete {
        /// The token.
        token: Cow<'a, [u8]>,
        /// What it is split into.
        parts: Vec<Cow<'a, [u8]>>,
    },
}

impl Rule {
    /// The number of the token that the rule makes or deletes.
    #[must_use]
    pub fn token(&self) -> u32 {
        match self {
            Rule::Merge { token, .. }
            | Rule::Supermerge { token, .. }
            | Rule::Delete { token, .. } => *token,
        }
    }

    /// The rule with its tokens spelled out by a function, which may fail.
    pub(super) fn spelled<'a, E>(
        &self,
        spell: impl Fn(u32) -> Result<Cow<'a, [u8]>, E>,
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
