//! Tokens while training: byte strings, numbered in the order in which they first came up.

use std::collections::HashMap;

/// What a token is called while training. Ids in a vocabulary are another matter.
pub(crate) type TokenId = u32;

/// Every token that has come up; the first 256 are the single bytes.
#[derive(Clone)]
pub(crate) struct Tokens {
    bytes: Vec<Box<[u8]>>,
    ids: HashMap<Box<[u8]>, TokenId>,
}

impl Tokens {
    /// The single bytes.
    pub(crate) fn new() -> Tokens {
        let mut tokens = Tokens { bytes: Vec::new(), ids: HashMap::new() };
        for byte in 0..=255 {
            tokens.add(Box::new([byte]));
        }
        tokens
    }

    /// The token that is these two put together, which may have come up before.
    pub(crate) fn joined(&mut self, left: TokenId, right: TokenId) -> TokenId {
        let bytes = [self.bytes(left), self.bytes(right)].concat();
        self.find(&bytes).unwrap_or_else(|| self.add(bytes.into()))
    }

    /// The token with these bytes, if it has come up.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<TokenId> {
        self.ids.get(bytes).copied()
    }

    /// The bytes of a token.
    pub(crate) fn bytes(&self, token: TokenId) -> &[u8] {
        &self.bytes[token as usize]
    }

    /// How many tokens have come up.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all but the first few tokens.
    pub(crate) fn truncate(&mut self, len: usize) {
        for bytes in self.bytes.drain(len..) {
            self.ids.remove(&bytes);
        }
    }

    /// All bytes, by token.
    pub(crate) fn into_bytes(self) -> Vec<Box<[u8]>> {
        self.bytes
    }

    fn add(&mut self, bytes: Box<[u8]>) -> TokenId {
        let token = self.bytes.len() as TokenId;
        self.ids.insert(bytes.clone(), token);
        self.bytes.push(bytes);
        token
    }
}
