//! Models from files of other libraries: their merges become rules, their ids stay.
//!
//! docs/extending.md says which features are kept, and which are refused. No file can make importing
//! panic, or take more than linear memory; JSON may be nested 128 deep.
//!
//! In reading order:
//!
//! 1. `vocabularies`: published vocabularies, `patterns`: patterns by name, and regexes that have one;
//! 2. `base64`, `byte_spelling`: how files spell the bytes of tokens, `token_list`: tokens in a row;
//! 3. `json`: reading JSON, `unreproduced`: features that are refused or ignored;
//! 4. `ranked`: a model of merges by rank;
//! 5. `tiktoken`: tiktoken's files, `tekken`: Mistral's `tekken.json`;
//! 6. `added_tokens`, `pre_tokenizer`, `spelled_merges`, `tokenizer_json`: Hugging Face's
//!    `tokenizer.json`, `merges_file`: the older `vocab.json` and `merges.txt`;
//! 7. `file_kind`: telling files apart.

mod added_tokens;
mod base64;
mod byte_spelling;
mod file_kind;
mod json;
mod merges_file;
mod patterns;
mod pre_tokenizer;
mod ranked;
mod spelled_merges;
mod tekken;
mod tiktoken;
mod token_list;
mod tokenizer_json;
mod unreproduced;
mod vocabularies;

pub use self::file_kind::{FileKind, START_BYTES};
pub use self::merges_file::import_merges;
pub use self::patterns::{find_shown_name, resolve_pattern};
pub use self::tiktoken::{RankedTokens, read_ranks};
pub use self::vocabularies::{PUBLISHED, PublishedVocabulary};

use self::file_kind::JsonKind;
use self::unreproduced::Unreproduced;
use crate::Error;
use crate::model::{Deletion, Model, TokenId};

/// What a file does not say, and how to treat what a model cannot reproduce.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The pattern of a file that does not hold it, a name or a regex.
    pub pattern: Option<String>,
    /// The special tokens of such a file.
    pub special_tokens: Option<Vec<(TokenId, String)>>,
    /// Whether features that cannot be reproduced are ignored, with a warning.
    pub is_approximate: bool,
}

/// A model from a file.
#[derive(Debug)]
pub struct ImportedModel {
    /// The model.
    pub model: Model,
    /// A sentence for each feature of the file that the model does not reproduce.
    pub warnings: Vec<String>,
}

/// Imports a file of any kind, superword's own included.
///
/// # Errors
/// When the file is none that is known, is damaged, or has a feature that cannot be reproduced. When
/// options say what the file says itself. When its pattern is a malformed regex.
pub fn import(content: &[u8], options: ImportOptions) -> Result<ImportedModel, Error> {
    let kind = FileKind::detect(content);
    if kind == FileKind::Tiktoken {
        return tiktoken::import_ranks(content, options);
    }
    if options.pattern.is_some() || options.special_tokens.is_some() {
        return Err(Error::HasOwnPattern);
    }
    let mut unreproduced = Unreproduced::new(options.is_approximate);
    let model = match kind {
        FileKind::Superword => Model::from_json(content)?,
        FileKind::Authors => Model::from_authors(content, Deletion::Bytes)?,
        FileKind::Json => match JsonKind::detect(content)? {
            JsonKind::Tekken => tekken::import(content, &mut unreproduced)?,
            JsonKind::Tokenizer => tokenizer_json::import(content, &mut unreproduced)?,
        },
        FileKind::Tiktoken | FileKind::Unknown => {
            let reason = if content.is_empty() { "the file is empty" } else { UNKNOWN };
            return Err(model_error(reason));
        }
    };
    Ok(ImportedModel { model, warnings: unreproduced.warnings })
}

const UNKNOWN: &str = "it is neither a superword model, a tokenizer.json nor a tiktoken file";

fn model_error(reason: impl Into<String>) -> Error {
    Error::Model { reason: reason.into() }
}
