//! The model file (docs/model-format.md): JSON, with one line for each token and each rule.
//!
//! Reading takes time and memory in proportion to the file, whatever it contains: every rule spells
//! out the tokens that it joins, so no token is longer than the line that makes it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::history::History;
use super::spelled::Token;
use super::token_interner::quote_token;
use super::vocabulary_builder::{VocabularyBuilder, mark_bytes};
use super::{
    Deletion, Model, Parameters, SecondStage, SpelledRule, TokenId, Training, model_error,
};
use crate::Error;
use crate::pretokenize::Tables;

/// The value of the field `format`.
const FORMAT: &str = "superword";

/// The only version of the format so far.
const VERSION: u32 = 1;

/// A file as read. Tokens without escapes are not copied.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    format: String,
    version: u32,
    pattern: PatternRecord,
    eligible: EligibleRecord,
    parameters: ParametersRecord,
    training: Training,
    special_tokens: Vec<(TokenId, String)>,
    #[serde(borrow)]
    vocabulary: Vec<(TokenId, Token<'a>)>,
    #[serde(borrow)]
    rules: Vec<SpelledRule<'a>>,
}

/// The fields that identify a file, even if it is not a model of this version.
#[derive(Deserialize)]
struct Heading {
    format: Option<String>,
    version: Option<serde_json::Number>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternRecord {
    source: String,
    regex: String,
    unicode: String,
    tables: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EligibleRecord {
    regex: String,
    unicode: String,
    tables: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParametersRecord {
    vocab_size: u32,
    supermerges: bool,
    deletion: Option<Deletion>,
    tau: f64,
    min_count: u64,
    /// Only in models with a second stage, whose pattern is in the field `pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transition: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_pattern: Option<String>,
}

impl Model {
    /// The content of the model's file. Equal models have equal bytes.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let parameters = &self.parameters;
        let mut out = Vec::with_capacity(64 * (self.vocabulary.len() + 256));
        let mut field = |name: &str, value: &dyn Fn(&mut Vec<u8>)| {
            out.extend_from_slice(if out.is_empty() { b"{\n\"" } else { b",\n\"" });
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
            value(&mut out);
        };
        field("format", &|out| write(out, &FORMAT));
        field("version", &|out| write(out, &VERSION));
        let pattern = PatternRecord {
            source: parameters.last_pattern().to_owned(),
            regex: self.pattern.regex().to_owned(),
            unicode: self.pattern_tables.unicode.clone(),
            tables: self.pattern_tables.tables.clone(),
        };
        field("pattern", &|out| write(out, &pattern));
        let eligible = EligibleRecord {
            regex: parameters.eligible.clone(),
            unicode: self.eligible_tables.unicode.clone(),
            tables: self.eligible_tables.tables.clone(),
        };
        field("eligible", &|out| write(out, &eligible));
        let settings = ParametersRecord {
            vocab_size: parameters.vocab_size,
            supermerges: parameters.supermerges,
            deletion: parameters.deletion,
            tau: parameters.tau,
            min_count: parameters.min_count,
            transition: parameters.second_stage.as_ref().map(|stage| stage.transition),
            first_pattern: parameters.second_stage.as_ref().map(|_| parameters.pattern.clone()),
        };
        field("parameters", &|out| write(out, &settings));
        field("training", &|out| write(out, &self.training));
        field("special_tokens", &|out| write_lines(out, self.special_tokens().iter()));
        let vocabulary = || self.vocabulary().map(|(id, token)| (id, Token(Cow::Borrowed(token))));
        field("vocabulary", &|out| write_lines(out, vocabulary()));
        let rules = || self.rules.iter().map(|rule| self.spelled(rule));
        field("rules", &|out| write_lines(out, rules()));
        out.extend_from_slice(b"\n}\n");
        out
    }

    /// Reads a model from the content of a file.
    ///
    /// # Errors
    /// When it is not a model, or one that contradicts itself.
    pub fn from_json(text: &[u8]) -> Result<Model, Error> {
        let file: File<'_> =
            serde_json::from_slice(text).map_err(|error| explain_error(text, &error))?;
        check_heading(Some(&file.format), &file.version.to_string())?;
        let listed = mark_bytes(file.vocabulary.iter().map(|(_, token)| &*token.0));
        let mut history = History::of_file(|byte| listed[usize::from(byte)], file.rules.len());
        for rule in &file.rules {
            history.perform(rule)?;
        }
        let mut ids = VocabularyBuilder::new(&history);
        for (id, token) in &file.vocabulary {
            ids.add(*id, &token.0)?;
        }
        let vocabulary = ids.finish()?;
        let (pattern, second_stage) =
            match (file.parameters.transition, file.parameters.first_pattern) {
                (None, None) => (file.pattern.source, None),
                (Some(transition), Some(first)) => {
                    (first, Some(SecondStage { transition, pattern: file.pattern.source }))
                }
                _ => {
                    let reason =
                        "parameters must have both transition and first_pattern, or neither";
                    return Err(model_error(reason.to_owned()));
                }
            };
        let parameters = Parameters {
            pattern,
            eligible: file.eligible.regex,
            supermerges: file.parameters.supermerges,
            deletion: file.parameters.deletion,
            tau: file.parameters.tau,
            min_count: file.parameters.min_count,
            vocab_size: file.parameters.vocab_size,
            second_stage,
        };
        let PatternRecord { regex, unicode, tables, .. } = file.pattern;
        let special_tokens = file.special_tokens;
        let mut model =
            Model::with_vocabulary(parameters, history, vocabulary, special_tokens, file.training)?;
        if model.pattern.regex() != regex {
            let name = quote_token(model.pattern.source().as_bytes());
            return Err(model_error(format!(
                "the pattern {name} does not have the regex in the file"
            )));
        }
        model.pattern_tables = Tables { unicode, tables };
        let EligibleRecord { unicode, tables, .. } = file.eligible;
        model.eligible_tables = Tables { unicode, tables };
        Ok(model)
    }
}

/// Explains why a text is not a model, by its format and version if they are the reason.
fn explain_error(text: &[u8], error: &serde_json::Error) -> Error {
    if let Ok(Heading { format, version }) = serde_json::from_slice(text) {
        let version = version.map_or_else(|| "missing".to_owned(), |version| version.to_string());
        if let Err(refused) = check_heading(format.as_deref(), &version) {
            return refused;
        }
    }
    let reason = error.to_string();
    if error.is_data() {
        model_error(format!("not a model: {reason}"))
    } else {
        model_error(format!("not JSON, or damaged: {reason}"))
    }
}

fn check_heading(format: Option<&str>, version: &str) -> Result<(), Error> {
    if format != Some(FORMAT) {
        return Err(model_error(format!(
            "not a superword model: it has no \"format\":\"{FORMAT}\""
        )));
    }
    if version != VERSION.to_string() {
        let version: String = version.chars().take(20).collect();
        return Err(model_error(format!(
            "the model has format version {version}, but this superword reads version {VERSION}"
        )));
    }
    Ok(())
}

/// Appends a value as compact JSON.
fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("strings and numbers can be written as JSON");
}

/// Appends an array with one line for each value.
fn write_lines<T: Serialize>(out: &mut Vec<u8>, values: impl Iterator<Item = T>) {
    out.push(b'[');
    for (position, value) in values.enumerate() {
        out.extend_from_slice(if position == 0 { b"\n" } else { b",\n" });
        write(out, &value);
    }
    out.extend_from_slice(b"\n]");
}
