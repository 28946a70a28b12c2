//! What training was given.

use serde::{Deserialize, Serialize};

use super::{Rule, refusal};
use crate::Error;
use crate::pretokenize::ELIGIBLE;

/// What a deleted token is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deletion {
    /// Its bytes.
    Bytes,
    /// The pair that made it first.
    Pair,
}

/// The settings that training was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The name of a pattern, or a regex.
    pub pattern: String,
    /// The regex that the whole of an eligible pretoken matches.
    pub eligible: String,
    /// Whether supermerges compete with merges.
    pub supermerges: bool,
    /// What deleted tokens are split into; `None` when nothing is deleted.
    pub deletion: Option<Deletion>,
    /// The intersection over self from which on a token is deleted.
    pub tau: f64,
    /// The count below which a pair is not worth a rule.
    pub min_count: u64,
    /// The size of the vocabulary that was asked for.
    pub vocab_size: u32,
    /// What comes after `pattern`, in a `SuperBPE` model.
    pub second_stage: Option<SecondStage>,
}

/// The second stage of `SuperBPE`: from when on, and with which pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondStage {
    /// The size of the vocabulary at which it begins.
    pub transition: u32,
    /// The name of the pattern that splits from then on, or a regex.
    pub pattern: String,
}

/// What the training corpus held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// Documents.
    pub documents: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// Pretokens.
    pub pretokens: u64,
    /// Pretokens that differ.
    pub distinct_pretokens: u64,
    /// The count below which pretokens were left out, if any were to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_pretoken_count: Option<u64>,
    /// The count below which fragments were left out, if any were to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_fragment_count: Option<u64>,
}

impl Default for Parameters {
    /// The defaults of training in Python.
    fn default() -> Parameters {
        Parameters {
            pattern: "boundless".to_owned(),
            eligible: ELIGIBLE.to_owned(),
            supermerges: true,
            deletion: Some(Deletion::Bytes),
            tau: 0.9,
            min_count: 2,
            vocab_size: 131_072,
            second_stage: None,
        }
    }
}

impl Parameters {
    /// What splits the texts that the model encodes: the pattern of the last stage.
    #[must_use]
    pub fn last_pattern(&self) -> &str {
        self.second_stage.as_ref().map_or(&self.pattern, |stage| &stage.pattern)
    }

    /// Refuses settings out of range, rules of a kind that they exclude, and too many tokens.
    pub(super) fn check(&self, rules: &[Rule], size: usize) -> Result<(), Error> {
        let Parameters { supermerges, deletion, tau, min_count, vocab_size, .. } = *self;
        if !(tau > 0.0 && tau <= 1.0) {
            return Err(refusal(format!("tau is {tau}, not above 0 and at most 1")));
        }
        if min_count < 1 {
            return Err(refusal("min_count is 0, not at least 1".to_owned()));
        }
        if vocab_size < 256 {
            return Err(refusal(format!("vocab_size is {vocab_size}, not at least 256")));
        }
        if size > vocab_size as usize {
            return Err(refusal(format!(
                "the vocabulary has {size} tokens, vocab_size is {vocab_size}"
            )));
        }
        if let Some(SecondStage { transition, .. }) = self.second_stage {
            if supermerges || deletion.is_some() {
                let reason = "a second stage is for plain BPE, without supermerges and deletion";
                return Err(refusal(reason.to_owned()));
            }
            if !(256..=vocab_size).contains(&transition) {
                return Err(refusal(format!(
                    "transition is {transition}, not from 256 to vocab_size, {vocab_size}"
                )));
            }
        }
        for (index, rule) in rules.iter().enumerate() {
            if !supermerges && matches!(rule, Rule::Supermerge { .. }) {
                return Err(refusal(format!(
                    "rule {index} is a supermerge, but supermerges are off"
                )));
            }
            if deletion.is_none() && matches!(rule, Rule::Delete { .. }) {
                return Err(refusal(format!("rule {index} is a delete, but deletion is off")));
            }
        }
        Ok(())
    }
}
