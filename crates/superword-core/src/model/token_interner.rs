//! Byte strings and their indices, in both directions.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::TokenIndex;

/// Every token that a model's rules name, once, in the order of insertion.
///
/// All bytes are in one buffer. The hash table holds only indices, so no token is stored twice. The
/// hasher has a random seed, so no file can choose its collisions, and nothing depends on the order
/// of the table.
#[derive(Clone)]
pub(super) struct TokenInterner {
    bytes: Vec<u8>,
    /// The end of each token in `bytes`. A token begins where the one before it ends.
    ends: Vec<usize>,
    table: HashTable<TokenIndex>,
    hasher: DefaultHashBuilder,
}

/// The bytes of an average token, or more.
const BYTES_PER_TOKEN: usize = 8;

impl TokenInterner {
    /// The 256 single bytes in order, with capacity for `more` tokens.
    pub(super) fn single_bytes(more: usize) -> TokenInterner {
        let mut tokens = TokenInterner {
            bytes: Vec::with_capacity(BYTES_PER_TOKEN * (256 + more)),
            ends: Vec::with_capacity(256 + more),
            table: HashTable::with_capacity(256 + more),
            hasher: DefaultHashBuilder::default(),
        };
        for byte in 0..=u8::MAX {
            tokens.intern(&[byte]);
        }
        tokens
    }

    /// The index of a token, which is added if it is new.
    pub(super) fn intern(&mut self, token: &[u8]) -> TokenIndex {
        let TokenInterner { bytes, ends, table, hasher } = self;
        let is_it = |&index: &TokenIndex| slice(bytes, ends, index) == token;
        let rehash = |&index: &TokenIndex| hasher.hash_one(slice(bytes, ends, index));
        match table.entry(hasher.hash_one(token), is_it, rehash) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let index = TokenIndex(ends.len() as u32);
                entry.insert(index);
                bytes.extend_from_slice(token);
                ends.push(bytes.len());
                index
            }
        }
    }

    /// The index of a token, if it is known.
    pub(super) fn find(&self, token: &[u8]) -> Option<TokenIndex> {
        let is_it = |&index: &TokenIndex| slice(&self.bytes, &self.ends, index) == token;
        self.table.find(self.hasher.hash_one(token), is_it).copied()
    }

    /// The index of a token, if it is known. It is found fastest at the given index.
    pub(super) fn find_near(&self, token: &[u8], near: TokenIndex) -> Option<TokenIndex> {
        let is_there = near.as_usize() < self.len() && self.get(near) == token;
        if is_there { Some(near) } else { self.find(token) }
    }

    /// The bytes of a token.
    ///
    /// # Panics
    /// If there are not that many tokens.
    pub(super) fn get(&self, index: TokenIndex) -> &[u8] {
        slice(&self.bytes, &self.ends, index)
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], index: TokenIndex) -> &'a [u8] {
    let index = index.as_usize();
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
}

impl fmt::Debug for TokenInterner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.len())
    }
}

/// A token for a message: quoted and shortened, with `\x` escapes if it is not UTF-8.
pub(crate) fn quote_token(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let (start, is_whole) = if let Ok(text) = std::str::from_utf8(token) {
        let start: String = text.chars().take(LONGEST).collect();
        (format!("{start:?}"), start.len() == text.len())
    } else {
        let start = &token[..token.len().min(LONGEST)];
        (format!("\"{}\"", start.escape_ascii()), start.len() == token.len())
    };
    if is_whole { start } else { format!("{start}... ({} bytes)", token.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_numbered_as_they_come_and_found_again() {
        let mut tokens = TokenInterner::single_bytes(0);
        assert_eq!(tokens.intern(b"the"), TokenIndex(256));
        assert_eq!(tokens.intern(b"of"), TokenIndex(257));
        assert_eq!(tokens.intern(b"the"), TokenIndex(256));
        assert_eq!(tokens.get(TokenIndex(257)), b"of");
        assert_eq!(tokens.get(TokenIndex(0)), b"\0");
        assert_eq!(tokens.find(b"\xff"), Some(TokenIndex(255)));
        assert_eq!(tokens.find(b"th"), None);
        assert_eq!(tokens.len(), 258);
    }

    #[test]
    fn messages_show_tokens_readably() {
        assert_eq!(quote_token("é\n".as_bytes()), r#""é\n""#);
        assert_eq!(quote_token(b" \xe2"), r#"" \xe2""#);
        assert_eq!(quote_token(&[b'a'; 99]), format!("\"{}\"... (99 bytes)", "a".repeat(40)));
    }
}
