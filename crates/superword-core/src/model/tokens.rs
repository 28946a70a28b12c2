//! Byte strings and their numbers, both ways.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::TokenIndex;

/// Every token that a model's rules name, in the order in which it was added, each once.
///
/// The bytes stand in one buffer, and the table that finds them holds numbers alone: no token is
/// stored twice. The hasher is seeded at random, so that no file can choose its collisions; nothing
/// depends on the order of the table.
#[derive(Clone)]
pub(super) struct Tokens {
    bytes: Vec<u8>,
    /// Where each token ends in `bytes`; it begins where the one before it ends.
    ends: Vec<usize>,
    table: HashTable<TokenIndex>,
    hasher: DefaultHashBuilder,
}

impl Tokens {
    /// The 256 single bytes, numbered by their values, and room for this many more.
    pub(super) fn single_bytes(more: usize) -> Tokens {
        let mut tokens = Tokens {
            bytes: Vec::new(),
            ends: Vec::with_capacity(256 + more),
            table: HashTable::with_capacity(256 + more),
            hasher: DefaultHashBuilder::default(),
        };
        for byte in 0..=u8::MAX {
            tokens.intern(&[byte]);
        }
        tokens
    }

    /// The number of a token, which is added if it is new.
    pub(super) fn intern(&mut self, token: &[u8]) -> TokenIndex {
        let Tokens { bytes, ends, table, hasher } = self;
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

    /// The number of a token.
    pub(super) fn find(&self, token: &[u8]) -> Option<TokenIndex> {
        let is_it = |&index: &TokenIndex| slice(&self.bytes, &self.ends, index) == token;
        self.table.find(self.hasher.hash_one(token), is_it).copied()
    }

    /// The bytes of a token.
    ///
    /// # Panics
    /// If there are not that many tokens.
    pub(super) fn get(&self, index: TokenIndex) -> &[u8] {
        slice(&self.bytes, &self.ends, index)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], index: TokenIndex) -> &'a [u8] {
    let index = index.as_usize();
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.len())
    }
}

/// A token as a message shows it: quoted, not too long, `\x` before what is no UTF-8.
pub(super) fn shown(token: &[u8]) -> String {
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
        let mut tokens = Tokens::single_bytes(0);
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
        assert_eq!(shown("é\n".as_bytes()), r#""é\n""#);
        assert_eq!(shown(b" \xe2"), r#"" \xe2""#);
        assert_eq!(shown(&[b'a'; 99]), format!("\"{}\"... (99 bytes)", "a".repeat(40)));
    }
}
