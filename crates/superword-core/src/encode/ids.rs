//! Tokens as an encoder numbers them: like their ids, wherever that is possible.

use crate::Error;
use crate::model::{Model, TokenId, TokenIndex};

/// The numbers. Those of the vocabulary come first, in the order of their ids; so if ids have no
/// gaps, a token's number is its id.
pub(super) struct Numbers {
    /// By the model's number of a token.
    of: Vec<u32>,
    /// The ids of the vocabulary, by number, if they are not the numbers themselves.
    ids: Option<Vec<u32>>,
    /// The tokens that have no id; their numbers follow.
    unknown: Vec<Box<[u8]>>,
}

impl Numbers {
    /// The numbers of a model's tokens.
    pub(super) fn new(model: &Model) -> Numbers {
        let mut of = vec![u32::MAX; model.token_count()];
        let mut ids = Vec::with_capacity(model.vocab_size());
        let tokens = (0..model.token_count() as u32).map(TokenIndex);
        let mut known: Vec<(TokenId, TokenIndex)> =
            tokens.clone().filter_map(|token| Some((model.id_of(token)?, token))).collect();
        known.sort_unstable();
        for &(id, token) in &known {
            of[token.as_usize()] = ids.len() as u32;
            ids.push(id.0);
        }
        let mut unknown = Vec::new();
        for token in tokens.filter(|&token| model.id_of(token).is_none()) {
            of[token.as_usize()] = (ids.len() + unknown.len()) as u32;
            unknown.push(model.token(token).into());
        }
        let is_dense = ids.iter().copied().eq(0..ids.len() as u32);
        let has_all_bytes = (0..=u8::MAX).all(|byte| model.id_of(byte.into()).is_some());
        let ids = if is_dense && has_all_bytes { None } else { Some(ids) };
        Numbers { of, ids, unknown }
    }

    /// The number of a token, given the model's.
    #[inline]
    pub(super) fn of(&self, token: TokenIndex) -> u32 {
        self.of[token.as_usize()]
    }

    /// Replaces numbers by ids.
    ///
    /// # Errors
    /// When a token has none.
    pub(super) fn to_ids(&self, numbers: &mut [u32]) -> Result<(), Error> {
        let Some(ids) = &self.ids else { return Ok(()) };
        for number in numbers {
            let Some(&id) = ids.get(*number as usize) else {
                let token = self.unknown[*number as usize - ids.len()].clone();
                return Err(Error::NoSuchToken { token });
            };
            *number = id;
        }
        Ok(())
    }
}
