//! Which rules make a whole pretoken one token.

use crate::encode::ids::Numbers;
use crate::encode::pretoken::merger::{Pieces, Words};
use crate::model::{Model, Rule, TokenIndex};

/// For each rule, the token that it makes if the pretoken spelled like it becomes that one token by
/// it. Single bytes are one token from the start.
pub(crate) fn openings(model: &Model) -> Vec<Option<TokenIndex>> {
    let numbers = Numbers::new(model);
    let words = Words::new(model, &numbers, model.rules());
    let mut pieces = Pieces::new();
    let mut openings = vec![None; model.rules().len()];
    let mut is_seen = vec![false; model.token_count()];
    for rule in model.rules() {
        let &Rule::Merge { token, .. } = rule else { continue };
        if !std::mem::replace(&mut is_seen[token.as_usize()], true) {
            words.run(model.token(token), &mut pieces, |(since, _)| {
                // Times are places in the list, counted from 1.
                openings[since as usize - 1] = Some(token);
            });
        }
    }
    openings
}
