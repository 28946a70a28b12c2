//! Decoding: from ids back to bytes.

use super::{Model, TokenId};
use crate::Error;
use crate::platform::allocation;

/// What needs memory, in errors.
const TEXT: &str = "the decoded bytes";
const SPANS: &str = "the offsets of the tokens";

impl Model {
    /// The bytes of a sequence of ids.
    ///
    /// # Errors
    /// When no token has one of the ids; when the system has too little memory.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        allocation::reserve(&mut bytes, ids.len().saturating_mul(4), TEXT)?;
        for (position, &id) in ids.iter().enumerate() {
            let token = self.find_bytes(TokenId(id), position)?;
            if bytes.capacity() - bytes.len() < token.len() {
                allocation::reserve(&mut bytes, token.len(), TEXT)?;
            }
            bytes.extend_from_slice(token);
        }
        Ok(bytes)
    }

    /// The spans of a text's tokens, given its ids: in bytes, and in characters. A token spans every
    /// character of which it has a byte.
    ///
    /// # Errors
    /// When no token has one of the ids, or they are not the ids of this text.
    pub fn offsets(&self, text: &str, ids: &[u32]) -> Result<[Vec<(usize, usize)>; 2], Error> {
        let [mut in_bytes, mut in_characters] = [const { Vec::new() }; 2];
        allocation::reserve(&mut in_bytes, ids.len(), SPANS)?;
        allocation::reserve(&mut in_characters, ids.len(), SPANS)?;
        let (mut start, mut before) = (0, 0);
        for (position, &id) in ids.iter().enumerate() {
            let token = self.find_bytes(TokenId(id), position)?;
            if !text.as_bytes()[start..].starts_with(token) {
                return Err(Error::OtherText { index: position, at: start });
            }
            let end = start + token.len();
            let begun = token.iter().filter(|&&byte| !is_continuation(byte)).count();
            let first = before - usize::from(is_continuation(*token.first().unwrap_or(&0)));
            before += begun;
            in_bytes.push((start, end));
            in_characters.push((first, before));
            start = end;
        }
        if start < text.len() {
            return Err(Error::OtherText { index: ids.len(), at: start });
        }
        Ok([in_bytes, in_characters])
    }

    /// The error for an id that no token has.
    #[must_use]
    pub fn unknown_id(&self, id: &impl ToString, position: usize) -> Error {
        Error::UnknownId {
            id: id.to_string(),
            index: position,
            last: self.last_id().map_or(0, |id| id.0),
        }
    }

    fn find_bytes(&self, id: TokenId, position: usize) -> Result<&[u8], Error> {
        self.token_bytes(id).ok_or_else(|| self.unknown_id(&id, position))
    }
}

/// Whether a byte of UTF-8 continues a character.
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
