//! The encoder's numbering of tokens, and its conversion to ids.

use crate::Error;
use crate::model::{Model, TokenId, TokenIndex};

/// A token in the encoder's numbering.
///
/// Tokens of the vocabulary come first, in the order of their ids, so that in most models a token's
/// number is its id. The buffers that become ids hold the numbers as plain `u32`, and so do table
/// entries that hold a token or something else in the same word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct EncoderToken(pub(crate) u32);

impl EncoderToken {
    /// A number that no token has.
    pub(crate) const NONE: EncoderToken = EncoderToken(u32::MAX);

    /// Returns the number as an array index.
    #[inline(always)]
    pub(crate) fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// Two neighbouring tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EncoderPair {
    pub(crate) left: EncoderToken,
    pub(crate) right: EncoderToken,
}

impl EncoderPair {
    /// A pair that no rule joins.
    pub(crate) const NONE: EncoderPair =
        EncoderPair { left: EncoderToken::NONE, right: EncoderToken::NONE };

    /// Returns both numbers in one word.
    #[inline(always)]
    pub(crate) fn as_word(self) -> u64 {
        u64::from(self.left.0) << 32 | u64::from(self.right.0)
    }
}

/// Converts between a model's token indices, the encoder's tokens, and ids.
pub(crate) struct TokenNumbering {
    /// By token index of the model.
    tokens: Vec<EncoderToken>,
    /// The ids by encoder token, unless each token's number is its id.
    ids: Option<Vec<TokenId>>,
    /// The bytes of the tokens without an id, whose numbers follow those of the vocabulary.
    without_id: Vec<Box<[u8]>>,
}

impl TokenNumbering {
    /// Numbers the tokens of a model.
    pub(crate) fn new(model: &Model) -> TokenNumbering {
        let mut tokens = vec![EncoderToken::NONE; model.token_count()];
        let mut ids = Vec::with_capacity(model.vocab_size());
        let indices = (0..model.token_count() as u32).map(TokenIndex);
        let mut vocabulary: Vec<(TokenId, TokenIndex)> =
            indices.clone().filter_map(|index| Some((model.id_of(index)?, index))).collect();
        vocabulary.sort_unstable();
        for &(id, index) in &vocabulary {
            tokens[index.as_usize()] = EncoderToken(ids.len() as u32);
            ids.push(id);
        }
        let mut without_id = Vec::new();
        for index in indices.filter(|&index| model.id_of(index).is_none()) {
            tokens[index.as_usize()] = EncoderToken((ids.len() + without_id.len()) as u32);
            without_id.push(model.token(index).into());
        }
        let are_dense = ids.iter().copied().eq((0..ids.len() as u32).map(TokenId));
        let has_all_bytes = (0..=u8::MAX).all(|byte| model.id_of(byte.into()).is_some());
        let ids = if are_dense && has_all_bytes { None } else { Some(ids) };
        TokenNumbering { tokens, ids, without_id }
    }

    /// Returns the encoder's number of a token.
    #[inline]
    pub(crate) fn token(&self, index: TokenIndex) -> EncoderToken {
        self.tokens[index.as_usize()]
    }

    /// Returns the encoder's number of a single byte.
    pub(crate) fn byte(&self, byte: u8) -> EncoderToken {
        self.token(byte.into())
    }

    /// Replaces the encoder's tokens in a buffer by ids.
    ///
    /// # Errors
    /// When a token has no id.
    pub(crate) fn convert_to_ids(&self, buffer: &mut [u32]) -> Result<(), Error> {
        let Some(ids) = &self.ids else { return Ok(()) };
        for number in buffer {
            let Some(&id) = ids.get(*number as usize) else {
                let token = self.without_id[*number as usize - ids.len()].clone();
                return Err(Error::NoSuchToken { token });
            };
            *number = id.0;
        }
        Ok(())
    }
}
