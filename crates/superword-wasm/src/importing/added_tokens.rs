//! The added tokens of a `tokenizer.json`, some of which are special.

use serde::Deserialize;
use superword_core::model::TokenId;

use crate::session::Failure;

/// An added token of the file.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the file has these fields")]
pub(super) struct AddedToken {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
    #[serde(default)]
    normalized: bool,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
}

/// The added tokens by kind, with their ids.
pub(super) struct AddedTokenLists {
    pub(super) special: Vec<(TokenId, String)>,
    pub(super) others: Vec<(TokenId, String)>,
}

/// Returns the special tokens and the other added tokens, in the order of their ids.
pub(super) fn read_added_tokens(mut added: Vec<AddedToken>) -> Result<AddedTokenLists, Failure> {
    added.sort_by_key(|token| token.id);
    for token in &added {
        let how = [
            ("single_word", token.single_word),
            ("lstrip", token.lstrip),
            ("rstrip", token.rstrip),
        ];
        if let Some((name, _)) = how.iter().find(|(_, is_set)| *is_set) {
            let content = &token.content;
            return Err(Failure(format!("its added token {content:?} is matched with {name}")));
        }
    }
    for (number, first) in added.iter().enumerate() {
        for second in &added[number + 1..] {
            if has_other_order(first, second) && may_overlap(first, second) {
                return Err(Failure(format!(
                    "its added tokens {:?} and {:?} may overlap, and are searched for in another \
                     order (normalized)",
                    first.content, second.content
                )));
            }
        }
    }
    let (special, others): (Vec<_>, Vec<_>) = added.into_iter().partition(|token| token.special);
    let [special, others] = [special, others]
        .map(|tokens| tokens.into_iter().map(|token| (TokenId(token.id), token.content)).collect());
    Ok(AddedTokenLists { special, others })
}

/// Whether two added tokens, one of them not special, are searched for in another order.
///
/// Hugging Face searches first for those that are not normalized, superword for special ones.
fn has_other_order(first: &AddedToken, second: &AddedToken) -> bool {
    let theirs = i32::from(first.normalized) - i32::from(second.normalized);
    let ours = i32::from(second.special) - i32::from(first.special);
    let is_same_kind = first.special == second.special && first.normalized == second.normalized;
    let are_special = first.special && second.special;
    !is_same_kind && !are_special && theirs != ours
}

/// Whether a text may have both tokens in overlapping positions.
fn may_overlap(one: &AddedToken, other: &AddedToken) -> bool {
    // Hugging Face searches for `first` first.
    let is_swapped = one.normalized && !other.normalized;
    let (first, second) = if is_swapped { (other, one) } else { (one, other) };
    // Without special tokens, all are searched for at once: the leftmost is found.
    let is_leftmost = !(first.special || second.special);
    let (first, second) = (first.content.as_bytes(), second.content.as_bytes());
    let contains = |long: &[u8], short: &[u8]| {
        short.is_empty() || long.windows(short.len()).any(|window| window == short)
    };
    let mut lengths = 1..first.len().min(second.len());
    contains(second, first)
        || contains(first, second)
        || lengths.any(|n| {
            second.ends_with(&first[..n]) || (!is_leftmost && first.ends_with(&second[..n]))
        })
}
