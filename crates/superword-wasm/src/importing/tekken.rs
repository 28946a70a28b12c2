//! Mistral's `tekken.json`: a vocabulary with ranks, its pattern and its special tokens.
//!
//! Special tokens have the first ids. The others follow in the order of their ranks, up to the size
//! that the file names: it lists more than are used.

use serde::Deserialize;
use superword_core::model::TokenId;

use crate::importing::base64;
use crate::importing::ranked::RankedTokenizer;
use crate::session::{Failure, NewModel};

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

#[derive(Deserialize)]
struct TekkenFile {
    config: TekkenConfig,
    vocab: Vec<TekkenToken>,
    special_tokens: Option<Vec<TekkenSpecialToken>>,
}

#[derive(Deserialize)]
struct TekkenConfig {
    pattern: String,
    default_vocab_size: u32,
    default_num_special_tokens: u32,
}

#[derive(Deserialize)]
struct TekkenToken {
    rank: u32,
    token_bytes: String,
}

#[derive(Deserialize)]
struct TekkenSpecialToken {
    rank: u32,
    token_str: String,
}

/// Imports a `tekken.json`.
pub(super) fn import(content: &[u8]) -> Result<NewModel, Failure> {
    let file: TekkenFile = serde_json::from_slice(content)
        .map_err(|error| Failure(format!("not a tekken.json as Mistral writes it: {error}")))?;
    let TekkenConfig { pattern, default_vocab_size, default_num_special_tokens } = file.config;
    let used = default_vocab_size.saturating_sub(default_num_special_tokens);
    let mut special_tokens: Vec<(TokenId, String)> = match file.special_tokens {
        None => (0..).map(TokenId).zip(FIRST_SPECIAL_TOKENS.map(str::to_owned)).collect(),
        Some(listed) => {
            listed.into_iter().map(|token| (TokenId(token.rank), token.token_str)).collect()
        }
    };
    let reserved = special_tokens.len() as u32..default_num_special_tokens;
    special_tokens.extend(reserved.map(|id| (TokenId(id), format!("<SPECIAL_{id}>"))));
    let vocabulary = file.vocab.into_iter().filter(|token| token.rank < used).map(|token| {
        let bytes = base64::decode(token.token_bytes.as_bytes());
        let bytes = bytes.ok_or_else(|| {
            Failure(format!("the bytes of rank {} are not in base 64", token.rank))
        })?;
        Ok((TokenId(token.rank.saturating_add(default_num_special_tokens)), bytes))
    });
    let vocabulary = vocabulary.collect::<Result<_, Failure>>()?;
    let ignores_merges = true;
    RankedTokenizer { vocabulary, pattern, special_tokens, ignores_merges, ..Default::default() }
        .build()
}
