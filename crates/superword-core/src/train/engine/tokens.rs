//! The tokens of training: byte strings, numbered in the order in which they are first made.

use std::collections::HashMap;

use crate::count::FragmentSymbol;

/// The number of a token in training. A model has other numbers, its token indices and ids.
///
/// The cells of a sequence hold tokens too. There the highest bit is a flag, whose meaning the
/// sequence defines, and two values are no tokens at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct TrainingToken(pub(crate) u32);

impl TrainingToken {
    /// In a cell where no token may be joined: between spans, and in place of a unit that is
    /// closed.
    pub(crate) const BARRIER: TrainingToken = TrainingToken(u32::MAX);

    /// In the cells between the first and the last of a token.
    pub(crate) const INSIDE: TrainingToken = TrainingToken(u32::MAX - 1);

    const FLAG: u32 = 1 << 31;

    /// Returns the tokens of the single bytes.
    pub(crate) fn bytes() -> impl Iterator<Item = TrainingToken> {
        (0..=u8::MAX).map(TrainingToken::from)
    }

    /// Returns the number as an array index.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the token is a single byte.
    #[inline]
    pub(crate) fn is_byte(self) -> bool {
        self.0 < 256
    }

    /// Returns the token with the flag set.
    #[inline]
    pub(crate) fn with_flag(self) -> TrainingToken {
        TrainingToken(self.0 | TrainingToken::FLAG)
    }

    /// Returns the token without the flag.
    #[inline]
    pub(crate) fn without_flag(self) -> TrainingToken {
        TrainingToken(self.0 & !TrainingToken::FLAG)
    }

    /// Whether the flag is set. A barrier has it too.
    #[inline]
    pub(crate) fn has_flag(self) -> bool {
        self.0 & TrainingToken::FLAG != 0
    }
}

impl From<u8> for TrainingToken {
    #[inline]
    fn from(byte: u8) -> TrainingToken {
        TrainingToken(byte.into())
    }
}

impl From<FragmentSymbol> for TrainingToken {
    #[inline]
    fn from(symbol: FragmentSymbol) -> TrainingToken {
        TrainingToken(symbol.0)
    }
}

impl From<TrainingToken> for FragmentSymbol {
    #[inline]
    fn from(token: TrainingToken) -> FragmentSymbol {
        FragmentSymbol(token.0)
    }
}

/// Two neighbouring tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenPair {
    pub(crate) left: TrainingToken,
    pub(crate) right: TrainingToken,
}

/// The bytes of all tokens; the first 256 are the single bytes.
#[derive(Clone)]
pub(crate) struct TrainingTokens {
    bytes: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, TrainingToken>,
}

impl TrainingTokens {
    /// Creates the tokens of the single bytes.
    pub(crate) fn new() -> TrainingTokens {
        let mut tokens = TrainingTokens { bytes: Vec::new(), numbers: HashMap::new() };
        for byte in 0..=255 {
            tokens.add(Box::new([byte]));
        }
        tokens
    }

    /// Returns the token of the joined bytes of a pair, which may have been made before.
    pub(crate) fn join(&mut self, pair: TokenPair) -> TrainingToken {
        let bytes = [self.bytes(pair.left), self.bytes(pair.right)].concat();
        self.numbers.get(&*bytes).copied().unwrap_or_else(|| self.add(bytes.into()))
    }

    /// Returns the bytes of a token.
    pub(crate) fn bytes(&self, token: TrainingToken) -> &[u8] {
        &self.bytes[token.index()]
    }

    /// Returns the bytes of all tokens.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.iter().map(|bytes| &**bytes)
    }

    /// Returns the number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all tokens but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        for bytes in self.bytes.drain(len..) {
            self.numbers.remove(&bytes);
        }
    }

    /// Returns the bytes of all tokens, by number.
    pub(crate) fn into_bytes(self) -> Vec<Box<[u8]>> {
        self.bytes
    }

    /// Adds a token that is not there yet.
    pub(crate) fn add(&mut self, bytes: Box<[u8]>) -> TrainingToken {
        let token = TrainingToken(self.bytes.len() as u32);
        self.numbers.insert(bytes.clone(), token);
        self.bytes.push(bytes);
        token
    }
}
