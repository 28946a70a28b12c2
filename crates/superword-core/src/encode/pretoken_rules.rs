//! The merges and deletes of a model, applied to single pretokens.

use crate::encode::numbering::TokenNumbering;
use crate::encode::pretoken::merger::{PretokenMerger, PretokenReplay};
use crate::model::{Model, TokenIndex};

/// Applies the merges and deletes of a model to pretokens, each as if it stood alone.
pub(crate) struct PretokenRules<'m> {
    model: &'m Model,
    numbering: TokenNumbering,
    merger: PretokenMerger,
    replay: PretokenReplay,
    /// By encoder token.
    indices: Vec<TokenIndex>,
}

impl PretokenRules<'_> {
    /// Takes the rules of a model.
    pub(crate) fn new(model: &Model) -> PretokenRules<'_> {
        let numbering = TokenNumbering::new(model);
        let mut indices = vec![TokenIndex(0); model.token_count()];
        for index in (0..model.token_count() as u32).map(TokenIndex) {
            indices[numbering.token(index).as_usize()] = index;
        }
        let merger = PretokenMerger::new(model, &numbering, model.rules());
        PretokenRules { model, numbering, merger, replay: PretokenReplay::new(), indices }
    }

    /// Returns the tokens of a pretoken after all rules.
    pub(crate) fn apply(&mut self, pretoken: &[u8]) -> impl Iterator<Item = TokenIndex> {
        match self.model.look_up(pretoken) {
            Some(token) => {
                let token = self.numbering.token(token);
                self.merger.apply_rules_to_token(token, &mut self.replay, |_| ());
            }
            None => self.merger.apply_rules(pretoken, &mut self.replay, |_| ()),
        }
        self.replay.items().map(|made| self.indices[made.token.as_usize()])
    }
}

/// Returns the tokens of the vocabulary that no supermerge makes, and that a pretoken with the same
/// bytes does not become.
#[must_use]
pub fn list_unreachable(model: &Model) -> Vec<&[u8]> {
    let mut rules = PretokenRules::new(model);
    let vocabulary = model.vocabulary().filter(|&(id, _)| model.is_superword(id) == Some(false));
    vocabulary.map(|(_, token)| token).filter(|token| rules.apply(token).count() > 1).collect()
}
