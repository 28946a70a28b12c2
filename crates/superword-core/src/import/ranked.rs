//! A model of merges by rank.

use super::model_error;
use super::patterns::find_name;
use super::unreproduced::Unreproduced;
use crate::Error;
use crate::model::{
    MergePair, Model, Parameters, RankedModel, RuleLimits, SpelledRule, TokenId, quote_token,
};

/// A tokenizer that merges by rank.
#[derive(Default)]
pub(super) struct RankedTokenizer<'t> {
    /// The tokens with their ids.
    pub(super) vocabulary: Vec<(TokenId, &'t [u8])>,
    /// The merges by rank; without them, a pair has the rank of the token that it spells.
    pub(super) merges: Option<Vec<MergePair<'t>>>,
    /// The pattern, a name or a regex.
    pub(super) pattern: String,
    pub(super) special_tokens: Vec<(TokenId, String)>,
    pub(super) added_tokens: Vec<(TokenId, String)>,
    /// Whether a pretoken that is a token becomes that token without merges.
    pub(super) looks_up: bool,
}

impl RankedTokenizer<'_> {
    /// Returns the model that gives the same ids.
    pub(super) fn build(mut self, unreproduced: &mut Unreproduced) -> Result<Model, Error> {
        self.vocabulary.sort_by_key(|&(id, _)| id);
        self.check_bytes()?;
        let parameters = Parameters {
            pattern: find_name(&self.pattern).to_owned(),
            supermerges: false,
            deletion: None,
            min_count: 1,
            vocab_size: self.vocabulary.len().max(256) as u32,
            limits: RuleLimits::default(),
            ..Parameters::default()
        };
        let RankedModel { model, early } = Model::with_ranks(
            parameters,
            &self.vocabulary,
            self.merges.as_deref(),
            self.special_tokens,
            self.added_tokens,
            self.looks_up,
        )?;
        if let Some(SpelledRule::Merge { left, right, .. }) = early.first() {
            unreproduced.reject_or_warn(format!(
                "{} merges, such as that of {} and {}, join tokens that only later merges make, so \
                 they are applied out of order",
                early.len(),
                quote_token(left),
                quote_token(right)
            ))?;
        }
        Ok(model)
    }

    /// Rejects a vocabulary without a byte that texts may have.
    fn check_bytes(&self) -> Result<(), Error> {
        let mut has_token = [false; 256];
        for (_, token) in &self.vocabulary {
            if let [byte] = token[..] {
                has_token[usize::from(byte)] = true;
            }
        }
        let never_in_utf8 = |byte: u8| matches!(byte, 0xC0 | 0xC1 | 0xF5..=0xFF);
        let missing =
            (0..=u8::MAX).find(|&byte| !has_token[usize::from(byte)] && !never_in_utf8(byte));
        missing
            .map_or(Ok(()), |byte| Err(model_error(format!("the byte {byte:#04x} has no token"))))
    }
}
