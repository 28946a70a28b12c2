//! The rules that training learned, and how a model numbers their tokens.

use crate::model::{Rule, TokenIndex};
use crate::train::engine::{TrainingToken, TrainingTokens};

/// Rules, and the bytes of their tokens.
pub(crate) struct LearnedRules {
    pub(crate) tokens: TrainingTokens,
    pub(crate) rules: Vec<Rule<TrainingToken>>,
}

impl LearnedRules {
    /// Numbers the tokens as a model does: first the single bytes, then the other tokens in the
    /// order in which rules name them. Returns the bytes of the tokens, and the rules.
    pub(crate) fn index_tokens(self) -> (Vec<Box<[u8]>>, Vec<Rule>) {
        let LearnedRules { tokens, rules } = self;
        let mut bytes: Vec<_> = tokens.into_bytes().into_iter().map(Some).collect();
        let mut indices = vec![None; bytes.len()];
        let mut indexed = Vec::new();
        let mut index_of = |token: TrainingToken| {
            *indices[token.index()].get_or_insert_with(|| {
                indexed.push(bytes[token.index()].take().expect("a token gets one index"));
                TokenIndex(indexed.len() as u32 - 1)
            })
        };
        for byte in TrainingToken::bytes() {
            index_of(byte);
        }
        let rules = rules.into_iter().map(|rule| rule.renumber(&mut index_of)).collect();
        (indexed, rules)
    }
}
