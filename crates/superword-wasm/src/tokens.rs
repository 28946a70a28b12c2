//! Where tokens come from: their rules, counts and words.

use std::collections::HashMap;

use serde_json::{Value, json};
use superword_core::model::{Model, Rule, TokenId, TokenIndex};
use superword_core::pretokenize::is_unspaced_word;

use crate::open_model::OpenModel;
use crate::session::{Buffer, Failure};

/// The first rule that makes each token, and how many words supermerges join in it.
pub(crate) struct TokenOrigins {
    /// By token index; `None` for bytes, and for tokens that are only looked up.
    first_rules: Vec<Option<usize>>,
    /// By token index. Only superwords have more than one.
    words: Vec<u32>,
    by_id: HashMap<u32, TokenIndex>,
}

/// A token in the derivation of another.
struct DerivedToken {
    index: TokenIndex,
    start: usize,
    end: usize,
    /// The positions of its two parts.
    parts: Option<[usize; 2]>,
}

impl TokenOrigins {
    pub(crate) fn new(model: &Model) -> TokenOrigins {
        let count = model.token_count();
        let (mut first_rules, mut words) = (vec![None; count], vec![1; count]);
        for (index, rule) in model.rules().iter().enumerate() {
            if matches!(rule, Rule::Delete { .. }) {
                continue;
            }
            first_rules[rule.token().as_usize()].get_or_insert(index);
            if let Rule::Supermerge { left, right, token, .. } = rule {
                let is_one_word = is_unspaced_word(model.token(*token));
                let both = words[left.as_usize()] + words[right.as_usize()];
                let joined = if is_one_word { 1 } else { both };
                words[token.as_usize()] = joined.max(words[token.as_usize()]);
            }
        }
        let indices = (0..count as u32).map(TokenIndex);
        let by_id = indices.filter_map(|index| Some((model.id_of(index)?.0, index))).collect();
        TokenOrigins { first_rules, words, by_id }
    }
}

/// Returns the number of words of a token, as `max_words` counts them. Those of a second stage are
/// pretokens of the first. In scripts without spaces it is one.
fn count_words(opened: &OpenModel, index: TokenIndex, token: &[u8]) -> u32 {
    let Some(pattern) = &opened.first_pattern else {
        return opened.origins().words[index.as_usize()];
    };
    if is_unspaced_word(token) {
        return 1;
    }
    let text: String = token.utf8_chunks().map(|chunk| chunk.valid()).collect();
    (pattern.spans(&text).count() as u32).max(1)
}

/// Describes a token: JSON and its bytes.
pub(crate) fn describe(opened: &OpenModel, id: u32) -> Result<Vec<Buffer>, Failure> {
    let OpenModel { model, .. } = opened;
    let bytes = find_bytes(model, id)?;
    let origins = opened.origins();
    let is_superword = model.is_superword(TokenId(id)) == Some(true);
    let described = if let Some(&index) = origins.by_id.get(&id) {
        let rule = origins.first_rules[index.as_usize()];
        let kind = match rule {
            None if model.is_looked_up(index) => "looked-up",
            None => "byte",
            Some(_) if is_superword => "superword",
            Some(_) => "merge",
        };
        let words = count_words(opened, index, bytes);
        let count = find_count(model, rule);
        json!({ "id": id, "kind": kind, "words": words, "rule": rule, "count": count,
            "is_superword": is_superword })
    } else {
        json!({ "id": id, "kind": name_added_kind(model, id), "words": 1, "rule": null, "count": null,
            "is_superword": false })
    };
    Ok(vec![described.into(), bytes.to_vec().into()])
}

/// Returns how the first rules that make it and its parts make a token: JSON, a list of tokens with
/// their place in the bytes and the positions of their two parts; and the bytes.
pub(crate) fn derive(opened: &OpenModel, id: u32) -> Result<Vec<Buffer>, Failure> {
    let OpenModel { model, .. } = opened;
    let bytes = find_bytes(model, id)?;
    let origins = opened.origins();
    let Some(&root) = origins.by_id.get(&id) else {
        let list = json!([{ "start": 0, "end": bytes.len(), "id": id, "kind": name_added_kind(model, id),
            "rule": null, "count": null, "parts": null }]);
        return Ok(vec![list.into(), bytes.to_vec().into()]);
    };
    let mut derived = vec![DerivedToken { index: root, start: 0, end: bytes.len(), parts: None }];
    let mut at = 0;
    // Not by recursion: a token may be derived from thousands, one after the other.
    while let Some(&DerivedToken { index, start, end, .. }) = derived.get(at) {
        let rule = origins.first_rules[index.as_usize()].map(|rule| &model.rules()[rule]);
        if let Some(Rule::Merge { left, right, .. } | Rule::Supermerge { left, right, .. }) = rule {
            derived[at].parts = Some([derived.len(), derived.len() + 1]);
            let middle = start + model.token(*left).len();
            derived.push(DerivedToken { index: *left, start, end: middle, parts: None });
            derived.push(DerivedToken { index: *right, start: middle, end, parts: None });
        }
        at += 1;
    }
    let list: Vec<Value> =
        derived.iter().map(|token| describe_derived(model, origins, token)).collect();
    Ok(vec![Value::from(list).into(), bytes.to_vec().into()])
}

fn describe_derived(model: &Model, origins: &TokenOrigins, token: &DerivedToken) -> Value {
    let &DerivedToken { index, start, end, parts } = token;
    let rule = origins.first_rules[index.as_usize()];
    let kind = match rule.map(|rule| &model.rules()[rule]) {
        None if model.is_looked_up(index) => "looked-up",
        None => "byte",
        Some(Rule::Supermerge { .. }) => "superword",
        Some(_) => "merge",
    };
    json!({ "start": start, "end": end, "id": model.id_of(index).map(|id| id.0), "kind": kind,
        "rule": rule, "count": find_count(model, rule), "parts": parts })
}

/// Returns the kind of a token that no rule makes.
fn name_added_kind(model: &Model, id: u32) -> &'static str {
    let is_special = model.special_tokens().iter().any(|(special, _)| special.0 == id);
    if is_special { "special" } else { "added" }
}

/// Returns the count of a rule; `None` if it was not counted, as in a model of another library.
fn find_count(model: &Model, rule: Option<usize>) -> Option<u64> {
    match model.rules()[rule?] {
        Rule::Merge { count, .. } | Rule::Supermerge { count, .. } => {
            Some(count).filter(|&c| c > 0)
        }
        Rule::Delete { .. } => None,
    }
}

fn find_bytes(model: &Model, id: u32) -> Result<&[u8], Failure> {
    let token = model.token_bytes(TokenId(id));
    token.ok_or_else(|| Failure(format!("no token has the id {id}")))
}
