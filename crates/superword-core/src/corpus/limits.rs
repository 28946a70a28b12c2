//! Where to stop.

use super::Options;

/// What may still come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    bytes: Option<u64>,
    documents: Option<u64>,
}

impl Limits {
    /// The limits of the options.
    pub(super) fn new(options: &Options) -> Limits {
        Limits { bytes: options.max_bytes, documents: options.max_documents }
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.bytes.is_some() || self.documents.is_some()
    }

    /// Whether nothing more may come, however small. An empty document may follow the last byte.
    pub(super) fn reached(&self) -> bool {
        self.documents == Some(0)
    }

    /// Whether a document may come; if it may, it counts, and if not, none may after it.
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
