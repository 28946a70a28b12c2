//! Documents of a source that can be read only once, stored to be read again.

use std::borrow::Cow;
use std::env;
use std::io::{self, Read};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::batch_store::BatchStore;
use super::decompress::Compression;
use super::files::explain_read_error;
use super::format::{self, Format};
use super::limits::Limits;
use super::parse::{MAX_MESSAGES, Parser, Sink};
use super::split_points::split_into_pieces;
use super::stream::{InputBlock, Stream, StreamError};
use super::workers::{Failure, run_workers};
use super::{
    BLOCK_SIZE, Batch, BatchHandler, Corpus, CorpusOptions, MAX_DOCUMENT_BYTES, ReadOptions, Totals,
};
use crate::Error;
use crate::platform::memory_budget::MemoryBudget;

/// The usual number of bytes that a spool keeps in memory before it writes a file.
pub const SPOOL_MEMORY: usize = 64 << 20;

/// Documents in memory and, if there are many, in an unnamed temporary file.
#[derive(Debug)]
pub struct Spool {
    options: CorpusOptions,
    limits: Limits,
    /// The documents that follow the stored batches.
    pending: Batch,
    store: BatchStore,
    totals: Totals,
    skipped: Vec<String>,
    max_document_bytes: u64,
}

impl Spool {
    /// Creates an empty spool, which writes a file if the documents exceed `memory` bytes.
    /// [`SPOOL_MEMORY`] is usual. A document of a stream may have as many bytes as
    /// [`Spool::set_memory_limit`] allows.
    ///
    /// # Errors
    /// When the separator is empty.
    pub fn new(options: CorpusOptions, memory: usize) -> Result<Spool, Error> {
        options.check()?;
        Ok(Spool {
            limits: Limits::new(&options),
            options,
            pending: Batch::default(),
            store: BatchStore::new(memory),
            totals: Totals::default(),
            skipped: Vec::new(),
            max_document_bytes: MAX_DOCUMENT_BYTES,
        })
    }

    /// Keeps less in memory, and refuses documents that are too large for the limit. The spool must be
    /// empty.
    pub fn set_memory_limit(&mut self, limit: u64) {
        let budget = MemoryBudget::new(Some(limit));
        self.max_document_bytes = budget.document_size().unwrap_or(MAX_DOCUMENT_BYTES);
        self.store.limit_memory(budget.optional_size());
    }

    /// The options that the spool reads its input with.
    #[must_use]
    pub fn options(&self) -> &CorpusOptions {
        &self.options
    }

    /// Whether `max_bytes` or `max_documents` allows no more documents.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.limits.are_reached()
    }

    /// The number of documents, bytes and skipped items so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds the documents of a batch, up to the limits.
    ///
    /// # Errors
    /// When the temporary file cannot be written, for example because the disk is full.
    pub fn extend(&mut self, batch: &Batch) -> Result<(), Error> {
        for (document, weight) in batch.weighted_documents() {
            if !self.limits.admit(document.len()) {
                break;
            }
            self.push(document, weight)?;
        }
        Ok(())
    }

    /// Adds the documents of another corpus, in order.
    ///
    /// # Errors
    /// When the corpus cannot be read, when the caller interrupts, and as [`Spool::extend`].
    pub fn extend_from(
        &mut self,
        corpus: &dyn Corpus,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let spool = Mutex::new(self);
        let handle = |_: usize, batch: &Batch| {
            if is_interrupted() {
                return Err(Error::Interrupted);
            }
            spool.lock().unwrap_or_else(PoisonError::into_inner).extend(batch)
        };
        let max_document_bytes =
            spool.lock().unwrap_or_else(PoisonError::into_inner).max_document_bytes;
        let reading = ReadOptions { max_document_bytes, ..ReadOptions::whole_documents(1) };
        let totals = corpus.read(reading, &handle, &|_| ())?;
        let spool = spool.into_inner().unwrap_or_else(PoisonError::into_inner);
        spool.totals.skipped += totals.skipped;
        spool.add_messages(corpus.skipped());
        Ok(())
    }

    /// Adds the documents of a stream. Its name determines the format, as with files; a name
    /// without a known suffix leaves it to the first bytes.
    ///
    /// # Errors
    /// When the input is malformed, and as [`Spool::extend`].
    pub fn extend_stream(&mut self, name: &str, input: Box<dyn Read + Send>) -> Result<(), Error> {
        let path = Path::new(name);
        let mut compression = Compression::Plain;
        let max_document_bytes = self.max_document_bytes;
        let open = || {
            if let Some((format, named)) = format::detect_by_name(name) {
                compression = named;
                return Ok((format, named.decompress(input, max_document_bytes)?));
            }
            let (found, input) = Compression::detect_by_content(input)?;
            compression = found;
            let (format, input) =
                format::detect_by_content(found.decompress(input, max_document_bytes)?)?;
            // Only text has separators.
            let is_text = self.options.separator.is_some();
            Ok((if is_text { Format::Text } else { format }, input))
        };
        let opened: io::Result<_> = open();
        let options = self.options.clone();
        let mut weight = 1;
        let mut sink = Sink::default();
        if let Ok((format, _)) = &opened {
            weight = options.find_file_weight(name, *format)?;
        }
        let read = opened.and_then(|(format, input)| {
            let split_documents = options.may_split_documents();
            let reading = ReadOptions { threads: 1, split_documents, max_document_bytes };
            let separator = options.separator.as_deref();
            let mut stream = Stream::new(input, format, separator, reading, None);
            let mut block = InputBlock::default();
            while !self.limits.are_reached() {
                match stream.read_block(&mut block) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(StreamError::Io(source)) => return Err(source),
                    Err(StreamError::TooLarge(document)) => {
                        let refused = document.explain(name);
                        match sink.skip_or_fail(refused, options.on_error, 0) {
                            Ok(()) => continue,
                            Err(error) => return Ok(Err(error)),
                        }
                    }
                }
                if block.bytes.is_empty() {
                    continue;
                }
                let (limits, sink) = (&mut self.limits, &mut sink);
                let options = &options;
                let mut parser = Parser { name, format, options, weight, block: 0, limits, sink };
                let parsed = parser.parse(&mut block);
                if let Err(error) = parsed.and_then(|()| self.append(&mut sink.batch)) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        match read {
            Ok(parsed) => parsed?,
            Err(source) => {
                match explain_read_error(path, name, compression, max_document_bytes, source) {
                    error @ Error::Corpus { .. } => {
                        sink.skip_or_fail(error, options.on_error, 0)?;
                    }
                    error => return Err(error),
                }
            }
        }
        self.totals.skipped += sink.skipped;
        self.add_messages(sink.messages.into_iter().map(|(_, message)| message).collect());
        Ok(())
    }

    /// Counts an item that the caller skipped.
    pub fn skip(&mut self, message: String) {
        self.totals.skipped += 1;
        self.add_messages(vec![message]);
    }

    fn add_messages(&mut self, messages: Vec<String>) {
        let room = MAX_MESSAGES.saturating_sub(self.skipped.len());
        self.skipped.extend(messages.into_iter().take(room));
    }

    /// Adds documents that the limits have admitted, and empties the batch.
    fn append(&mut self, batch: &mut Batch) -> Result<(), Error> {
        if batch.continues() || self.pending.is_empty() && batch.byte_len() >= BLOCK_SIZE {
            if !self.pending.is_empty() {
                self.store_pending()?;
            }
            self.totals.add(batch);
            mem::swap(&mut self.pending, batch);
            return self.store_pending();
        }
        for (document, weight) in batch.weighted_documents() {
            self.push(document, weight)?;
        }
        batch.clear();
        Ok(())
    }

    /// Adds a document that the limits have admitted. A large one is split over several batches.
    fn push(&mut self, document: &str, weight: u64) -> Result<(), Error> {
        if !self.pending.is_empty() && self.pending.byte_len() + document.len() > BLOCK_SIZE {
            self.store_pending()?;
        }
        self.totals.documents += 1;
        self.totals.bytes += document.len() as u64;
        for piece in split_into_pieces(document.as_bytes(), 2 * BLOCK_SIZE) {
            if piece.start > 0 {
                self.pending.set_continues();
                self.store_pending()?;
            }
            self.pending.push_weighted(&document[piece], weight);
        }
        Ok(())
    }

    /// Moves the pending documents to the store.
    fn store_pending(&mut self) -> Result<(), Error> {
        self.store.push(&mut self.pending)
    }

    /// Returns a stored batch, or the pending one after the last.
    fn read_batch(&self, index: usize) -> io::Result<Cow<'_, Batch>> {
        if index == self.store.len() {
            Ok(Cow::Borrowed(&self.pending))
        } else {
            self.store.read(index)
        }
    }

    /// Returns the bytes of text in batches.
    fn count_bytes(&self, indices: Range<usize>) -> u64 {
        let byte_len = |index| {
            if index == self.store.len() {
                self.pending.byte_len()
            } else {
                self.store.byte_len(index)
            }
        };
        indices.map(byte_len).sum::<usize>() as u64
    }

    /// Joins batches to one.
    fn read_joined(&self, mut indices: Range<usize>) -> io::Result<Cow<'_, Batch>> {
        let mut batch =
            indices.next().map_or_else(|| Ok(Cow::default()), |first| self.read_batch(first))?;
        for index in indices {
            batch.to_mut().append(&*self.read_batch(index)?);
        }
        Ok(batch)
    }
}

impl Corpus for Spool {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        // Batches that share a document are read together, unless it may be split.
        let is_start = |&index: &usize| {
            options.split_documents || index == 0 || !self.store.continues(index - 1)
        };
        let batches = self.store.len() + 1;
        let starts: Vec<usize> = (0..batches).filter(is_start).chain([batches]).collect();
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let large = Mutex::new(());
        let start = |worker| (worker, Totals::default());
        let states = run_workers(options.threads, start, |(worker, totals)| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let failure = |error| Failure { block: number as u64, error };
            let Some(&[start, end]) = starts.get(number..).and_then(<[_]>::first_chunk) else {
                return Ok(false);
            };
            let max_bytes = options.max_document_bytes;
            let bytes = self.count_bytes(start..end);
            if end - start > 1 && bytes > max_bytes {
                let message = format!(
                    "a document has more than {max_bytes} bytes, the largest that is read with this \
                     memory_limit, or 4 GiB without one; split it, or raise the limit"
                );
                let (file, line, column) = (None, None, None);
                return Err(failure(Error::Corpus { file, line, column, message }));
            }
            // While one worker has a large document, no other reads one.
            let is_large = options.is_large(bytes as usize);
            let _held = is_large.then(|| large.lock().unwrap_or_else(PoisonError::into_inner));
            let batch = self.read_joined(start..end).map_err(|source| {
                let doing = "cannot read the temporary copy of the corpus";
                failure(Error::Io { path: env::temp_dir(), doing, source })
            })?;
            if batch.is_empty() {
                return Ok(true);
            }
            totals.add_weighted(&batch).map_err(failure)?;
            handle(*worker, &batch).map_err(failure)?;
            let bytes = batch.byte_len() as u64;
            progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            Ok(true)
        })?;
        let read = Totals::sum(states.into_iter().map(|(_, totals)| totals))?;
        Ok(Totals { skipped: self.totals.skipped, ..read })
    }

    fn size(&self) -> Option<u64> {
        Some(self.totals.bytes)
    }

    fn skipped(&self) -> Vec<String> {
        self.skipped.clone()
    }

    fn unused_weight(&self) -> Option<&str> {
        self.options.find_unused_weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(corpus: &dyn Corpus) -> Vec<String> {
        let read = Mutex::new(Vec::new());
        let handle = |_: usize, batch: &Batch| {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            read.extend(batch.documents().map(str::to_owned));
            Ok(())
        };
        corpus.read(ReadOptions::whole_documents(1), &handle, &|_| ()).expect("nothing is wrong");
        read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn documents_are_read_in_order_from_memory_and_file() {
        let texts: Vec<String> =
            (0..50).map(|number| format!("é{number}").repeat(20_000)).collect();
        for memory in [0, 1 << 21, SPOOL_MEMORY] {
            let mut spool = Spool::new(CorpusOptions::default(), memory).expect("good options");
            spool.extend(&texts.iter().collect()).expect("room on the disk");
            assert_eq!(spool.store.has_file(), memory < SPOOL_MEMORY);
            assert_eq!(documents(&spool), texts);
            assert_eq!(
                spool.totals(),
                spool
                    .read(ReadOptions::whole_documents(2), &|_, _| Ok(()), &|_| ())
                    .expect("readable")
            );
        }
    }

    #[test]
    fn weights_are_read_from_memory_and_file() {
        let text = "one, two\nthree ".repeat(300_000);
        let mut batch = Batch::default();
        for (document, weight) in [("a", 1), (&text, 3), ("b", 0), ("c", 5)] {
            batch.push_weighted(document, weight);
        }
        for memory in [0, 1 << 21, SPOOL_MEMORY] {
            let mut spool = Spool::new(CorpusOptions::default(), memory).expect("good options");
            spool.extend(&batch).expect("room on the disk");
            let bytes = text.len() as u64;
            assert_eq!(spool.totals(), Totals { documents: 4, bytes: bytes + 3, skipped: 0 });
            let options = ReadOptions { split_documents: true, ..ReadOptions::whole_documents(2) };
            let totals = spool.read(options, &|_, _| Ok(()), &|_| ()).expect("readable");
            assert_eq!(totals, Totals { documents: 9, bytes: 3 * bytes + 6, skipped: 0 });
        }
    }

    #[test]
    fn limits_hold_over_all_added_documents() {
        let options = CorpusOptions { max_bytes: Some(5), ..CorpusOptions::default() };
        let mut spool = Spool::new(options, SPOOL_MEMORY).expect("good options");
        spool.extend(&["ab", "c"].into_iter().collect()).expect("room");
        assert!(!spool.is_full());
        spool.extend(&["def", "g"].into_iter().collect()).expect("room");
        assert!(spool.is_full());
        spool.extend(&["h"].into_iter().collect()).expect("room");
        assert_eq!(documents(&spool), ["ab", "c"]);
    }
}
