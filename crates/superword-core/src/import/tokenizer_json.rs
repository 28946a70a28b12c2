//! Hugging Face's `tokenizer.json`.

use std::collections::HashSet;

use serde::Deserialize;

use super::added_tokens::{AddedTokenEntry, AddedTokenLists, read_added_tokens};
use super::json::{JsonText, explain_tokenizer};
use super::model_error;
use super::pre_tokenizer::{PreTokenizer, read_pattern};
use super::ranked::RankedTokenizer;
use super::spelled_merges::{SpelledMerge, SpelledVocabulary, decode_vocabulary, pair_tokens};
use super::token_list::TokenList;
use super::unreproduced::Unreproduced;
use crate::Error;
use crate::model::Model;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct TokenizerFile<'f> {
    #[serde(borrow)]
    model: MergeModel<'f>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    #[serde(default)]
    added_tokens: Vec<AddedTokenEntry>,
}

/// What a file says of its model. Other kinds of models lack the last fields.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct MergeModel<'f> {
    #[serde(rename = "type", borrow)]
    kind: Option<JsonText<'f>>,
    #[serde(borrow)]
    continuing_subword_prefix: Option<JsonText<'f>>,
    #[serde(borrow)]
    end_of_word_suffix: Option<JsonText<'f>>,
    byte_fallback: Option<bool>,
    dropout: Option<f64>,
    ignore_merges: Option<bool>,
    #[serde(borrow)]
    vocab: Option<SpelledVocabulary<'f>>,
    #[serde(borrow)]
    merges: Option<Vec<SpelledMerge<'f>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    normalizers: Vec<Normalizer>,
}

/// Imports a `tokenizer.json`.
pub(super) fn import(content: &[u8], unreproduced: &mut Unreproduced) -> Result<Model, Error> {
    let file: TokenizerFile<'_> =
        serde_json::from_slice(content).map_err(|error| explain_tokenizer(&error))?;
    let TokenizerFile { model, normalizer, pre_tokenizer, added_tokens } = file;
    check_model(&model, unreproduced)?;
    check_normalizer(normalizer.as_ref(), unreproduced)?;
    let pattern = read_pattern(pre_tokenizer.as_ref())?;
    let AddedTokenLists { special, others } = read_added_tokens(added_tokens, unreproduced)?;
    let (spelled, spelled_merges) = match (&model.vocab, &model.merges) {
        (Some(SpelledVocabulary::Ids(spelled)), Some(merges)) => (spelled, merges),
        (Some(SpelledVocabulary::List), _) => {
            return Err(model_error("it is not byte-level BPE: its vocabulary is a list"));
        }
        _ => return Err(model_error("it is not byte-level BPE: its model lacks vocab or merges")),
    };
    let mut parts = TokenList::with_capacity(2 * spelled_merges.len());
    for merge in spelled_merges {
        merge.decode(&mut parts)?;
    }
    let merges = pair_tokens(&parts);
    let without_rules: HashSet<&str> =
        special.iter().chain(&others).map(|(_, text)| text.as_str()).collect();
    let mut tokens = TokenList::with_capacity(spelled.len());
    let looks_up = model.ignore_merges.unwrap_or(false);
    let ids = decode_vocabulary(spelled, &merges, &without_rules, looks_up, &mut tokens)?;
    let tokenizer = RankedTokenizer {
        vocabulary: ids.into_iter().zip(tokens.iter()).collect(),
        merges: Some(merges),
        pattern,
        special_tokens: special,
        added_tokens: others,
        looks_up,
    };
    tokenizer.build(unreproduced)
}

/// Rejects a model that is not byte-level BPE.
fn check_model(model: &MergeModel<'_>, unreproduced: &mut Unreproduced) -> Result<(), Error> {
    let kind = model.kind.as_ref().map_or("BPE", |JsonText(kind)| kind);
    if kind != "BPE" {
        return Err(model_error(format!("its model is {kind}, not byte-level BPE")));
    }
    let is_set =
        |text: &Option<JsonText<'_>>| text.as_ref().is_some_and(|JsonText(text)| !text.is_empty());
    let others = [
        ("continuing_subword_prefix", is_set(&model.continuing_subword_prefix)),
        ("end_of_word_suffix", is_set(&model.end_of_word_suffix)),
        ("byte_fallback", model.byte_fallback.unwrap_or(false)),
    ];
    if let Some((name, _)) = others.iter().find(|(_, is_set)| *is_set) {
        return Err(model_error(format!("it is not byte-level BPE: its model has {name}")));
    }
    if model.dropout.is_some_and(|dropout| dropout != 0.0) {
        let reason = "its model has dropout, which makes ids random";
        unreproduced.reject_or_warn(reason.to_owned())?;
    }
    Ok(())
}

/// Refuses a normalizer, which changes texts, unless it is an empty list.
fn check_normalizer(
    normalizer: Option<&Normalizer>,
    unreproduced: &mut Unreproduced,
) -> Result<(), Error> {
    let mut names = Vec::new();
    if let Some(normalizer) = normalizer {
        normalizer.list_names(&mut names);
    }
    if names.is_empty() {
        return Ok(());
    }
    let is_nfc = names.iter().all(|&name| name == "NFC");
    let exception = if is_nfc { ", except those that are in NFC already" } else { "" };
    let names = names.join(", ");
    unreproduced.reject_or_warn(format!("its normalizer {names} changes texts{exception}"))
}

impl Normalizer {
    /// Appends the names of the normalizers in it, one after the other.
    fn list_names<'n>(&'n self, names: &mut Vec<&'n str>) {
        if self.kind == "Sequence" {
            for each in &self.normalizers {
                each.list_names(names);
            }
        } else {
            names.push(&self.kind);
        }
    }
}
