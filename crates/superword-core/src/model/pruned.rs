//! Pruned models: smaller vocabularies for the same rules.
//!
//! All rules of a pruned model are applied. After the last one, each token without an id is replaced
//! by the pair of the first rule that made it, again and again, until all tokens have ids.

use std::collections::HashSet;

use super::history::History;
use super::token_interner::quote_token;
use super::{Model, Rule, TokenId, TokenIndex};
use crate::Error;

/// What replaces the tokens without an id.
#[derive(Clone, Debug)]
pub(super) struct Replacements {
    /// The tokens that replace each token, one after the other.
    parts: Vec<TokenIndex>,
    /// By token index: where its parts start, and the end of the last. A token that stays has none.
    starts: Vec<usize>,
    /// The number of tokens that can be left after the last rule, but have no id.
    removed_count: usize,
}

impl Replacements {
    /// Finds the replacements for the tokens without an id. Rules make the parts of a token before the
    /// token, so their indices are smaller than its own.
    pub(super) fn new(
        rules: &[Rule],
        ids: &[Option<TokenId>],
        removed_count: usize,
    ) -> Replacements {
        let mut first_pairs = vec![None; ids.len()];
        for rule in rules {
            if let &(Rule::Merge { left, right, token, .. }
            | Rule::Supermerge { left, right, token, .. }) = rule
            {
                first_pairs[token.as_usize()].get_or_insert([left, right]);
            }
        }
        let mut found = Replacements { parts: Vec::new(), starts: vec![0], removed_count };
        for (id, pair) in ids.iter().zip(first_pairs) {
            for side in pair.into_iter().flatten().filter(|_| id.is_none()) {
                match found.get(side) {
                    [] => found.parts.push(side),
                    _ => found.parts.extend_from_within(found.range(side)),
                }
            }
            found.starts.push(found.parts.len());
        }
        found
    }

    fn get(&self, token: TokenIndex) -> &[TokenIndex] {
        &self.parts[self.range(token)]
    }

    fn range(&self, token: TokenIndex) -> std::ops::Range<usize> {
        self.starts[token.as_usize()]..self.starts[token.as_usize() + 1]
    }
}

impl Model {
    /// The model without these tokens. The others are numbered in the order of their ids, special and
    /// added tokens included.
    ///
    /// # Errors
    /// When an id is not that of a token that rules make, or the token is looked up, or an added token
    /// has the id too.
    pub fn prune(&self, removed: &[TokenId]) -> Result<Model, Error> {
        let removed: HashSet<TokenId> = removed.iter().copied().collect();
        for &id in &removed {
            self.check_removable(id)?;
        }
        let is_kept = |id: &TokenId| !removed.contains(id);
        let mut kept: Vec<TokenId> = self.vocabulary.iter().map(|&(id, _)| id).collect();
        kept.extend(self.special_tokens().iter().chain(self.added_tokens()).map(|&(id, _)| id));
        kept.retain(is_kept);
        kept.sort_unstable();
        kept.dedup();
        // Every id that is asked for is kept.
        let renumber = |id: TokenId| TokenId(kept.partition_point(|&before| before < id) as u32);
        let renumber_texts = |tokens: &[(TokenId, String)]| {
            tokens.iter().map(|(id, text)| (renumber(*id), text.clone())).collect()
        };
        let has_byte = |byte: u8| self.id_of(byte.into()).is_some();
        let history = History::of_file(has_byte, self.rules.len());
        let mut history = history.look_up(self.spell_lookup_tokens())?;
        for rule in &self.rules {
            history.perform(&self.spelled(rule))?;
        }
        let vocabulary = self.vocabulary.iter().filter(|(id, _)| is_kept(id));
        let mut model = Model::with_vocabulary(
            self.parameters.clone(),
            history,
            vocabulary.map(|&(id, token)| (renumber(id), token)).collect(),
            renumber_texts(self.special_tokens()),
            renumber_texts(self.added_tokens()),
            self.training,
        )?;
        model.pattern_tables.clone_from(&self.pattern_tables);
        model.eligible_tables.clone_from(&self.eligible_tables);
        Ok(model)
    }

    /// Whether tokens that the rules make have no id, so that others replace them.
    #[must_use]
    pub fn is_pruned(&self) -> bool {
        self.replacements.is_some()
    }

    /// The number of tokens that the rules make, but that have no id.
    #[must_use]
    pub fn removed_count(&self) -> usize {
        self.replacements.as_ref().map_or(0, |replacements| replacements.removed_count)
    }

    /// The tokens that replace a token after the last rule; none if it stays.
    #[must_use]
    pub fn replacement(&self, token: TokenIndex) -> &[TokenIndex] {
        self.replacements.as_ref().map_or(&[], |replacements| replacements.get(token))
    }

    fn check_removable(&self, id: TokenId) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::Prune { reason });
        let Some(index) = self.index_of(id) else {
            return match self.added_tokens.text(id) {
                Some(text) => refuse(format!(
                    "the special or added token {text:?}, id {id}, cannot be removed: no rule makes it"
                )),
                None => refuse(format!("no token has the id {id}")),
            };
        };
        let token = self.token(index);
        if token.len() == 1 {
            let token = quote_token(token);
            return refuse(format!("the single byte {token}, id {id}, cannot be removed"));
        }
        if self.is_looked_up(index) {
            let token = quote_token(token);
            return refuse(format!("the looked-up token {token}, id {id}, cannot be removed"));
        }
        if self.added_tokens.text(id).is_some() {
            let token = quote_token(token);
            return refuse(format!(
                "the token {token}, id {id}, cannot be removed: it is an added token, too"
            ));
        }
        Ok(())
    }
}
