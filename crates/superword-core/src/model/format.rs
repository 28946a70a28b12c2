//! The model file (docs/model-format.md): JSON, with one line for each token and each rule.
//!
//! Reading takes time and memory in proportion to the file, whatever it contains: every rule spells
//! out the tokens that it joins, so no token is longer than the line that makes it.

use std::borrow::Cow;
use std::collections::HashSet;
#[cfg(feature = "files")]
use std::{fs, io::Read, path::Path};

use serde::{Deserialize, Serialize};

use super::file_fields::{File, UnknownField};
use super::file_lines::read_lines;
use super::history::History;
use super::spelled::Token;
use super::token_interner::quote_token;
use super::vocabulary_builder::{VocabularyBuilder, mark_bytes};
use super::{Deletion, Model, Parameters, SecondStage, model_error};
use crate::Error;
#[cfg(feature = "files")]
use crate::platform::{allocation::check_available, huge_pages::HugeBlock};
use crate::pretokenize::{SCRIPT_PATTERN, Tables};

/// The value of the field `format`.
const FORMAT: &str = "superword";

/// The version of models that need nothing that came later.
const FIRST_VERSION: u32 = 1;

/// The version of models with further fields.
const EXTENSIBLE_VERSION: u32 = 2;

/// The name of the added tokens in `requires`, and of their field.
const ADDED_TOKENS: &str = "added_tokens";

/// The name of the looked-up tokens in `requires`, and of their field.
const LOOKUP_TOKENS: &str = "lookup_tokens";

/// The name of the field of the limits of training.
const LIMITS: &str = "limits";

/// The name in `requires` of models whose vocabulary lacks tokens that the rules make.
const PRUNED: &str = "pruned";

/// The name in `requires` of a pattern that splits by script.
const SCRIPT_RUNS: &str = "script_runs";

/// The fields that identify a file, even if it is not a model of this version.
#[derive(Deserialize)]
struct Heading {
    format: Option<String>,
    version: Option<serde_json::Number>,
    #[serde(default)]
    requires: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternRecord {
    source: String,
    regex: String,
    unicode: String,
    tables: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EligibleRecord {
    regex: String,
    unicode: String,
    tables: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParametersRecord {
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
    /// The content of the model's file. Equal models have equal bytes. A model that needs no more
    /// than version 1 of the format is written in it.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let parameters = &self.parameters;
        let has_added = !self.added_tokens().is_empty();
        let requires = self.list_required();
        let limits = &parameters.limits;
        let is_extended =
            !requires.is_empty() || !limits.is_empty() || !self.unknown_fields.is_empty();
        let version = if is_extended { EXTENSIBLE_VERSION } else { FIRST_VERSION };
        let mut out = Vec::with_capacity(64 * (self.vocabulary.len() + 256));
        let mut field = |name: &str, value: &dyn Fn(&mut Vec<u8>)| {
            out.extend_from_slice(if out.is_empty() { b"{\n" } else { b",\n" });
            write(&mut out, name);
            out.push(b':');
            value(&mut out);
        };
        field("format", &|out| write(out, &FORMAT));
        field("version", &|out| write(out, &version));
        if is_extended {
            field("requires", &|out| write(out, &requires));
        }
        let pattern = PatternRecord {
            source: parameters.last_pattern().to_owned(),
            regex: self.pattern().regex().to_owned(),
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
        if has_added {
            field(ADDED_TOKENS, &|out| write_lines(out, self.added_tokens().iter()));
        }
        if self.lookup_count > 0 {
            let tokens = || self.spell_lookup_tokens().map(|token| Token(Cow::Borrowed(token)));
            field(LOOKUP_TOKENS, &|out| write_lines(out, tokens()));
        }
        let vocabulary = || self.vocabulary().map(|(id, token)| (id, Token(Cow::Borrowed(token))));
        field("vocabulary", &|out| write_lines(out, vocabulary()));
        let rules = || self.rules.iter().map(|rule| self.spelled(rule));
        field("rules", &|out| write_lines(out, rules()));
        // Where superword writes a field that it does not know, so that older ones change nothing.
        if !limits.is_empty() {
            field(LIMITS, &|out| write(out, limits));
        }
        for UnknownField { name, value } in &self.unknown_fields {
            field(name, &|out| out.extend_from_slice(value.get().as_bytes()));
        }
        out.extend_from_slice(b"\n}\n");
        out
    }

    /// Lists the features without which the file would be misread.
    fn list_required(&self) -> Vec<&'static str> {
        let is_by_script = |source: &str| source == SCRIPT_PATTERN;
        let has_scripts =
            is_by_script(&self.parameters.pattern) || is_by_script(self.parameters.last_pattern());
        let features = [
            (ADDED_TOKENS, !self.added_tokens().is_empty()),
            (LOOKUP_TOKENS, self.lookup_count > 0),
            (PRUNED, self.is_pruned()),
            (SCRIPT_RUNS, has_scripts),
        ];
        features.into_iter().filter(|&(_, is_used)| is_used).map(|(name, _)| name).collect()
    }

    /// Reads a model from its file.
    ///
    /// # Errors
    /// When it cannot be read, or as [`Model::from_json`].
    #[cfg(feature = "files")]
    pub fn read(path: &Path) -> Result<Model, Error> {
        let io_error = |source| Error::Io { path: path.into(), doing: "cannot read it", source };
        let mut file = fs::File::open(path).map_err(io_error)?;
        let size = file.metadata().map_err(io_error)?.len() as usize;
        check_available(size, "the bytes of the model file")?;
        let mut content = HugeBlock::filled(0, size);
        file.read_exact(&mut content).map_err(io_error)?;
        Model::from_json(&content)
    }

    /// Reads a model from the content of a file.
    ///
    /// # Errors
    /// When it is not a model, or one that contradicts itself.
    pub fn from_json(text: &[u8]) -> Result<Model, Error> {
        let mut rest = String::new();
        let parsed = match simdutf8::basic::from_utf8(text) {
            Ok(text) => read_lines(text, &mut rest).map_or_else(|| serde_json::from_str(text), Ok),
            // It says where the text is not UTF-8.
            Err(_) => serde_json::from_slice(text),
        };
        let file: File<'_> = parsed.map_err(|error| explain_error(text, &error))?;
        let requires = file.requires.as_deref().unwrap_or_default();
        check_heading(Some(&file.format), &file.version.to_string(), requires)?;
        check_fields(&file)?;
        let is_pruned = requires.iter().any(|name| name == PRUNED);
        let listed = mark_bytes(file.vocabulary.iter().map(|(_, token)| &*token.0));
        let history = History::of_file(|byte| listed[usize::from(byte)], file.rules.len());
        let looked_up = file.lookup_tokens.iter().flatten().map(|token| &*token.0);
        let mut history = history.look_up(looked_up)?;
        for rule in file.rules.iter() {
            history.perform(rule)?;
        }
        let mut ids = VocabularyBuilder::new(&history);
        for (id, token) in file.vocabulary.iter() {
            ids.add(*id, &token.0)?;
        }
        let vocabulary = ids.finish(is_pruned)?;
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
            limits: file.limits.unwrap_or_default(),
        };
        let PatternRecord { regex, unicode, tables, .. } = file.pattern;
        let mut model = Model::with_vocabulary(
            parameters,
            history,
            vocabulary,
            file.special_tokens,
            file.added_tokens.unwrap_or_default(),
            file.training,
        )?;
        model.unknown_fields = file.unknown;
        if is_pruned && !model.is_pruned() {
            return Err(model_error(format!(
                "requires lists {PRUNED:?}, but every token that the rules make has an id"
            )));
        }
        let is_listed = requires.iter().any(|name| name == SCRIPT_RUNS);
        if model.list_required().contains(&SCRIPT_RUNS) != is_listed {
            return Err(model_error(format!(
                "{SCRIPT_RUNS} must be listed in requires exactly if the pattern is {SCRIPT_PATTERN}"
            )));
        }
        if model.pattern().regex() != regex {
            let name = quote_token(model.pattern().source().as_bytes());
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

/// Explains why a text is not a model, by its heading if that is the reason.
fn explain_error(text: &[u8], error: &serde_json::Error) -> Error {
    if let Ok(Heading { format, version, requires }) = serde_json::from_slice(text) {
        let version = version.map_or_else(|| "missing".to_owned(), |version| version.to_string());
        if let Err(refused) = check_heading(format.as_deref(), &version, &requires) {
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

fn check_heading(format: Option<&str>, version: &str, requires: &[String]) -> Result<(), Error> {
    if format != Some(FORMAT) {
        return Err(model_error(format!(
            "not a superword model: it has no \"format\":\"{FORMAT}\""
        )));
    }
    if ![FIRST_VERSION, EXTENSIBLE_VERSION].iter().any(|known| version == known.to_string()) {
        let version: String = version.chars().take(20).collect();
        return Err(model_error(format!(
            "the model has format version {version}, but this superword reads versions \
             {FIRST_VERSION} and {EXTENSIBLE_VERSION}"
        )));
    }
    let known = [ADDED_TOKENS, LOOKUP_TOKENS, PRUNED, SCRIPT_RUNS];
    if let Some(name) = requires.iter().find(|name| !known.contains(&name.as_str())) {
        let name = quote_token(name.as_bytes());
        return Err(model_error(format!(
            "the model requires {name}, which this superword does not know: a newer one may"
        )));
    }
    Ok(())
}

/// Rejects fields that the version does not have, and fields that contradict `requires`.
fn check_fields(file: &File<'_>) -> Result<(), Error> {
    if file.version == FIRST_VERSION {
        let later = [
            ("requires", file.requires.is_some()),
            (ADDED_TOKENS, file.added_tokens.is_some()),
            (LOOKUP_TOKENS, file.lookup_tokens.is_some()),
            (LIMITS, file.limits.is_some()),
        ];
        let later = later.iter().filter(|(_, is_present)| *is_present).map(|&(name, _)| name);
        let mut unknown = later.chain(file.unknown.iter().map(|field| field.name.as_str()));
        let refuse = |name: &str| {
            let name: String = name.chars().take(80).collect();
            Err(model_error(format!(
                "not a model: unknown field `{name}` in version {FIRST_VERSION}"
            )))
        };
        return unknown.next().map_or(Ok(()), refuse);
    }
    let Some(requires) = &file.requires else {
        return Err(model_error("not a model: missing field `requires`".to_owned()));
    };
    let features = [
        (ADDED_TOKENS, file.added_tokens.is_some()),
        (LOOKUP_TOKENS, file.lookup_tokens.is_some()),
    ];
    for (name, is_present) in features {
        if requires.iter().any(|listed| listed == name) != is_present {
            return Err(model_error(format!(
                "{name} must be both a field and listed in requires, or neither"
            )));
        }
    }
    let mut names = HashSet::new();
    match file.unknown.iter().find(|field| !names.insert(&field.name)) {
        Some(UnknownField { name, .. }) => {
            let name: String = name.chars().take(80).collect();
            Err(model_error(format!("not a model: duplicate field `{name}`")))
        }
        None => Ok(()),
    }
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
