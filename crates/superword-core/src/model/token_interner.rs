//! Byte strings and their indices, in both directions.

use std::fmt;

use super::TokenIndex;
use crate::platform::cpu::prefetch;
use crate::platform::hash::{fold, secret};
use crate::platform::huge_pages::HugeBlock;
use crate::pretokenize::key::long_hash;

/// The longest token, in bytes, that a slot of the hash table holds.
const INLINE: usize = 8;

/// Every token that a model's rules name, once, in the order of insertion.
///
/// All bytes are in one buffer. The hash of a process is secret, so no file can choose its collisions,
/// and nothing depends on the order of the hash table. It is written by hand because reading a model
/// looks up three tokens for each rule, most of which are short: their bytes are in their slots, and
/// slots can be prefetched. With a `hashbrown::HashTable` of indices, reading 131,072 tokens takes a
/// fifth more time.
#[derive(Clone)]
pub(super) struct TokenInterner {
    bytes: Vec<u8>,
    /// The end of each token in `bytes`. A token begins where the one before it ends.
    ends: Vec<usize>,
    /// A power of two of slots, at most three quarters of them used.
    slots: HugeBlock<Slot>,
}

/// A slot of the hash table.
#[derive(Clone, Copy)]
struct Slot {
    key: SlotKey,
    index: u32,
}

/// A token with its hash: short ones are equal if their keys are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SlotKey {
    /// The bytes of a short token, padded with zeros, or the hash of a longer one.
    word: u64,
    len: u32,
}

/// The index of a free slot.
const FREE: u32 = u32::MAX;

/// A free slot.
const NO_TOKEN: Slot = Slot { key: SlotKey { word: 0, len: 0 }, index: FREE };

impl SlotKey {
    #[inline]
    fn of(token: &[u8]) -> SlotKey {
        let len = token.len();
        let word = if len <= INLINE { read_word(token) } else { long_hash(token) };
        SlotKey { word, len: len as u32 }
    }

    /// Returns the index of its first slot, among so many.
    #[inline]
    fn home(self, slots: usize) -> usize {
        let hash = fold(self.word ^ secret(), 0x9E37_79B9_7F4A_7C15 ^ u64::from(self.len));
        hash as usize & (slots - 1)
    }

    #[inline]
    fn is_short(self) -> bool {
        self.len as usize <= INLINE
    }
}

impl TokenInterner {
    /// The 256 single bytes in order, with capacity for `more` tokens.
    pub(super) fn single_bytes(more: usize) -> TokenInterner {
        let slots = ((256 + more) / 3 * 4 + 4).next_power_of_two();
        let mut tokens = TokenInterner {
            bytes: Vec::new(),
            ends: Vec::with_capacity(256 + more),
            slots: HugeBlock::filled(NO_TOKEN, slots),
        };
        for byte in 0..=u8::MAX {
            tokens.intern(&[byte]);
        }
        tokens
    }

    /// The index of a token, which is added if it is new.
    pub(super) fn intern(&mut self, token: &[u8]) -> TokenIndex {
        let key = SlotKey::of(token);
        let slot = self.probe(key, token);
        if self.slots[slot].index != FREE {
            return TokenIndex(self.slots[slot].index);
        }
        let index = self.ends.len() as u32;
        self.slots[slot] = Slot { key, index };
        self.bytes.extend_from_slice(token);
        self.ends.push(self.bytes.len());
        if self.ends.len() > self.slots.len() / 4 * 3 {
            self.grow();
        }
        TokenIndex(index)
    }

    /// The index of a token, if it is known.
    pub(super) fn find(&self, token: &[u8]) -> Option<TokenIndex> {
        let index = self.slots[self.probe(SlotKey::of(token), token)].index;
        (index != FREE).then_some(TokenIndex(index))
    }

    /// Prefetches what [`TokenInterner::find`] reads first.
    pub(super) fn prefetch(&self, token: &[u8]) {
        prefetch(&self.slots[SlotKey::of(token).home(self.slots.len())]);
    }

    /// The slot of a token, or the free slot where it belongs.
    #[inline]
    fn probe(&self, key: SlotKey, token: &[u8]) -> usize {
        let mut slot = key.home(self.slots.len());
        loop {
            let Slot { key: other, index } = self.slots[slot];
            let is_found = other == key && (key.is_short() || self.get(TokenIndex(index)) == token);
            if index == FREE || is_found {
                return slot;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = HugeBlock::filled(NO_TOKEN, 2 * self.slots.len());
        for &used in &*std::mem::replace(&mut self.slots, larger) {
            if used.index != FREE {
                let mut slot = used.key.home(self.slots.len());
                while self.slots[slot].index != FREE {
                    slot = (slot + 1) & (self.slots.len() - 1);
                }
                self.slots[slot] = used;
            }
        }
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
        let index = index.as_usize();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Returns up to eight bytes, padded with zeros. Their ends are read at once, and may overlap.
#[inline]
fn read_word(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
        return first | last << (8 * (len - 4));
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    if len == 0 { 0 } else { byte(0) | byte(len / 2) | byte(len - 1) }
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
    fn tokens_of_all_lengths_are_told_apart() {
        let mut tokens = TokenInterner::single_bytes(0);
        let texts: Vec<Vec<u8>> = (2..20)
            .flat_map(|len| {
                (0..len).flat_map(move |at| {
                    [0, 1, 255].map(|byte| {
                        let mut text = vec![0; len];
                        text[at] = byte;
                        text
                    })
                })
            })
            .collect();
        let expected: std::collections::HashSet<&[u8]> = texts.iter().map(|text| &**text).collect();
        for text in &texts {
            let index = tokens.intern(text);
            assert_eq!(tokens.get(index), text);
            assert_eq!(tokens.find(text), Some(index));
            tokens.prefetch(text);
        }
        assert_eq!(tokens.len(), 256 + expected.len());
    }

    #[test]
    fn messages_show_tokens_readably() {
        assert_eq!(quote_token("é\n".as_bytes()), r#""é\n""#);
        assert_eq!(quote_token(b" \xe2"), r#"" \xe2""#);
        assert_eq!(quote_token(&[b'a'; 99]), format!("\"{}\"... (99 bytes)", "a".repeat(40)));
    }
}
