//! Models that keep the ids of an existing tokenizer.

use std::collections::HashSet;

use super::history::History;
use super::vocabulary_builder::{VocabularyBuilder, mark_bytes};
use super::{Model, Parameters, SpelledRule, TokenId, Training, model_error};
use crate::Error;

impl Model {
    /// The model with these rules and these ids, ascending.
    ///
    /// # Errors
    /// As [`Model::new`], and when the rules do not make the tokens that have ids.
    pub fn with_ids<'a>(
        parameters: Parameters,
        rules: impl IntoIterator<Item = Result<SpelledRule<'a>, Error>>,
        vocabulary: &[(TokenId, impl AsRef<[u8]>)],
        special_tokens: Vec<(TokenId, String)>,
        added_tokens: Vec<(TokenId, String)>,
    ) -> Result<Model, Error> {
        let listed = mark_bytes(vocabulary.iter().map(|(_, token)| token.as_ref()));
        let mut history = History::of_file(|byte| listed[usize::from(byte)], vocabulary.len());
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
        let mut history = History::of_file(has_byte, self.rules.len() + rules.len());
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
