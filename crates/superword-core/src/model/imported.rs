//! Models that keep the ids of an existing tokenizer.

use std::borrow::Cow;
use std::collections::HashSet;

use super::history::History;
use super::ranked_merges::{MergePair, RecoveredMerges, recover_merges};
use super::token_interner::quote_token;
use super::vocabulary_builder::{VocabularyBuilder, mark_bytes};
use super::{Model, Parameters, SpelledRule, TokenId, TokenIndex, Training, model_error};
use crate::Error;

/// A model of merges by rank, and what its rules do not reproduce.
#[derive(Debug)]
pub struct RankedModel {
    /// The model.
    pub model: Model,
    /// Merges that join a token which a later merge makes, and that rules perform at another time.
    pub early: Vec<SpelledRule<'static>>,
}

impl Model {
    /// The model of a tokenizer that performs the merge of the lowest rank first, with these ids,
    /// ascending. Without a list of merges, a pair of tokens has the rank of the token that it spells,
    /// and ranks are in the order of ids. With `looks_up`, a pretoken that is a token becomes it without
    /// merges.
    ///
    /// # Errors
    /// As [`Model::with_ids`], and when no merge spells a token that is not looked up.
    pub fn with_ranks(
        parameters: Parameters,
        vocabulary: &[(TokenId, impl AsRef<[u8]>)],
        merges: Option<&[MergePair<'_>]>,
        special_tokens: Vec<(TokenId, String)>,
        added_tokens: Vec<(TokenId, String)>,
        looks_up: bool,
    ) -> Result<RankedModel, Error> {
        let listed = vocabulary.iter().map(|(id, token)| (id.0, token.as_ref()));
        let found = recover_merges(listed, merges, looks_up).map_err(|token| {
            let token = quote_token(&token);
            model_error(format!("no merge makes the token {token}, so no rule can make it"))
        })?;
        let RecoveredMerges { tokens, merges, looked_up, early } = found;
        let spell = |token: TokenIndex| Cow::Borrowed(tokens.get(token));
        let rules = merges.iter().map(|merge| {
            let [left, right] = [merge.left, merge.right].map(spell);
            Ok(SpelledRule::Merge { left, right, count: 0 })
        });
        let looked_up: Vec<&[u8]> = looked_up.iter().map(|&token| tokens.get(token)).collect();
        let model = Model::with_ids(
            parameters,
            rules,
            vocabulary,
            special_tokens,
            added_tokens,
            &looked_up,
        )?;
        let own = |token: TokenIndex| Cow::Owned(tokens.get(token).to_vec());
        let early = early.iter().map(|merge| {
            let [left, right] = [merge.left, merge.right].map(own);
            SpelledRule::Merge { left, right, count: 0 }
        });
        Ok(RankedModel { model, early: early.collect() })
    }

    /// The model with these rules, these ids, ascending, and these looked-up tokens.
    ///
    /// # Errors
    /// As [`Model::new`], and when the rules do not make the tokens that have ids and are not looked up.
    pub fn with_ids<'a>(
        parameters: Parameters,
        rules: impl IntoIterator<Item = Result<SpelledRule<'a>, Error>>,
        vocabulary: &[(TokenId, impl AsRef<[u8]>)],
        special_tokens: Vec<(TokenId, String)>,
        added_tokens: Vec<(TokenId, String)>,
        lookup_tokens: &[impl AsRef<[u8]>],
    ) -> Result<Model, Error> {
        let listed = mark_bytes(vocabulary.iter().map(|(_, token)| token.as_ref()));
        let history = History::of_file(|byte| listed[usize::from(byte)], vocabulary.len());
        let mut history = history.look_up(lookup_tokens.iter().map(AsRef::as_ref))?;
        for rule in rules {
            history.perform(&rule?)?;
        }
        let mut ids = VocabularyBuilder::new(&history);
        for (id, token) in vocabulary {
            ids.add(*id, token.as_ref())?;
        }
        let vocabulary = ids.finish(false)?;
        Model::with_vocabulary(
            parameters,
            history,
            vocabulary,
            special_tokens,
            added_tokens,
            Training::default(),
        )
    }

    /// The model with further rules. Tokens that it did not have get the ids after the largest.
    pub(crate) fn append_rules<'a>(
        &self,
        parameters: Parameters,
        rules: impl ExactSizeIterator<Item = SpelledRule<'a>>,
        training: Training,
    ) -> Result<Model, Error> {
        let has_byte = |byte: u8| self.id_of(byte.into()).is_some();
        let history = History::of_file(has_byte, self.rules.len() + rules.len());
        let mut history = history.look_up(self.spell_lookup_tokens())?;
        for rule in &self.rules {
            history.perform(&self.spelled(rule))?;
        }
        let mut vocabulary = self.vocabulary.clone();
        let mut next = self.last_id().map_or(0, |last| u64::from(last.0) + 1);
        let mut has_new_id = HashSet::new();
        for rule in rules {
            let token = history.perform(&rule)?.token();
            if self.id_of(token).is_none() && has_new_id.insert(token) {
                let Ok(id) = u32::try_from(next) else {
                    return Err(model_error("no ids are left".to_owned()));
                };
                vocabulary.push((TokenId(id), token));
                next += 1;
            }
        }
        let mut model = Model::with_vocabulary(
            parameters,
            history,
            vocabulary,
            self.special_tokens().to_vec(),
            self.added_tokens().to_vec(),
            training,
        )?;
        model.pattern_tables.clone_from(&self.pattern_tables);
        model.eligible_tables.clone_from(&self.eligible_tables);
        Ok(model)
    }
}
