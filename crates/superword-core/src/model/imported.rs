//! Models that begin with a tokenizer which is there already: its ids stay.

use super::history::History;
use super::ids::{Ids, listed_bytes};
use super::{Model, Parameters, SpelledRule, Training, refusal};
use crate::Error;
use crate::train::supermerges::Learned;

impl Model {
    /// The model with these rules and these ids, ascending.
    ///
    /// # Errors
    /// As [`Model::new`], and when the rules do not lead to the tokens that have ids.
    pub fn with_ids<'a>(
        parameters: Parameters,
        rules: impl IntoIterator<Item = Result<SpelledRule<'a>, Error>>,
        vocabulary: &[(u32, impl AsRef<[u8]>)],
        special_tokens: Vec<(u32, String)>,
    ) -> Result<Model, Error> {
        let listed = listed_bytes(vocabulary.iter().map(|(_, token)| token.as_ref()));
        let mut history = History::of_file(|byte| listed[usize::from(byte)], vocabulary.len());
        for rule in rules {
            history.perform(&rule?)?;
        }
        let mut ids = Ids::new(&history);
        for (id, token) in vocabulary {
            ids.add(*id, token.as_ref())?;
        }
        let numbers = ids.finish()?;
        Model::numbered(parameters, history, numbers, special_tokens, Training::default())
    }

    /// The model with further rules; tokens that it did not have get the ids after the largest.
    pub(crate) fn extended(
        &self,
        parameters: Parameters,
        learned: &Learned,
        training: Training,
    ) -> Result<Model, Error> {
        let has_byte = |byte: u8| self.id_of(byte.into()).is_some();
        let mut history = History::of_file(has_byte, self.rules.len() + learned.rules.len());
        for rule in &self.rules {
            history.perform(&self.spelled(rule))?;
        }
        let mut vocabulary = self.vocabulary.clone();
        let mut next = self.last_id().map_or(0, |last| u64::from(last) + 1);
        let mut is_new = vec![true; learned.tokens.len()];
        for rule in &learned.rules {
            let spell = |token| Ok::<_, Error>(learned.tokens.bytes(token).into());
            history.perform(&rule.spelled(spell)?)?;
            let token = rule.token();
            if std::mem::replace(&mut is_new[token as usize], false) && self.id_of(token).is_none()
            {
                let Ok(id) = u32::try_from(next) else {
                    return Err(refusal("there are no ids left".to_owned()));
                };
                vocabulary.push((id, token));
                next += 1;
            }
        }
        let special_tokens = self.special_tokens().to_vec();
        let mut model = Model::numbered(parameters, history, vocabulary, special_tokens, training)?;
        model.pattern_tables.clone_from(&self.pattern_tables);
        model.eligible_tables.clone_from(&self.eligible_tables);
        Ok(model)
    }
}
