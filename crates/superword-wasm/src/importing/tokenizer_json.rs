//! Hugging Face's `tokenizer.json`.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use superword_core::model::TokenId;

use crate::importing::added_tokens::{AddedToken, AddedTokenLists, read_added_tokens};
use crate::importing::byte_spelling::read_spelling;
use crate::importing::pre_tokenizer::{PreTokenizer, read_pattern};
use crate::importing::ranked::RankedTokenizer;
use crate::session::{Failure, NewModel};

#[derive(Deserialize)]
struct TokenizerFile {
    model: RankedMerges,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    added_tokens: Vec<AddedToken>,
}

/// What a file says of its model. Other kinds of models lack the last two fields.
#[derive(Deserialize)]
struct RankedMerges {
    #[serde(rename = "type")]
    kind: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    byte_fallback: Option<bool>,
    dropout: Option<f64>,
    ignore_merges: Option<bool>,
    #[serde(default)]
    vocab: Vocabulary,
    #[serde(default)]
    merges: Vec<SpelledMerge>,
}

/// Only byte-level BPE has this kind of vocabulary.
#[derive(Deserialize)]
#[serde(untagged)]
enum Vocabulary {
    Ids(HashMap<String, u32>),
    Other(serde::de::IgnoredAny),
}

/// Two spelled tokens, or a string of both.
#[derive(Deserialize)]
#[serde(untagged)]
enum SpelledMerge {
    Pair([String; 2]),
    Joined(String),
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    normalizers: Option<Vec<serde::de::IgnoredAny>>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary::Ids(HashMap::new())
    }
}

/// Imports a `tokenizer.json`.
pub(super) fn import(content: &[u8]) -> Result<NewModel, Failure> {
    let file: TokenizerFile = serde_json::from_slice(content).map_err(|error| {
        Failure(format!("not a tokenizer.json as Hugging Face tokenizers writes it: {error}"))
    })?;
    let TokenizerFile { model, normalizer, pre_tokenizer, added_tokens } = file;
    check_model(&model)?;
    if let Some(normalizer) = normalizer
        && !normalizer.normalizers.is_some_and(|normalizers| normalizers.is_empty())
    {
        return Err(Failure(format!("its normalizer {} changes texts", normalizer.kind)));
    }
    let pattern = read_pattern(pre_tokenizer.as_ref())?;
    let AddedTokenLists { special, others } = read_added_tokens(added_tokens)?;
    let merges = model.merges.iter().map(read_merge).collect::<Result<Vec<_>, _>>()?;
    let made: HashSet<Vec<u8>> = merges.iter().map(|pair| pair.concat()).collect();
    let without_rules: HashSet<&str> =
        special.iter().chain(&others).map(|(_, text)| text.as_str()).collect();
    let Vocabulary::Ids(spelled) = &model.vocab else {
        return Err("it is not byte-level BPE: its vocabulary is a list".into());
    };
    let mut vocabulary = Vec::with_capacity(spelled.len());
    for (text, &id) in spelled {
        let is_made = || read_spelling(text).is_some_and(|token| made.contains(&token));
        if without_rules.contains(text.as_str()) && !is_made() {
            continue;
        }
        vocabulary.push((TokenId(id), decode_spelling(text)?));
    }
    let tokenizer = RankedTokenizer {
        vocabulary,
        merges: Some(merges),
        pattern,
        special_tokens: special,
        added_tokens: others,
        ignores_merges: model.ignore_merges.unwrap_or(false),
    };
    tokenizer.build()
}

/// Rejects a model that is not byte-level BPE.
fn check_model(model: &RankedMerges) -> Result<(), Failure> {
    let kind = model.kind.as_deref().unwrap_or("BPE");
    if kind != "BPE" {
        return Err(Failure(format!("its model is {kind}, not byte-level BPE")));
    }
    let is_set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let others = [
        ("continuing_subword_prefix", is_set(&model.continuing_subword_prefix)),
        ("end_of_word_suffix", is_set(&model.end_of_word_suffix)),
        ("byte_fallback", model.byte_fallback.unwrap_or(false)),
    ];
    if let Some((name, _)) = others.iter().find(|(_, is_set)| *is_set) {
        return Err(Failure(format!("it is not byte-level BPE: its model has {name}")));
    }
    if model.dropout.unwrap_or(0.0) > 0.0 {
        return Err("its model has dropout, which makes ids random".into());
    }
    Ok(())
}

fn read_merge(merge: &SpelledMerge) -> Result<[Vec<u8>; 2], Failure> {
    let (left, right) = match merge {
        SpelledMerge::Pair([left, right]) => (left.as_str(), right.as_str()),
        SpelledMerge::Joined(joined) => joined
            .split_once(' ')
            .filter(|(_, right)| !right.contains(' '))
            .ok_or_else(|| Failure(format!("its merge {joined:?} is not of two tokens")))?,
    };
    Ok([decode_spelling(left)?, decode_spelling(right)?])
}

/// Returns the bytes of a token, which must be spelled as GPT-2 spells them.
fn decode_spelling(text: &str) -> Result<Vec<u8>, Failure> {
    let token = read_spelling(text);
    token.ok_or_else(|| Failure(format!("it is not byte-level BPE: {text:?} does not spell bytes")))
}
