//! Truncation: the smaller models that a model contains.

use std::collections::HashSet;

use super::history::History;
use super::{Model, Parameters, Rule, SecondStage, TokenId};
use crate::Error;
use crate::pretokenize::is_unspaced_word;

impl Model {
    /// The model that training with a smaller vocabulary gives.
    ///
    /// A step of training is a supermerge, or a merge with its deletes. Training checks the size of
    /// the vocabulary before each step and stops as soon as it is large enough. So does this.
    ///
    /// If the superwords may be a share of the vocabulary, a smaller one may have fewer, c instead
    /// of C. Training is the same with both until it has c superwords; from then on the smaller one
    /// takes merges, and supermerges of words in scripts without spaces, which do not count. So this
    /// drops the other supermerges after the c-th superword. What follows are the rules of training:
    /// merges do not depend on supermerges, and words of scripts without spaces join only each other
    /// under a cap. This model has enough of them. Say that after all of them the smaller vocabulary
    /// still had fewer than n tokens. The larger one has the same, and at most C - c superwords
    /// more, so it would have fewer than n + C - c. A share is below 1, so that is at most N, the
    /// size for which this model was trained. Then training would have gone on, unless pairs ran
    /// out for both.
    ///
    /// # Errors
    /// When the size is below 256 or the transition, or above the size that the model was trained
    /// for, when the model is pruned, or when the ids are not those that training gives.
    pub fn truncate(&self, vocab_size: u32) -> Result<Model, Error> {
        let size = vocab_size as usize;
        if size < 256 {
            let reason = format!("vocab_size must be at least 256, the bytes, not {vocab_size}");
            return Err(Error::VocabSize { reason });
        }
        if let Some(SecondStage { transition, .. }) = self.parameters.second_stage
            && vocab_size < transition
        {
            let reason = format!(
                "the model's second stage begins at {transition} tokens, so it cannot be truncated \
                 to {vocab_size}; train a model without transition"
            );
            return Err(Error::VocabSize { reason });
        }
        if self.is_pruned() {
            let reason =
                "a pruned model cannot be truncated; truncate the model that it was made from";
            return Err(Error::VocabSize { reason: reason.to_owned() });
        }
        if !self.has_ids_of_training() {
            let reason = "a model whose ids are not those of training cannot be truncated";
            return Err(Error::VocabSize { reason: reason.to_owned() });
        }
        // A model with fewer tokens than requested ran out of pairs: a larger size changes nothing.
        let trained = self.parameters.vocab_size;
        let ran_out = self.vocabulary.len() < trained as usize;
        let max_superwords = self.parameters.limits.max_superwords(vocab_size);
        let allows_more = max_superwords > self.parameters.limits.max_superwords(trained);
        if vocab_size > trained && (!ran_out || allows_more) {
            let reason =
                format!("the model was trained for {trained} tokens, fewer than {vocab_size}");
            return Err(Error::VocabSize { reason });
        }
        let mut history = History::of_training(self.rules.len());
        let mut superwords = HashSet::new();
        for rule in &self.rules {
            let begins_step = !matches!(rule, Rule::Delete { .. });
            if begins_step && history.size() >= size {
                break;
            }
            if let Rule::Supermerge { token, .. } = *rule
                && !is_unspaced_word(self.token(token))
            {
                if superwords.len() >= max_superwords {
                    continue;
                }
                superwords.insert(token);
            }
            history.perform(&self.spelled(rule))?;
        }
        let parameters = Parameters { vocab_size, ..self.parameters.clone() };
        let special_tokens = self.special_tokens().iter().map(|(_, text)| text.clone()).collect();
        let mut model = Model::with_dense_ids(parameters, history, special_tokens, self.training)?;
        model.pattern_tables.clone_from(&self.pattern_tables);
        model.eligible_tables.clone_from(&self.eligible_tables);
        Ok(model)
    }

    /// Whether training gives these ids. A history numbers tokens in the order in which rules make
    /// them, so the token indices of this history are those of the model.
    fn has_ids_of_training(&self) -> bool {
        let mut history = History::of_training(self.rules.len());
        let is_performed =
            self.rules.iter().all(|rule| history.perform(&self.spelled(rule)).is_ok());
        let next_ids = (self.vocabulary.len() as u32..).map(TokenId);
        is_performed
            && self.lookup_count == 0
            && self.added_tokens().is_empty()
            && self
                .vocabulary
                .iter()
                .copied()
                .eq((0..).map(TokenId).zip(history.in_order_of_entry()))
            && self
                .special_tokens()
                .iter()
                .map(|&(id, _)| id)
                .eq(next_ids.take(self.special_tokens().len()))
    }
}
