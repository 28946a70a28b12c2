//! Documents of a source that can be read only once, gathered into batches.

use std::collections::VecDeque;
use std::mem;

use super::limits::Limits;
use super::parse::{MAX_MESSAGES, Sink};
use super::split_points::split_into_pieces;
use super::{BLOCK_SIZE, Batch, CorpusOptions, MAX_DOCUMENT_BYTES, OnError, Totals};
use crate::Error;
use crate::platform::memory_budget::MemoryBudget;

/// Gathers documents into batches of about a megabyte, up to the limits.
#[derive(Debug)]
pub struct BatchBuilder {
    pub(super) options: CorpusOptions,
    pub(super) limits: Limits,
    pub(super) max_document_bytes: u64,
    /// The documents that follow the complete batches.
    pending: Batch,
    complete: VecDeque<Batch>,
    is_finished: bool,
    totals: Totals,
    skipped: Vec<String>,
}

impl BatchBuilder {
    /// Creates an empty builder. With a memory limit, a large document of a stream is refused.
    ///
    /// # Errors
    /// When the separator is empty.
    pub fn new(options: CorpusOptions, memory_limit: Option<u64>) -> Result<BatchBuilder, Error> {
        options.check()?;
        let max_document_bytes = MemoryBudget::new(memory_limit).document_size();
        Ok(BatchBuilder {
            limits: Limits::new(&options),
            options,
            max_document_bytes: max_document_bytes.unwrap_or(MAX_DOCUMENT_BYTES),
            pending: Batch::default(),
            complete: VecDeque::new(),
            is_finished: false,
            totals: Totals::default(),
            skipped: Vec::new(),
        })
    }

    /// The options that the input is read with.
    #[must_use]
    pub fn options(&self) -> &CorpusOptions {
        &self.options
    }

    /// The number of documents, bytes and skipped items so far. Each document counts once.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The errors of the first few skipped items.
    #[must_use]
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Whether `max_bytes` or `max_documents` allows no more documents.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.limits.are_reached()
    }

    /// Whether all documents were added.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The number of complete batches.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.complete.len()
    }

    /// The bytes of text in complete batches.
    #[must_use]
    pub fn complete_bytes(&self) -> usize {
        self.complete.iter().map(Batch::byte_len).sum()
    }

    /// Removes the first complete batch.
    pub fn take_batch(&mut self) -> Option<Batch> {
        self.complete.pop_front()
    }

    /// Adds a document that counts `weight` times, unless the limits exclude it.
    pub fn push(&mut self, document: &str, weight: u64) {
        if self.limits.admit(document.len()) {
            self.push_admitted(document, weight);
        }
    }

    /// Counts an item that the caller skipped.
    pub fn skip(&mut self, message: String) {
        self.totals.skipped += 1;
        self.add_messages([message]);
    }

    /// Completes the last batch. Nothing may be added after that.
    pub fn finish(&mut self) {
        self.complete_batch();
        self.is_finished = true;
    }

    /// Skips malformed input, or returns its error if it is not to be skipped.
    pub(super) fn skip_or_fail(&mut self, error: Error) -> Result<(), Error> {
        match error {
            Error::Corpus { .. } if self.options.on_error == OnError::Skip => {
                self.skip(error.to_string());
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Adds parsed documents, which the limits have admitted.
    pub(super) fn append(&mut self, sink: Sink) {
        let Sink { mut batch, skipped, messages } = sink;
        self.totals.skipped += skipped;
        self.add_messages(messages.into_iter().map(|(_, message)| message));
        if batch.continues() || self.pending.is_empty() && batch.byte_len() >= BLOCK_SIZE {
            self.complete_batch();
            self.totals.add(&batch);
            mem::swap(&mut self.pending, &mut batch);
            self.complete_batch();
            return;
        }
        for (document, weight) in batch.weighted_documents() {
            self.push_admitted(document, weight);
        }
    }

    /// Adds a document. A large one is split over several batches.
    fn push_admitted(&mut self, document: &str, weight: u64) {
        if self.pending.byte_len() + document.len() > BLOCK_SIZE {
            self.complete_batch();
        }
        self.totals.documents += 1;
        self.totals.bytes += document.len() as u64;
        for piece in split_into_pieces(document.as_bytes(), 2 * BLOCK_SIZE) {
            if piece.start > 0 {
                self.pending.set_continues();
                self.complete_batch();
            }
            self.pending.push_weighted(&document[piece], weight);
        }
    }

    fn complete_batch(&mut self) {
        if !self.pending.is_empty() {
            self.complete.push_back(mem::take(&mut self.pending));
        }
    }

    fn add_messages(&mut self, messages: impl IntoIterator<Item = String>) {
        let room = MAX_MESSAGES.saturating_sub(self.skipped.len());
        self.skipped.extend(messages.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_over_all_added_documents() {
        let options = CorpusOptions { max_bytes: Some(5), ..CorpusOptions::default() };
        let mut builder = BatchBuilder::new(options, None).expect("good options");
        for (document, is_full) in
            [("ab", false), ("c", false), ("def", true), ("g", true), ("", true)]
        {
            builder.push(document, 1);
            assert_eq!(builder.is_full(), is_full, "{document}");
        }
        builder.finish();
        assert_eq!(builder.take_batch(), Some(["ab", "c"].into_iter().collect()));
        assert_eq!(builder.batches(), 0);
    }
}
