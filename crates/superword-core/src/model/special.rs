//! Models with further special tokens.

use std::collections::HashSet;

use super::added::AddedTokens;
use super::{Model, TokenId};
use crate::Error;

/// The largest multiple that ids can be padded to. More has no use and costs memory.
const LARGEST_MULTIPLE: u32 = 1 << 16;

impl Model {
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
        let existing = given.iter().chain(self.added_tokens()).map(|(_, text)| text);
        let taken: HashSet<&str> = existing.chain(&texts).map(String::as_str).collect();
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
        let find_token = |id| self.index_of(id).map(|index| self.token(index));
        let added_tokens = AddedTokens::new(given, self.added_tokens().to_vec(), find_token)
            .map_err(|error| Error::SpecialTokens { reason: error.to_string() })?;
        Ok(Model { added_tokens, unknown_fields: Vec::new(), ..self.clone() })
    }
}
