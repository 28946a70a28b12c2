//! Special tokens: texts that have an id and no rules.

use std::collections::HashSet;

use super::token_interner::quote_token;
use super::{Model, TokenId, TokenIndex, model_error};
use crate::Error;

/// The largest multiple that ids can be padded to. More has no use and costs memory.
const LARGEST_MULTIPLE: u32 = 1 << 16;

/// The special tokens of a model.
#[derive(Clone, Debug)]
pub(super) struct SpecialTokens {
    /// In the given order.
    given: Vec<(TokenId, String)>,
    /// Positions in that order, sorted by id.
    by_id: Vec<usize>,
}

impl SpecialTokens {
    /// Rejects special tokens that are empty or repeated, and ids that are taken.
    pub(super) fn new(
        given: Vec<(TokenId, String)>,
        vocabulary: &[(TokenId, TokenIndex)],
    ) -> Result<SpecialTokens, Error> {
        let mut ids = HashSet::new();
        let mut texts = HashSet::new();
        for (id, text) in &given {
            let quoted = quote_token(text.as_bytes());
            if text.is_empty() {
                return Err(model_error(format!("the special token with the id {id} is empty")));
            }
            if !texts.insert(text) {
                return Err(model_error(format!("the special token {quoted} is repeated")));
            }
            if !ids.insert(id) || vocabulary.binary_search_by_key(id, |&(id, _)| id).is_ok() {
                return Err(model_error(format!(
                    "the special token {quoted} has the id {id}, which another token has"
                )));
            }
        }
        let mut by_id: Vec<usize> = (0..given.len()).collect();
        by_id.sort_unstable_by_key(|&position| given[position].0);
        Ok(SpecialTokens { given, by_id })
    }

    /// The special tokens with their ids, in the given order.
    pub(super) fn as_slice(&self) -> &[(TokenId, String)] {
        &self.given
    }

    /// The text of the special token with an id.
    pub(super) fn text(&self, id: TokenId) -> Option<&str> {
        let position =
            self.by_id.binary_search_by_key(&id, |&position| self.given[position].0).ok()?;
        Some(&self.given[self.by_id[position]].1)
    }

    /// The largest id.
    fn last_id(&self) -> Option<TokenId> {
        self.by_id.last().map(|&position| self.given[position].0)
    }
}

impl Model {
    /// The special tokens with their ids, in the given order.
    #[must_use]
    pub fn special_tokens(&self) -> &[(TokenId, String)] {
        self.special_tokens.as_slice()
    }

    /// The largest id, including special tokens.
    pub(super) fn last_id(&self) -> Option<TokenId> {
        self.vocabulary.last().map(|&(id, _)| id).max(self.special_tokens.last_id())
    }

    /// The model with further special tokens, whose ids follow the largest id.
    ///
    /// With `multiple`, special tokens named `<|reserved_0|>` and so on follow until the largest id
    /// plus one is a multiple of it.
    ///
    /// # Errors
    /// When a text is empty or already a special token, when `multiple` is not between 1 and
    /// 65,536, or when there are no ids left.
    pub fn with_special_tokens(
        &self,
        texts: Vec<String>,
        multiple: Option<u32>,
    ) -> Result<Model, Error> {
        let multiple = multiple.unwrap_or(1);
        if !(1..=LARGEST_MULTIPLE).contains(&multiple) {
            let reason =
                format!("pad_to_multiple_of must be from 1 to {LARGEST_MULTIPLE}, not {multiple}");
            return Err(Error::SpecialTokens { reason });
        }
        let next = self.last_id().map_or(0, |last| u64::from(last.0) + 1);
        let mut given = self.special_tokens().to_vec();
        let taken: HashSet<&str> =
            given.iter().map(|(_, text)| text).chain(&texts).map(String::as_str).collect();
        let names = (0..).map(|number| format!("<|reserved_{number}|>"));
        let names = names.filter(|name| !taken.contains(name.as_str()));
        let total = (next + texts.len() as u64).next_multiple_of(multiple.into());
        let reserved = (total - next) as usize - texts.len();
        let reserved: Vec<String> = names.take(reserved).collect();
        for (id, text) in (next..).zip(texts.into_iter().chain(reserved)) {
            let Ok(id) = u32::try_from(id) else {
                let reason = format!("no id is left for the special token {text:?}");
                return Err(Error::SpecialTokens { reason });
            };
            given.push((TokenId(id), text));
        }
        let special_tokens = SpecialTokens::new(given, &self.vocabulary)
            .map_err(|error| Error::SpecialTokens { reason: error.to_string() })?;
        Ok(Model { special_tokens, ..self.clone() })
    }
}
