//! The rules that open a pretoken: after one of them, the whole pretoken is one token.

use crate::encode::numbering::TokenNumbering;
use crate::encode::pretoken::merger::{PretokenMerger, PretokenReplay};
use crate::model::{Model, Rule, TokenIndex};

/// Returns for each rule the token that it makes, if the pretoken with that spelling becomes one token
/// by this rule. Single bytes and looked-up tokens are open from the start and are not listed.
pub(crate) fn rules_that_open(model: &Model) -> Vec<Option<TokenIndex>> {
    let numbering = TokenNumbering::new(model);
    let merger = PretokenMerger::new(model, &numbering, model.rules());
    let mut replay = PretokenReplay::new();
    let mut opened = vec![None; model.rules().len()];
    let mut is_seen = vec![false; model.token_count()];
    for rule in model.rules() {
        let &Rule::Merge { token, .. } = rule else { continue };
        if !std::mem::replace(&mut is_seen[token.as_usize()], true) && !model.is_looked_up(token) {
            merger.apply_rules(model.token(token), &mut replay, |span| {
                // Steps are rule indices plus 1.
                opened[span.opened_at as usize - 1] = Some(token);
            });
        }
    }
    opened
}
