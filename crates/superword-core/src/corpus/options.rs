//! How a corpus is read.

use std::sync::Arc;

use super::BLOCK_SIZE;
use super::format::Format;
use super::limits::Limits;
use super::weights::Weights;
use crate::Error;

/// How documents are found in the input.
#[derive(Clone, Debug)]
pub struct CorpusOptions {
    /// The key of a JSON object, or the column of a table, that contains the document.
    pub column: String,
    /// The text between two documents of a text file. Without it, a file is one document.
    pub separator: Option<String>,
    /// What to do with an item that cannot be read.
    pub on_error: OnError,
    /// Stop before the document that would exceed this many bytes of text.
    pub max_bytes: Option<u64>,
    /// Stop after this many documents.
    pub max_documents: Option<u64>,
    /// How often each document counts; `None` for once. The limits count each document once.
    pub weights: Option<Arc<Weights>>,
}

impl Default for CorpusOptions {
    fn default() -> CorpusOptions {
        CorpusOptions {
            column: "text".to_owned(),
            separator: None,
            on_error: OnError::Raise,
            max_bytes: None,
            max_documents: None,
            weights: None,
        }
    }
}

impl CorpusOptions {
    /// Rejects an empty separator.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.separator.as_deref() == Some("") {
            let message = "the separator is empty; leave it out, or name a text".to_owned();
            return Err(Error::Corpus { file: None, line: None, column: None, message });
        }
        Ok(())
    }

    /// Returns the weight of the documents of a file, if it does not depend on a column.
    pub(super) fn find_file_weight(&self, name: &str, format: Format) -> Result<u64, Error> {
        let Some(weights) = &self.weights else { return Ok(1) };
        match (weights.column(), format) {
            (None, _) => weights.find_file(name),
            (Some(_), Format::JsonLines) => Ok(1),
            (Some(column), Format::Text) => {
                let message = "a text file has no column to weight documents by; give weights by \
                               file"
                    .to_owned();
                let (file, column) = (Some(name.to_owned()), Some(column.to_owned()));
                Err(Error::Corpus { file, line: None, column, message })
            }
        }
    }

    /// Returns a source that weights name and no document has had, unless limits may be why.
    #[must_use]
    pub fn find_unused_weight(&self) -> Option<&str> {
        let weights = self.weights.as_ref().filter(|_| !Limits::new(self).are_set())?;
        weights.find_unused()
    }

    /// Whether a document may be processed before all of it is read. It may not if its size or an
    /// error at its end can still exclude it.
    pub(super) fn may_split_documents(&self) -> bool {
        !Limits::new(self).are_set() && self.on_error == OnError::Raise
    }
}

/// What to do with an item that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with the error.
    #[default]
    Raise,
    /// Skip the item and count it.
    Skip,
}

/// The largest document that is read without a memory limit, in bytes: 4 GiB.
pub const MAX_DOCUMENT_BYTES: u64 = 4 << 30;

/// How one pass over a corpus hands out documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The number of threads.
    pub threads: usize,
    /// Whether a large document may be split into pieces at its split points.
    pub split_documents: bool,
    /// The largest document, in bytes of the file. A larger one is an error, before all of it is
    /// read. If documents may be split, this limits the text between two split points.
    pub max_document_bytes: u64,
}

impl ReadOptions {
    /// Hands out whole documents, up to [`MAX_DOCUMENT_BYTES`].
    #[must_use]
    pub fn whole_documents(threads: usize) -> ReadOptions {
        ReadOptions { threads, split_documents: false, max_document_bytes: MAX_DOCUMENT_BYTES }
    }

    /// Rejects a whole document that has too many bytes.
    pub(super) fn check_document(self, bytes: u64) -> Result<(), Error> {
        let most = self.max_document_bytes;
        if bytes <= most {
            return Ok(());
        }
        let message = format!(
            "a document has more than {most} bytes, the largest that is read with this \
             memory_limit, or 4 GiB without one; split it, or raise the limit"
        );
        Err(Error::Corpus { file: None, line: None, column: None, message })
    }

    /// Whether a block of this many bytes is so large that only one thread may have such a block.
    /// Otherwise the memory of large documents would grow with the threads.
    pub(super) fn is_large(self, bytes: usize) -> bool {
        let share = self.max_document_bytes / self.threads.max(1) as u64;
        bytes as u64 > share.max(4 * BLOCK_SIZE as u64)
    }
}
