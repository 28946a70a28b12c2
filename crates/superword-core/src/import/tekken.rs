//! Mistral's `tekken.json`: a vocabulary with ranks, its pattern and its special tokens.
//!
//! Special tokens have the first ids. The others follow in the order of their ranks, up to the size
//! that the file names: it lists more than are used.

use serde::Deserialize;

use super::added_tokens::keep_last_ids;
use super::json::{ID_RANGE, JsonId, JsonText, explain};
use super::model_error;
use super::patterns::quote_regex;
use super::ranked::RankedTokenizer;
use super::token_list::TokenList;
use super::unreproduced::Unreproduced;
use crate::Error;
use crate::model::{Model, TokenId};

/// Files without a list of special tokens have these.
const FIRST_SPECIAL_TOKENS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The file does not list all of its special tokens, so their number must be bounded.
const MAX_SPECIAL_TOKENS: u32 = 1 << 16;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct TekkenFile<'f> {
    config: TekkenConfig,
    #[serde(borrow)]
    vocab: Vec<TekkenToken<'f>>,
    special_tokens: Option<Vec<TekkenSpecialToken>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct TekkenConfig {
    pattern: String,
    default_vocab_size: JsonId,
    default_num_special_tokens: JsonId,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct TekkenToken<'f> {
    rank: JsonId,
    #[serde(borrow)]
    token_bytes: JsonText<'f>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct TekkenSpecialToken {
    rank: JsonId,
    token_str: String,
}

/// Imports a `tekken.json`.
pub(super) fn import(content: &[u8], unreproduced: &mut Unreproduced) -> Result<Model, Error> {
    let file: TekkenFile<'_> = serde_json::from_slice(content)
        .map_err(|error| explain(&error, "not a tekken.json as Mistral writes it"))?;
    let TokenId(special_count) = file.config.default_num_special_tokens.0;
    let TokenId(vocab_size) = file.config.default_vocab_size.0;
    if special_count > MAX_SPECIAL_TOKENS {
        return Err(model_error(format!(
            "default_num_special_tokens is {special_count}; it must be at most {MAX_SPECIAL_TOKENS}"
        )));
    }
    let used = vocab_size.saturating_sub(special_count);
    let mut special_tokens = match file.special_tokens {
        None => (0..).map(TokenId).zip(FIRST_SPECIAL_TOKENS.map(str::to_owned)).collect(),
        Some(listed) => {
            keep_last_ids(listed.into_iter().map(|token| (token.rank.0, token.token_str)))
        }
    };
    let reserved = special_tokens.len() as u32..special_count;
    special_tokens.extend(reserved.map(|id| (TokenId(id), format!("<SPECIAL_{id}>"))));
    let mut tokens = TokenList::with_capacity(file.vocab.len());
    let mut ids = Vec::with_capacity(file.vocab.len());
    for TekkenToken { rank: JsonId(TokenId(rank)), token_bytes: JsonText(text) } in file.vocab {
        if rank >= used {
            continue;
        }
        tokens
            .push_base64(text.as_bytes())
            .ok_or_else(|| model_error(format!("the bytes of rank {rank} are not in base 64")))?;
        ids.push(TokenId(rank.checked_add(special_count).ok_or_else(|| model_error(ID_RANGE))?));
    }
    let tokenizer = RankedTokenizer {
        vocabulary: ids.into_iter().zip(tokens.iter()).collect(),
        pattern: quote_regex(&file.config.pattern),
        special_tokens,
        looks_up: true,
        ..RankedTokenizer::default()
    };
    tokenizer.build(unreproduced)
}
