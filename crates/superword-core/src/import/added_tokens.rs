//! The added tokens of a `tokenizer.json`, some of which are special.

use std::collections::HashMap;

use serde::Deserialize;

use super::json::JsonId;
use super::unreproduced::Unreproduced;
use crate::Error;
use crate::model::{AddedTokenFinder, TokenId, quote_token};

/// An added token of the file.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct AddedTokenEntry {
    id: JsonId,
    content: String,
    special: Option<bool>,
    normalized: Option<bool>,
    single_word: Option<bool>,
    lstrip: Option<bool>,
    rstrip: Option<bool>,
}

/// The added tokens by kind, with their ids.
#[derive(Default)]
pub(super) struct AddedTokenLists {
    pub(super) special: Vec<(TokenId, String)>,
    pub(super) others: Vec<(TokenId, String)>,
}

/// What decides when a library searches for an added token.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SearchKind {
    is_special: bool,
    is_normalized: bool,
}

/// Returns the special tokens and the other added tokens, in the order of their ids.
pub(super) fn read_added_tokens(
    mut added: Vec<AddedTokenEntry>,
    unreproduced: &mut Unreproduced,
) -> Result<AddedTokenLists, Error> {
    for token in &added {
        let how = [
            ("single_word", token.single_word),
            ("lstrip", token.lstrip),
            ("rstrip", token.rstrip),
        ];
        for (name, _) in how.iter().filter(|(_, is_set)| *is_set == Some(true)) {
            let content = quote_token(token.content.as_bytes());
            unreproduced
                .reject_or_warn(format!("its added token {content} is matched with {name}"))?;
        }
    }
    check_order(&added, unreproduced)?;
    added.sort_by_key(|token| token.id.0);
    let (special, others): (Vec<_>, Vec<_>) =
        added.into_iter().partition(|token| token.special == Some(true));
    let [special, others] = [special, others]
        .map(|tokens| keep_last_ids(tokens.into_iter().map(|token| (token.id.0, token.content))));
    Ok(AddedTokenLists { special, others })
}

/// Returns the texts in the order of their first occurrence, each with its last id.
pub(super) fn keep_last_ids(
    tokens: impl Iterator<Item = (TokenId, String)>,
) -> Vec<(TokenId, String)> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<(TokenId, String)> = Vec::new();
    for (id, text) in tokens {
        if let Some(&position) = positions.get(&text) {
            kept[position].0 = id;
        } else {
            positions.insert(text.clone(), kept.len());
            kept.push((id, text));
        }
    }
    kept
}

/// Refuses added tokens that may overlap, and that libraries search for in different orders.
fn check_order(added: &[AddedTokenEntry], unreproduced: &mut Unreproduced) -> Result<(), Error> {
    let kinds = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(is_special, is_normalized)| SearchKind { is_special, is_normalized });
    let tokens_of = kinds.map(|kind| -> Vec<(TokenId, String)> {
        let of_kind = added.iter().filter(|token| token.search_kind() == kind);
        of_kind.map(|token| (token.id.0, token.content.clone())).collect()
    });
    // Hugging Face searches for the first of two kinds first, or for both at once.
    for (number, (first, first_tokens)) in kinds.iter().zip(&tokens_of).enumerate() {
        for (second, second_tokens) in kinds.iter().zip(&tokens_of).skip(number + 1) {
            if !first.has_other_order(*second) {
                continue;
            }
            // Without special tokens, all are searched for at once here: the leftmost is found.
            let is_leftmost = !first.is_special && !second.is_special;
            let found = match find_overlap(first_tokens, second_tokens, true)? {
                None => find_overlap(second_tokens, first_tokens, !is_leftmost)?,
                found => found,
            };
            if let Some([one, other]) = found {
                let [one, other] = [one, other].map(|text| quote_token(text.as_bytes()));
                unreproduced.reject_or_warn(format!(
                    "its added tokens {one} and {other} may overlap, and are searched for in \
                     another order (normalized)"
                ))?;
            }
        }
    }
    Ok(())
}

/// Returns a token and a text that contains it, or, if that counts, that ends with a part of it.
///
/// The time is in proportion to all texts.
fn find_overlap<'t>(
    tokens: &'t [(TokenId, String)],
    texts: &'t [(TokenId, String)],
    ends_count: bool,
) -> Result<Option<[&'t str; 2]>, Error> {
    let Some(finder) = AddedTokenFinder::new(tokens)? else { return Ok(None) };
    let meets = |finder: &AddedTokenFinder, text: &str| {
        finder.is_in(text) || ends_count && finder.starts_in(text)
    };
    let Some((_, text)) = texts.iter().find(|(_, text)| meets(&finder, text)) else {
        return Ok(None);
    };
    for token in tokens {
        let finder = AddedTokenFinder::new(std::slice::from_ref(token))?;
        if finder.is_some_and(|finder| meets(&finder, text)) {
            return Ok(Some([&token.1, text]));
        }
    }
    Ok(None)
}

impl AddedTokenEntry {
    fn search_kind(&self) -> SearchKind {
        SearchKind {
            is_special: self.special == Some(true),
            is_normalized: self.normalized == Some(true),
        }
    }
}

impl SearchKind {
    /// Whether two kinds, one of them not special, are searched for in another order.
    ///
    /// Hugging Face searches first for those that are not normalized, superword for special ones.
    fn has_other_order(self, other: SearchKind) -> bool {
        let theirs = i8::from(self.is_normalized) - i8::from(other.is_normalized);
        let ours = i8::from(other.is_special) - i8::from(self.is_special);
        !(self.is_special && other.is_special) && theirs != ours
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(texts: &[String]) -> Vec<(TokenId, String)> {
        (0..).map(TokenId).zip(texts.iter().cloned()).collect()
    }

    /// The definition: some position of a text has both.
    fn overlaps(token: &str, text: &str, ends_count: bool) -> bool {
        let mut lengths = 1..token.len();
        text.contains(token) || ends_count && lengths.any(|n| text.ends_with(&token[..n]))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn overlaps_are_found(
            tokens in prop::collection::vec("[ab<]{1,4}", 0..4),
            texts in prop::collection::vec("[ab>]{1,5}", 0..4),
            ends_count: bool,
        ) {
            let (numbered, others) = (number(&tokens), number(&texts));
            let found = find_overlap(&numbered, &others, ends_count).expect("short tokens");
            let is_one = |token: &String, text: &String| overlaps(token, text, ends_count);
            let expected = tokens.iter().any(|token| texts.iter().any(|text| is_one(token, text)));
            prop_assert_eq!(found.is_some(), expected);
            if let Some([token, text]) = found {
                prop_assert!(overlaps(token, text, ends_count));
            }
        }
    }

    #[test]
    fn of_equal_texts_the_last_id_counts() {
        let tokens = [(1, "a"), (2, "b"), (3, "a")].map(|(id, text)| (TokenId(id), text.into()));
        let kept = keep_last_ids(tokens.into_iter());
        assert_eq!(kept, [(TokenId(3), "a".to_owned()), (TokenId(2), "b".to_owned())]);
    }
}
