//! Training on texts.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use superword_core::corpus::Memory;
use superword_core::import::resolve_pattern;
use superword_core::model::{
    DEFAULT_SUPERWORD_SHARE, Deletion, Model, Parameters, RuleLimits, SecondStage, SuperwordCap,
    Training,
};
use superword_core::pretokenize::{ELIGIBLE, SCRIPT_ELIGIBLE, SCRIPT_PATTERN, SECOND_PATTERN};
use superword_core::{Control, Resources, Stage};

use crate::session::{Failure, NewModel};

/// The settings that a page gives, with the names that they have in Python. Absent ones have the
/// defaults of Python.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::option_option, reason = "null is not the same as absent")]
struct Settings {
    vocab_size: u32,
    pattern: Option<String>,
    eligible: Option<String>,
    supermerges: Option<bool>,
    /// Null keeps all tokens.
    #[serde(default, deserialize_with = "mark_given")]
    deletion: Option<Option<Deletion>>,
    tau: Option<f64>,
    min_count: Option<u64>,
    #[serde(default, deserialize_with = "mark_given")]
    max_superwords: Option<Option<SuperwordCap>>,
    max_words: Option<u32>,
    max_token_bytes: Option<u32>,
    forbid: Option<String>,
    transition: Option<u32>,
    second_pattern: Option<String>,
    #[serde(default)]
    special_tokens: Vec<String>,
}

/// Reads a field that may be null, which is not the same as absent.
#[expect(clippy::option_option, reason = "null is not the same as absent")]
fn mark_given<'d, D: serde::Deserializer<'d>, T: Deserialize<'d>>(
    given: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(given).map(Some)
}

/// Trains on the documents that end at these bytes of a text.
pub(crate) fn train(text: &str, ends: &[u32], settings: &str) -> Result<NewModel, Failure> {
    let settings: Settings = serde_json::from_str(settings)
        .map_err(|error| Failure(format!("the settings of training are wrong: {error}")))?;
    let special_tokens = settings.special_tokens.clone();
    let parameters = settings.into_parameters()?;
    let vocab_size = parameters.vocab_size;
    // A model without rules is rejected like one with them, but before training.
    let bytes = (0..=u8::MAX).map(|byte| Box::from([byte])).collect();
    let nothing = Training::default();
    Model::new(parameters.clone(), bytes, Vec::new(), special_tokens.clone(), nothing)?;
    let corpus: Memory = split_documents(text, ends)?.into_iter().collect();
    let is_stopped = AtomicBool::new(false);
    let progress = |stage, done| {
        let total = match stage {
            Stage::Merges | Stage::Supermerges => u64::from(vocab_size),
            _ => text.len() as u64,
        };
        is_stopped.fetch_or(report(stage, done, total), Ordering::Relaxed);
    };
    let control =
        Control { progress: &progress, is_interrupted: &|| is_stopped.load(Ordering::Relaxed) };
    let resources = Resources { threads: 1, memory_limit: None, verify_every: None };
    let model = superword_core::train(&corpus, parameters, special_tokens, resources, &control)?;
    if model.training().bytes == 0 {
        return Err("there is no text to train on".into());
    }
    let mut warnings = Vec::new();
    if model.vocab_size() < vocab_size as usize {
        warnings.push(format!(
            "the text has pairs for only {} tokens, not {vocab_size}; train on more text, or lower \
             min_count",
            model.vocab_size()
        ));
    }
    Ok(NewModel { model, warnings })
}

impl Settings {
    fn into_parameters(self) -> Result<Parameters, Failure> {
        let default = Parameters { vocab_size: self.vocab_size, ..Parameters::default() };
        let pattern = self.pattern.unwrap_or(default.pattern);
        let pattern = resolve_pattern(&pattern)?.to_owned();
        let eligible = self.eligible.unwrap_or_else(|| {
            let is_by_script = pattern == SCRIPT_PATTERN;
            if is_by_script { SCRIPT_ELIGIBLE } else { ELIGIBLE }.to_owned()
        });
        let second_stage = match (self.transition, self.second_pattern) {
            (None, None) => None,
            (None, Some(_)) => {
                return Err(
                    "second_pattern needs transition, the size where its stage begins".into()
                );
            }
            (Some(transition), second) => {
                let second = second.as_deref().unwrap_or(SECOND_PATTERN);
                Some(SecondStage { transition, pattern: resolve_pattern(second)?.to_owned() })
            }
        };
        let supermerges = self.supermerges.unwrap_or(default.supermerges);
        let has_superwords = supermerges && second_stage.is_none();
        let default_cap = has_superwords.then_some(SuperwordCap::Share(DEFAULT_SUPERWORD_SHARE));
        Ok(Parameters {
            pattern,
            eligible,
            supermerges,
            deletion: self.deletion.unwrap_or(default.deletion),
            tau: self.tau.unwrap_or(default.tau),
            min_count: self.min_count.unwrap_or(default.min_count),
            vocab_size: self.vocab_size,
            second_stage,
            limits: RuleLimits {
                max_superwords: self.max_superwords.unwrap_or(default_cap),
                max_words: self.max_words,
                max_token_bytes: self.max_token_bytes,
                forbid: self.forbid,
            },
        })
    }
}

/// Splits a text into documents, of which the ends are given.
fn split_documents<'t>(text: &'t str, ends: &[u32]) -> Result<Vec<&'t str>, Failure> {
    let mut start = 0;
    let documents = ends.iter().map(|&end| {
        let document = text.get(start..end as usize);
        start = end as usize;
        document.ok_or_else(|| Failure(format!("no document of the text ends at byte {end}")))
    });
    documents.collect()
}

/// Reports progress to the page. Returns whether it wants training to stop.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::cast_precision_loss, reason = "JavaScript has no other numbers")]
fn report(stage: Stage, done: u64, total: u64) -> bool {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        /// Returns 0 to go on.
        safe fn report_progress(stage: u32, done: f64, total: f64) -> u32;
    }
    report_progress(stage as u32, done as f64, total as f64) != 0
}

/// Elsewhere there is no page.
#[cfg(not(target_arch = "wasm32"))]
fn report(_: Stage, _: u64, _: u64) -> bool {
    false
}
