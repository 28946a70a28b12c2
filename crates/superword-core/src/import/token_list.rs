//! Tokens in a row, which share one buffer.

use super::{base64, byte_spelling};

/// Tokens, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct TokenList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl TokenList {
    /// An empty list, with memory for this many tokens.
    pub(super) fn with_capacity(tokens: usize) -> TokenList {
        // The average token of published vocabularies has about seven bytes.
        TokenList { bytes: Vec::with_capacity(7 * tokens), ends: Vec::with_capacity(tokens) }
    }

    /// Adds a token that is spelled as GPT-2 spells it; `None` if it spells no bytes.
    pub(super) fn push_spelled(&mut self, spelled: &str) -> Option<()> {
        let decoded = byte_spelling::decode_into(&mut self.bytes, spelled);
        self.finish(decoded)
    }

    /// Adds a token in base 64; `None` if it is malformed.
    pub(super) fn push_base64(&mut self, text: &[u8]) -> Option<()> {
        let decoded = base64::decode_into(&mut self.bytes, text);
        self.finish(decoded)
    }

    /// Ends a token, or drops the bytes of one that is malformed.
    fn finish(&mut self, decoded: Option<()>) -> Option<()> {
        match decoded {
            Some(()) => self.ends.push(self.bytes.len()),
            None => self.bytes.truncate(self.ends.last().copied().unwrap_or(0)),
        }
        decoded
    }

    /// The tokens in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }
}
