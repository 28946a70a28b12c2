//! The settings of training, and the size of its corpus.

use serde::{Deserialize, Serialize};

use super::{Rule, RuleLimits, model_error};
use crate::Error;
use crate::pretokenize::{DEFAULT_PATTERN, ELIGIBLE};

/// How a deleted token is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deletion {
    /// Into its bytes.
    Bytes,
    /// Into the pair of the first merge that made it.
    Pair,
}

/// The settings that decide a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The name of a pattern, or a regex.
    pub pattern: String,
    /// The regex that the whole of an eligible pretoken matches.
    pub eligible: String,
    /// Whether supermerges compete with merges.
    pub supermerges: bool,
    /// How deleted tokens are split; `None` if no token is deleted.
    pub deletion: Option<Deletion>,
    /// A token is deleted when its intersection over self is at least this.
    pub tau: f64,
    /// The smallest count for which a pair becomes a rule.
    pub min_count: u64,
    /// The requested size of the vocabulary.
    pub vocab_size: u32,
    /// The second stage of a `SuperBPE` model.
    pub second_stage: Option<SecondStage>,
    /// Which rules may be learned.
    pub limits: RuleLimits,
}

/// The second stage of `SuperBPE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondStage {
    /// The size of the vocabulary at which the stage begins.
    pub transition: u32,
    /// The name of the pattern that splits documents in this stage, or a regex.
    pub pattern: String,
}

/// The size of the training corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// The number of documents.
    pub documents: u64,
    /// The number of bytes of text.
    pub bytes: u64,
    /// The number of pretokens.
    pub pretokens: u64,
    /// The number of distinct pretokens.
    pub distinct_pretokens: u64,
    /// The threshold below which pretokens were left out, if one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_pretoken_count: Option<u64>,
    /// The threshold below which fragments were left out, if one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_fragment_count: Option<u64>,
}

impl Default for Parameters {
    /// The defaults of training in Python, but without a cap on superwords.
    fn default() -> Parameters {
        Parameters {
            pattern: DEFAULT_PATTERN.to_owned(),
            eligible: ELIGIBLE.to_owned(),
            supermerges: true,
            deletion: Some(Deletion::Bytes),
            tau: 0.9,
            min_count: 2,
            vocab_size: 131_072,
            second_stage: None,
            limits: RuleLimits::default(),
        }
    }
}

impl Parameters {
    /// The pattern of the last stage: it splits the texts that the model encodes.
    #[must_use]
    pub fn last_pattern(&self) -> &str {
        self.second_stage.as_ref().map_or(&self.pattern, |stage| &stage.pattern)
    }

    /// Rejects settings that are out of range, rules of a kind that the settings exclude, and a
    /// vocabulary that is too large.
    pub(super) fn check(&self, rules: &[Rule], size: usize) -> Result<(), Error> {
        let Parameters { supermerges, deletion, tau, min_count, vocab_size, .. } = *self;
        if !(tau > 0.0 && tau <= 1.0) {
            return Err(model_error(format!("tau is {tau}; it must be above 0 and at most 1")));
        }
        if min_count < 1 {
            return Err(model_error("min_count is 0; it must be at least 1".to_owned()));
        }
        if vocab_size < 256 {
            return Err(model_error(format!(
                "vocab_size is {vocab_size}; it must be at least 256"
            )));
        }
        if size > vocab_size as usize {
            return Err(model_error(format!(
                "the vocabulary has {size} tokens, more than vocab_size, {vocab_size}"
            )));
        }
        self.limits.check()?;
        if let Some(SecondStage { transition, .. }) = self.second_stage {
            if self.limits.max_superwords.is_some() {
                let reason = "a second stage has no supermerges, which max_superwords could limit";
                return Err(model_error(reason.to_owned()));
            }
            if supermerges || deletion.is_some() {
                let reason = "a second stage needs plain BPE, without supermerges and deletion";
                return Err(model_error(reason.to_owned()));
            }
            if !(256..=vocab_size).contains(&transition) {
                return Err(model_error(format!(
                    "transition is {transition}; it must be from 256 to vocab_size, {vocab_size}"
                )));
            }
        }
        for (index, rule) in rules.iter().enumerate() {
            if !supermerges && matches!(rule, Rule::Supermerge { .. }) {
                return Err(model_error(format!(
                    "rule {index} is a supermerge, but supermerges are off"
                )));
            }
            if deletion.is_none() && matches!(rule, Rule::Delete { .. }) {
                return Err(model_error(format!("rule {index} is a delete, but deletion is off")));
            }
        }
        Ok(())
    }
}
