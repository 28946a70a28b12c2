//! Limits on the rules that training may learn.

use serde::{Deserialize, Serialize};

use super::model_error;
use crate::Error;
use crate::pretokenize::ForbiddenText;

/// The limits of training. Without any, all pairs are candidates.
///
/// In a model file they are an optional field: they say how a model was trained, and do not change
/// the ids of any text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleLimits {
    /// How many superwords the vocabulary may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_superwords: Option<SuperwordCap>,
    /// How many words a token may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_words: Option<u32>,
    /// How many bytes a token may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_token_bytes: Option<u32>,
    /// A regex that may not match in the text of a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbid: Option<String>,
}

/// The share of the vocabulary that superwords may have by default: most of the gain is reached there,
/// and other scripts pay little (docs/guide.md).
pub const DEFAULT_SUPERWORD_SHARE: f64 = 1.0 / 16.0;

/// How many superwords a vocabulary may have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SuperwordCap {
    /// A number.
    Count(u32),
    /// A share of the size of the vocabulary, above 0 and below 1.
    Share(f64),
}

impl SuperwordCap {
    /// Returns the number of superwords that a vocabulary of a size may have.
    ///
    /// A share is multiplied with the size as doubles, and rounded down.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a u32 is not negative, and fits"
    )]
    pub fn count(self, vocab_size: u32) -> usize {
        match self {
            SuperwordCap::Count(count) => count as usize,
            SuperwordCap::Share(share) => (share * f64::from(vocab_size)).floor() as usize,
        }
    }
}

impl RuleLimits {
    /// Whether nothing is limited.
    pub(super) fn is_empty(&self) -> bool {
        *self == RuleLimits::default()
    }

    /// Returns the number of superwords that a vocabulary of a size may have.
    pub(crate) fn max_superwords(&self, vocab_size: u32) -> usize {
        self.max_superwords.map_or(usize::MAX, |cap| cap.count(vocab_size))
    }

    /// Rejects limits that are out of range.
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(SuperwordCap::Share(share)) = self.max_superwords
            && !(share > 0.0 && share < 1.0)
        {
            return Err(model_error(format!(
                "max_superwords is {share}; it must be an integer, or above 0 and below 1"
            )));
        }
        for (name, value) in
            [("max_words", self.max_words), ("max_token_bytes", self.max_token_bytes)]
        {
            if value == Some(0) {
                return Err(model_error(format!("{name} is 0; it must be at least 1")));
            }
        }
        self.forbid.as_deref().map(ForbiddenText::new).transpose().map(|_| ())
    }
}
