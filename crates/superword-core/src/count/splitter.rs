//! A pattern together with an eligibility rule.

use crate::Error;
use crate::corpus::Reading;
use crate::pretokenize::{Eligibility, Pattern};

/// Splits documents into pretokens, and tells which of them are eligible for supermerges.
#[derive(Clone, Debug)]
pub struct DocumentSplitter {
    pattern: Pattern,
    eligibility: Eligibility,
}

impl DocumentSplitter {
    /// Compiles a pattern, which is a name or a regex, and the regex of eligible pretokens.
    ///
    /// # Errors
    /// When a regex is malformed.
    pub fn new(pattern: &str, eligible: &str) -> Result<DocumentSplitter, Error> {
        let (pattern, eligibility) = (Pattern::new(pattern)?, Eligibility::new(eligible)?);
        Ok(DocumentSplitter { pattern, eligibility })
    }

    pub(crate) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    pub(crate) fn eligibility(&self) -> &Eligibility {
        &self.eligibility
    }

    /// Returns how to read a corpus that is split this way.
    pub(crate) fn read_options(&self, threads: usize) -> Reading {
        let in_pieces = self.pattern.has_seams() && self.eligibility.is_default();
        Reading { threads, in_pieces }
    }
}
