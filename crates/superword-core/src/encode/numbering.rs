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
    /// The number of tokens with an id.
    with_id: usize,
    /// The bytes of the tokens without an id, whose numbers follow those of the vocabulary.
    without_id: Vec<Box<[u8]>>,
    /// The ids that replace the tokens without an id; `None` unless the model is pruned.
    replacements: Option<IdReplacements>,
}

/// The ids that replace the tokens without an id in a pruned model.
struct IdReplacements {
    /// The ids that replace each token, one after the other.
    ids: Vec<u32>,
    /// By token without an id: where its ids start, and the end of the last. A byte has none.
    starts: Vec<usize>,
}

impl IdReplacements {
    fn get(&self, token_without_id: usize) -> &[u32] {
        &self.ids[self.starts[token_without_id]..self.starts[token_without_id + 1]]
    }
}

impl TokenNumbering {
    /// Numbers the tokens of a model.
    pub(crate) fn new(model: &Model) -> TokenNumbering {
        let mut tokens = vec![EncoderToken::NONE; model.token_count()];
        let mut ids = Vec::with_capacity(model.vocab_size());
        for &(id, index) in model.vocabulary_indices() {
            tokens[index.as_usize()] = EncoderToken(ids.len() as u32);
            ids.push(id);
        }
        let mut without_id = Vec::new();
        let mut replacements = IdReplacements { ids: Vec::new(), starts: vec![0] };
        let indices = (0..model.token_count() as u32).map(TokenIndex);
        for index in indices.filter(|&index| model.id_of(index).is_none()) {
            tokens[index.as_usize()] = EncoderToken((ids.len() + without_id.len()) as u32);
            without_id.push(model.token(index).into());
            let parts = model.replacement(index).iter().filter_map(|&part| model.id_of(part));
            replacements.ids.extend(parts.map(|id| id.0));
            replacements.starts.push(replacements.ids.len());
        }
        let are_dense = ids.iter().copied().eq((0..ids.len() as u32).map(TokenId));
        let has_all_bytes = (0..=u8::MAX).all(|byte| model.id_of(byte.into()).is_some());
        let ids = if are_dense && has_all_bytes { None } else { Some(ids) };
        let replacements = model.is_pruned().then_some(replacements);
        TokenNumbering { tokens, ids, with_id: model.vocab_size(), without_id, replacements }
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

    /// Replaces the encoder's tokens in a buffer, from `start` on, by ids.
    ///
    /// # Errors
    /// When a token has no id, and none replace it.
    pub(crate) fn convert_to_ids(&self, buffer: &mut Vec<u32>, start: usize) -> Result<(), Error> {
        if let Some(replacements) = &self.replacements {
            return self.convert_and_replace(replacements, buffer, start);
        }
        let Some(ids) = &self.ids else { return Ok(()) };
        for number in &mut buffer[start..] {
            let Some(&id) = ids.get(*number as usize) else {
                return Err(self.missing_id(*number));
            };
            *number = id.0;
        }
        Ok(())
    }

    /// Returns the number of ids of some tokens.
    pub(crate) fn count_ids(&self, tokens: &[u32]) -> usize {
        let Some(replacements) = &self.replacements else { return tokens.len() };
        tokens.iter().map(|&number| self.count_of(replacements, number)).sum()
    }

    /// Returns the number of ids of a token; 0 if it has none, and none replace it.
    fn count_of(&self, replacements: &IdReplacements, number: u32) -> usize {
        match (number as usize).checked_sub(self.with_id) {
            Some(without_id) => replacements.get(without_id).len(),
            None => 1,
        }
    }

    /// Converts the tokens of a pruned model.
    fn convert_and_replace(
        &self,
        replacements: &IdReplacements,
        buffer: &mut Vec<u32>,
        start: usize,
    ) -> Result<(), Error> {
        let with_id = self.with_id as u32;
        let is_removed = |&(_, &number): &(usize, &u32)| number >= with_id;
        // Usually few, so that the tokens between them are moved at once.
        let removed: Vec<usize> =
            (start..).zip(&buffer[start..]).filter(is_removed).map(|(at, _)| at).collect();
        let replacement = |number: u32| replacements.get((number - with_id) as usize);
        if let Some(&at) = removed.iter().find(|&&at| replacement(buffer[at]).is_empty()) {
            return Err(self.missing_id(buffer[at]));
        }
        if let Some(ids) = &self.ids {
            for number in buffer[start..].iter_mut().filter(|number| **number < with_id) {
                *number = ids[*number as usize].0;
            }
        }
        let added: usize = removed.iter().map(|&at| replacement(buffer[at]).len() - 1).sum();
        let mut end = buffer.len();
        buffer.resize(end + added, 0);
        // From the end on, so that no token is overwritten before it is moved.
        let mut to = buffer.len();
        for &at in removed.iter().rev() {
            let ids = replacement(buffer[at]);
            to -= end - (at + 1);
            buffer.copy_within(at + 1..end, to);
            to -= ids.len();
            buffer[to..to + ids.len()].copy_from_slice(ids);
            end = at;
        }
        Ok(())
    }

    #[cold]
    fn missing_id(&self, number: u32) -> Error {
        Error::NoSuchToken { token: self.without_id[number as usize - self.with_id].clone() }
    }
}
