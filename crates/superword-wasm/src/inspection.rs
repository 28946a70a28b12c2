//! A summary of a model, as `superword inspect` gives it.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use superword_core::model::{Model, Rule, TokenId, TokenIndex};

use crate::open_model::OpenModel;
use crate::summary::{describe_parameters, describe_training, list_ids};

/// How many rules there are of each kind.
#[derive(Default)]
struct RuleCounts {
    merges: usize,
    supermerges: usize,
    deletes: usize,
}

/// A superword of the vocabulary, with the largest count of the supermerges that make it.
struct Superword<'m> {
    id: TokenId,
    token: &'m [u8],
    count: u64,
}

/// Summarizes a model, with up to `top` superwords and deleted tokens. Tokens are strings with a
/// character below 256 for each byte.
pub(crate) fn inspect(opened: &OpenModel, top: usize, rules_per_stretch: usize) -> Value {
    let OpenModel { model, .. } = opened;
    let rules = model.rules();
    let kinds = RuleCounts::new(rules);
    let mut superwords = find_superwords(model);
    let superword_count = superwords.len();
    let bytes = (0..=u8::MAX).filter(|&byte| model.id_of(byte.into()).is_some()).count();
    let deleted = find_deleted(model);
    let counts = rules.iter().filter_map(find_count);
    superwords.sort_by_key(|superword| (std::cmp::Reverse(superword.count), superword.id));
    let top_superwords = list_superwords(&superwords, top);
    superwords.sort_by_key(|superword| (std::cmp::Reverse(superword.token.len()), superword.id));
    json!({
        "parameters": describe_parameters(model.parameters()),
        "pattern": model.parameters().last_pattern(),
        "training": describe_training(model),
        "fingerprint": model.fingerprint(),
        "special_tokens": list_ids(model.special_tokens()),
        "added_tokens": list_ids(model.added_tokens()),
        "rules": {
            "merge": kinds.merges, "supermerge": kinds.supermerges, "delete": kinds.deletes,
        },
        "vocabulary": {
            "bytes": bytes,
            "merged": model.vocab_size() - bytes - superword_count,
            "superwords": superword_count,
            "total": model.vocab_size(),
        },
        "removed_count": model.removed_count(),
        "lookup_count": model.lookup_tokens().len(),
        "smallest_count": counts.min(),
        "stretches": list_stretches(rules, rules_per_stretch),
        "top_superwords": top_superwords,
        "longest_superwords": list_superwords(&superwords, top),
        "deleted": deleted.iter().take(top).map(|&token| spell(token)).collect::<Vec<_>>(),
        "deleted_count": deleted.len(),
    })
}

impl RuleCounts {
    fn new(rules: &[Rule]) -> RuleCounts {
        let mut counts = RuleCounts::default();
        for rule in rules {
            *match rule {
                Rule::Merge { .. } => &mut counts.merges,
                Rule::Supermerge { .. } => &mut counts.supermerges,
                Rule::Delete { .. } => &mut counts.deletes,
            } += 1;
        }
        counts
    }

    /// Returns the share of supermerges among the rules that join tokens.
    #[expect(clippy::cast_precision_loss, reason = "the counts are small")]
    fn share(&self) -> f64 {
        let joins = self.merges + self.supermerges;
        if joins == 0 { 0.0 } else { self.supermerges as f64 / joins as f64 }
    }
}

/// Returns the kinds of rules along training.
fn list_stretches(rules: &[Rule], rules_per_stretch: usize) -> Vec<Value> {
    let stretches = rules.chunks(rules_per_stretch).enumerate().map(|(number, stretch)| {
        let first = number * rules_per_stretch;
        let counts = RuleCounts::new(stretch);
        json!({
            "first": first,
            "last": first + stretch.len() - 1,
            "merges": counts.merges,
            "supermerges": counts.supermerges,
            "deletes": counts.deletes,
            "share": counts.share(),
        })
    });
    stretches.collect()
}

/// Returns the superwords of the vocabulary.
fn find_superwords(model: &Model) -> Vec<Superword<'_>> {
    let mut largest: HashMap<TokenIndex, u64> = HashMap::new();
    for rule in model.rules() {
        if let Rule::Supermerge { token, count, .. } = *rule {
            let known = largest.entry(token).or_default();
            *known = count.max(*known);
        }
    }
    let known = largest.into_iter().filter_map(|(index, count)| {
        Some(Superword { id: model.id_of(index)?, token: model.token(index), count })
    });
    known.collect()
}

/// Returns the deleted tokens that are not in the vocabulary, in the order of the rules.
fn find_deleted(model: &Model) -> Vec<&[u8]> {
    let mut seen = HashSet::new();
    let deleted = model.rules().iter().filter_map(|rule| match *rule {
        Rule::Delete { token, .. } => Some(token),
        _ => None,
    });
    let gone = deleted.filter(|&token| seen.insert(token) && model.id_of(token).is_none());
    gone.map(|token| model.token(token)).collect()
}

fn list_superwords(superwords: &[Superword<'_>], top: usize) -> Vec<Value> {
    let listed = superwords.iter().take(top).map(|superword| {
        json!({
            "id": superword.id.0,
            "token": spell(superword.token),
            "count": superword.count,
        })
    });
    listed.collect()
}

fn find_count(rule: &Rule) -> Option<u64> {
    match rule {
        Rule::Merge { count, .. } | Rule::Supermerge { count, .. } => Some(*count),
        Rule::Delete { .. } => None,
    }
}

/// Returns a string with a character below 256 for each byte.
fn spell(token: &[u8]) -> String {
    token.iter().map(|&byte| char::from(byte)).collect()
}
