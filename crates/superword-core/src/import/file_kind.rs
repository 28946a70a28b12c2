//! Telling files apart by their content.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::json::{explain_syntax, explain_tokenizer};
use super::{model_error, tiktoken};
use crate::Error;

/// How much of a file tells its kind.
pub const START_BYTES: usize = 4096;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A model of superword.
    Superword,
    /// A model of the paper's authors.
    Authors,
    /// A vocabulary file of tiktoken.
    Tiktoken,
    /// Some other JSON object.
    Json,
    /// None of these.
    Unknown,
}

impl FileKind {
    /// Returns the kind of a file, from its first [`START_BYTES`] or more.
    #[must_use]
    pub fn detect(content: &[u8]) -> FileKind {
        let start = &content[..content.len().min(START_BYTES)];
        if start.starts_with(b"word v") || start.starts_with(b"BoundlessBPE") {
            FileKind::Authors
        } else if tiktoken::is_tiktoken(start) {
            FileKind::Tiktoken
        } else if !start.trim_ascii_start().starts_with(b"{") {
            FileKind::Unknown
        } else if has_superword_format(start) {
            FileKind::Superword
        } else {
            FileKind::Json
        }
    }
}

/// Whether a file begins like a model of superword.
fn has_superword_format(start: &[u8]) -> bool {
    let compact: Vec<u8> =
        start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let field = br#""format":"superword""#;
    compact.windows(field.len()).any(|window| window == field)
}

/// A kind of JSON file.
pub(super) enum JsonKind {
    Tokenizer,
    Tekken,
}

/// The fields that tell kinds of JSON files apart.
#[derive(Deserialize)]
struct JsonFields {
    vocab: Option<IgnoredAny>,
    config: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
}

impl JsonKind {
    /// Returns the kind of a JSON file.
    pub(super) fn detect(content: &[u8]) -> Result<JsonKind, Error> {
        let fields: JsonFields = serde_json::from_slice(content).map_err(|error| {
            if error.is_data() { explain_tokenizer(&error) } else { explain_syntax(&error) }
        })?;
        match fields {
            JsonFields { vocab: Some(_), config: Some(_), .. } => Ok(JsonKind::Tekken),
            JsonFields { model: Some(_), .. } => Ok(JsonKind::Tokenizer),
            _ => Err(model_error("it is JSON, but neither a superword model nor a tokenizer.json")),
        }
    }
}
