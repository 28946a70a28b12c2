//! The vocabulary during training.

use super::TrainingToken;

/// Which tokens are in the vocabulary. The single bytes never leave it.
pub(crate) struct TrainingVocabulary {
    has: Vec<bool>,
    size: usize,
}

impl TrainingVocabulary {
    /// Creates a vocabulary of the single bytes.
    pub(crate) fn new() -> TrainingVocabulary {
        TrainingVocabulary { has: vec![true; 256], size: 256 }
    }

    /// Returns the number of tokens in the vocabulary.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Adds a token, unless the vocabulary has it.
    pub(crate) fn add(&mut self, token: TrainingToken) {
        let index = token.index();
        if index >= self.has.len() {
            self.has.resize(index + 1, false);
        }
        self.size += usize::from(!self.has[index]);
        self.has[index] = true;
    }

    /// Removes a token, if the vocabulary has it.
    pub(crate) fn remove(&mut self, token: TrainingToken) {
        self.size -= usize::from(self.has[token.index()]);
        self.has[token.index()] = false;
    }
}
