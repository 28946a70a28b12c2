//! Models from files: superword's own, the authors', and those of other libraries.
//!
//! Python has the same code in `superword.interop`, where docs/extending.md says what is kept and what
//! is rejected. Tests compare both.
//!
//! In reading order:
//!
//! 1. `patterns`: patterns by name, and regexes that are known by a name;
//! 2. `byte_spelling`, `base64`: how files spell the bytes of tokens;
//! 3. `ranked`: a model of merges by rank;
//! 4. `tiktoken`, `vocabularies`: tiktoken's files, and what they do not hold;
//! 5. `tokenizer_json`, `added_tokens`, `pre_tokenizer`: Hugging Face's `tokenizer.json`;
//! 6. `tekken`: Mistral's `tekken.json`.

mod added_tokens;
mod base64;
mod byte_spelling;
pub(crate) mod patterns;
mod pre_tokenizer;
mod ranked;
mod tekken;
mod tiktoken;
mod tokenizer_json;
mod vocabularies;

use serde::Deserialize;
use superword_core::model::{Deletion, Model};

use crate::session::{Failure, NewModel};

/// How much of a file tells its kind.
const START_BYTES: usize = 4096;

/// The fields that tell kinds of JSON files apart.
#[derive(Deserialize)]
struct JsonFields {
    vocab: Option<serde::de::IgnoredAny>,
    config: Option<serde::de::IgnoredAny>,
    model: Option<serde::de::IgnoredAny>,
}

/// Opens a file of any kind.
pub(crate) fn import_file(content: &[u8], name: &str) -> Result<NewModel, Failure> {
    let opened = open_content(content, name);
    let prefix = if name.is_empty() { String::new() } else { format!("{name}: ") };
    opened.map_err(|Failure(sentence)| Failure(format!("{prefix}{sentence}")))
}

fn open_content(content: &[u8], name: &str) -> Result<NewModel, Failure> {
    let start = &content[..content.len().min(START_BYTES)];
    if start.is_empty() {
        return Err("the file is empty".into());
    }
    if start.starts_with(b"word v") || start.starts_with(b"BoundlessBPE") {
        return Ok(Model::from_authors(content, Deletion::Bytes)?.into());
    }
    if has_superword_format(start) {
        return Ok(Model::from_json(content)?.into());
    }
    if tiktoken::is_tiktoken(start) {
        return tiktoken::import(content, name);
    }
    if !start.trim_ascii_start().starts_with(b"{") {
        return Err("it is neither a superword model, a tokenizer.json nor a tiktoken file".into());
    }
    let fields: JsonFields = serde_json::from_slice(content).map_err(|error| {
        let kinds = "neither a superword model, a tokenizer.json nor a tiktoken file";
        Failure(format!("{kinds}: {error}"))
    })?;
    match fields {
        JsonFields { vocab: Some(_), config: Some(_), .. } => tekken::import(content),
        JsonFields { model: Some(_), .. } => tokenizer_json::import(content),
        _ => Err("it is JSON, but neither a superword model nor a tokenizer.json".into()),
    }
}

/// Whether a file begins like a model of superword.
fn has_superword_format(start: &[u8]) -> bool {
    let compact: Vec<u8> =
        start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let field = br#""format":"superword""#;
    compact.windows(field.len()).any(|window| window == field)
}

impl From<Model> for NewModel {
    fn from(model: Model) -> NewModel {
        NewModel { model, warnings: Vec::new() }
    }
}
