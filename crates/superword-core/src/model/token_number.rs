//! The two numbers of a token in a model, which must not be confused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The index of a token in a list of tokens: what rules name.
///
/// In a model, the 256 bytes come first, then the looked-up tokens, then each other token in the order
/// in which rules first make it.
/// Deleted tokens keep their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenIndex(pub u32);

/// The id of a token in the vocabulary: what encoding gives.
///
/// Only tokens of the vocabulary and special tokens have one. Where many ids stand together, as in
/// the result of encoding, they are plain `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(pub u32);

impl TokenIndex {
    /// The index as an array index.
    #[must_use]
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl From<u8> for TokenIndex {
    /// The token of a single byte.
    fn from(byte: u8) -> TokenIndex {
        TokenIndex(byte.into())
    }
}

impl fmt::Display for TokenIndex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
