//! Which tokens are in the vocabulary while training.

use crate::train::engine::token::TokenId;

/// The vocabulary, which the single bytes never leave.
pub(crate) struct Vocabulary {
    has: Vec<bool>,
    size: usize,
}

impl Vocabulary {
    /// The single bytes.
    pub(crate) fn new() -> Vocabulary {
        Vocabulary { has: vec![true; 256], size: 256 }
    }

    /// How many tokens are in it.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Adds a token, if it is not in it.
    pub(crate) fn add(&mut self, token: TokenId) {
        let index = token as usize;
        if index >= self.has.len() {
            self.has.resize(index + 1, false);
        }
        self.size += usize::from(!self.has[index]);
        self.has[index] = true;
    }

    /// Takes a token out.
    pub(crate) fn remove(&mut self, token: TokenId) {
        self.size -= usize::from(self.has[token as usize]);
        self.has[token as usize] = false;
    }
}
