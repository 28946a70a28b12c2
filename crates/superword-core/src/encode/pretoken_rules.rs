//! The merges and deletes of a model, applied to single pretokens.

use crate::encode::numbering::TokenNumbering;
use crate::encode::pretoken::merger::{PretokenMerger, PretokenReplay};
use crate::model::{Model, TokenIndex};

/// Applies the merges and deletes of a model to pretokens, each as if it stood alone.
pub(crate) struct PretokenRules {
    merger: PretokenMerger,
    replay: PretokenReplay,
    /// By encoder token.
    indices: Vec<TokenIndex>,
}

impl PretokenRules {
    /// Takes the rules of a model.
    pub(crate) fn new(model: &Model) -> PretokenRules {
        let numbering = TokenNumbering::new(model);
        let mut indices = vec![TokenIndex(0); model.token_count()];
        for index in (0..model.token_count() as u32).map(TokenIndex) {
            indices[numbering.token(index).as_usize()] = index;
        }
        let merger = PretokenMerger::new(model, &numbering, model.rules());
        PretokenRules { merger, replay: PretokenReplay::new(), indices }
    }

    /// Returns the tokens of a pretoken after all rules.
    pub(crate) fn apply(&mut self, pretoken: &[u8]) -> impl Iterator<Item = TokenIndex> {
        self.merger.apply_rules(pretoken, &mut self.replay, |_| ());
        self.replay.items().map(|made| self.indices[made.token.as_usize()])
    }
}
