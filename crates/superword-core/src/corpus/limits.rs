//! When to stop reading.

use super::CorpusOptions;

/// How much may still be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    bytes: Option<u64>,
    documents: Option<u64>,
}

impl Limits {
    /// Starts with the limits of the options.
    pub(super) fn new(options: &CorpusOptions) -> Limits {
        Limits { bytes: options.max_bytes, documents: options.max_documents }
    }

    /// Whether there is a limit at all.
    pub(super) fn are_set(&self) -> bool {
        self.bytes.is_some() || self.documents.is_some()
    }

    /// Whether no document may follow. An empty document may follow the last byte.
    pub(super) fn are_reached(&self) -> bool {
        self.documents == Some(0)
    }

    /// Counts a document and returns whether it fits. After one that does not fit, none does.
    pub(super) fn admit(&mut self, bytes: usize) -> bool {
        if self.documents == Some(0) || self.bytes.is_some_and(|left| left < bytes as u64) {
            self.documents = Some(0);
            return false;
        }
        self.documents = self.documents.map(|left| left - 1);
        self.bytes = self.bytes.map(|left| left - bytes as u64);
        true
    }
}
