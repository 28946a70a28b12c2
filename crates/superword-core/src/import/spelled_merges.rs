//! The spelled vocabulary and merges that `tokenizer.json` and its older files share.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json::{JsonId, JsonText};
use super::token_list::TokenList;
use super::{byte_spelling, model_error};
use crate::Error;
use crate::model::{MergePair, TokenId, quote_token};

/// Spelled tokens with their ids.
pub(super) enum SpelledVocabulary<'f> {
    Ids(Vec<(Cow<'f, str>, TokenId)>),
    /// A list, which models other than byte-level BPE have.
    List,
}

/// Two spelled tokens, or a string of both.
pub(super) enum SpelledMerge<'f> {
    Pair([Cow<'f, str>; 2]),
    Joined(Cow<'f, str>),
}

struct VocabularyVisitor<'f>(PhantomData<&'f ()>);
struct MergeVisitor<'f>(PhantomData<&'f ()>);

impl<'de: 'f, 'f> Deserialize<'de> for SpelledVocabulary<'f> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SpelledVocabulary<'f>, D::Error> {
        from.deserialize_any(VocabularyVisitor(PhantomData))
    }
}

impl<'de: 'f, 'f> Visitor<'de> for VocabularyVisitor<'f> {
    type Value = SpelledVocabulary<'f>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object of tokens and ids")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut ids = Vec::new();
        while let Some((JsonText(text), JsonId(id))) = map.next_entry()? {
            ids.push((text, id));
        }
        Ok(SpelledVocabulary::Ids(ids))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(SpelledVocabulary::List)
    }
}

impl<'de: 'f, 'f> Deserialize<'de> for SpelledMerge<'f> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SpelledMerge<'f>, D::Error> {
        from.deserialize_any(MergeVisitor(PhantomData))
    }
}

impl<'de: 'f, 'f> Visitor<'de> for MergeVisitor<'f> {
    type Value = SpelledMerge<'f>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("two tokens, or a string of both")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(SpelledMerge::Joined(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(SpelledMerge::Joined(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
        let mut next = || items.next_element::<JsonText<'f>>();
        match [next()?, next()?, next()?] {
            [Some(JsonText(left)), Some(JsonText(right)), None] => {
                Ok(SpelledMerge::Pair([left, right]))
            }
            _ => Err(S::Error::custom("a merge is not of two tokens")),
        }
    }
}

impl SpelledMerge<'_> {
    /// Adds the two tokens to a list.
    pub(super) fn decode(&self, tokens: &mut TokenList) -> Result<(), Error> {
        let (left, right) = match self {
            SpelledMerge::Pair([left, right]) => (&**left, &**right),
            SpelledMerge::Joined(joined) => {
                let parts = joined.split_once(' ').filter(|(_, right)| !right.contains(' '));
                parts.ok_or_else(|| {
                    let joined = quote_token(joined.as_bytes());
                    model_error(format!("its merge {joined} is not of two tokens"))
                })?
            }
        };
        decode_spelling(left, tokens)?;
        decode_spelling(right, tokens)
    }
}

/// Adds the bytes of a token, which must be spelled as GPT-2 spells them, to a list.
fn decode_spelling(text: &str, tokens: &mut TokenList) -> Result<(), Error> {
    tokens.push_spelled(text).ok_or_else(|| {
        let text = quote_token(text.as_bytes());
        model_error(format!("it is not byte-level BPE: {text} does not spell bytes"))
    })
}

/// Returns the merges of tokens that stand in pairs.
pub(super) fn pair_tokens(tokens: &TokenList) -> Vec<MergePair<'_>> {
    let mut tokens = tokens.iter();
    let mut pairs = Vec::with_capacity(tokens.len() / 2);
    while let (Some(left), Some(right)) = (tokens.next(), tokens.next()) {
        pairs.push(MergePair { left, right });
    }
    pairs
}

/// Adds the tokens to a list, and returns their ids. Those that are special or added and that no merge
/// makes are left out.
pub(super) fn decode_vocabulary(
    spelled: &[(Cow<'_, str>, TokenId)],
    merges: &[MergePair<'_>],
    without_rules: &HashSet<&str>,
    looks_up: bool,
    tokens: &mut TokenList,
) -> Result<Vec<TokenId>, Error> {
    let made = find_made(merges, without_rules);
    let mut ids = Vec::with_capacity(spelled.len());
    for (text, id) in spelled {
        let is_unmade = without_rules.contains(&**text) && !made.contains(&**text);
        if is_unmade && !(looks_up && spells_other(text)) {
            continue;
        }
        decode_spelling(text, tokens)?;
        ids.push(*id);
    }
    Ok(ids)
}

/// Whether a text spells bytes that are not its own. If tokens are looked up, a pretoken may be these
/// bytes, while its own bytes are an added token.
fn spells_other(text: &str) -> bool {
    let mut token = Vec::new();
    byte_spelling::decode_into(&mut token, text).is_some() && token != text.as_bytes()
}

/// Returns which of these texts spell tokens that merges make.
fn find_made<'t>(merges: &[MergePair<'_>], texts: &HashSet<&'t str>) -> HashSet<&'t str> {
    let mut spelled: HashMap<Vec<u8>, &str> = HashMap::new();
    for &text in texts {
        let mut token = Vec::new();
        if byte_spelling::decode_into(&mut token, text).is_some() {
            spelled.insert(token, text);
        }
    }
    let mut made = HashSet::new();
    let lengths: HashSet<usize> = spelled.keys().map(Vec::len).collect();
    let mut joined = Vec::new();
    for MergePair { left, right } in merges {
        if !lengths.contains(&(left.len() + right.len())) {
            continue;
        }
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        if let Some(&text) = spelled.get(&joined) {
            made.insert(text);
        }
    }
    made
}
