//! Reading documents.
//!
//! Which worker gets which documents varies from run to run; the documents, and the error that is
//! reported, do not. In reading order:
//!
//! 1. `options`: [`CorpusOptions`] and [`ReadOptions`];
//! 2. `batch`: [`Batch`], a buffer of documents;
//! 3. `memory`, `files`: the corpora that can be read repeatedly;
//! 4. `batch_builder`, `document_stream`: documents of a source that can be read only once;
//! 5. `feed`, `spool`: the corpora of these. A [`Feed`] reads them as they come. A [`Spool`] stores
//!    them first, in a `batch_store`;
//! 6. `format`, `decompress`: the format and the compression of a file;
//! 7. `stream`, `split_points`: input in blocks, which end where documents end or may be split;
//! 8. `parse`, `json`: documents from a block;
//! 9. `limits`: when to stop;
//! 10. `weights`: how often each document counts;
//! 11. `workers`: the threads.

mod batch;
mod batch_builder;
mod batch_store;
mod decompress;
mod document_stream;
mod feed;
mod files;
mod format;
mod json;
mod limits;
mod memory;
mod options;
mod parse;
mod split_points;
mod spool;
mod stream;
mod weights;
mod workers;

pub use self::batch::Batch;
pub use self::batch_builder::BatchBuilder;
pub use self::document_stream::DocumentStream;
pub use self::feed::Feed;
pub use self::files::Files;
pub use self::format::is_supported;
pub(crate) use self::json::find_special;
pub use self::memory::Memory;
pub use self::options::{CorpusOptions, MAX_DOCUMENT_BYTES, OnError, ReadOptions};
#[cfg(test)]
pub(crate) use self::split_points::last_split_point;
pub(crate) use self::split_points::split_into_pieces;
pub use self::spool::Spool;
pub use self::weights::{SourceWeight, Weights};
use crate::Error;

/// Processes a batch. The first argument is the index of the worker.
pub type BatchHandler<'h> = dyn Fn(usize, &Batch) -> Result<(), Error> + Sync + 'h;

/// The size of a block of input, and of a batch, in bytes.
const BLOCK_SIZE: usize = 1 << 20;

/// A corpus that can be read repeatedly, with the same documents each time, unless it is a [`Feed`].
pub trait Corpus: Sync {
    /// Passes every document to `handle`, in batches of at most a few megabytes. A larger document
    /// comes alone, or in pieces.
    ///
    /// `handle(worker, &batch)` has `worker < options.threads`, and the calls of one worker do not
    /// overlap. `progress` is called from any thread with the number of bytes of input consumed so
    /// far: compressed bytes, if the input is compressed.
    ///
    /// # Errors
    /// When `handle` fails, which ends the pass, or when the input is malformed. Of several errors,
    /// the first in the order of the input is returned.
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error>;

    /// The size of the input, in the unit of `progress`, if known.
    fn size(&self) -> Option<u64>;

    /// The errors of the first few items that the last pass skipped.
    fn skipped(&self) -> Vec<String> {
        Vec::new()
    }

    /// A source that weights name and no document has had so far. `None` if only a part of the
    /// corpus is read.
    fn unused_weight(&self) -> Option<&str> {
        None
    }
}

/// Weighted documents have fewer bytes than this together, so that no count overflows.
pub(crate) const MAX_WEIGHTED_BYTES: u64 = 1 << 62;

/// The size of a corpus, as one pass over it found it. A document counts as often as its weight
/// says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of documents.
    pub documents: u64,
    /// The number of bytes in the documents.
    pub bytes: u64,
    /// The number of items that could not be read and were skipped.
    pub skipped: u64,
}

impl Totals {
    /// Adds the documents of a batch, as often as they count.
    fn add_weighted(&mut self, batch: &Batch) -> Result<(), Error> {
        *self = Totals::sum([*self, batch.weighted_totals()?])?;
        Ok(())
    }

    /// Adds a document of some bytes that counts `weight` times.
    pub(crate) fn add_document(&mut self, bytes: usize, weight: u64) -> Result<(), Error> {
        let bytes = weight.saturating_mul(bytes as u64);
        *self = Totals::sum([*self, Totals { documents: weight, bytes, skipped: 0 }])?;
        Ok(())
    }

    /// Adds the documents of a batch, once each.
    fn add(&mut self, batch: &Batch) {
        self.documents += batch.len() as u64;
        self.bytes += batch.byte_len() as u64;
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// When it is too large.
    fn sum(all: impl IntoIterator<Item = Totals>) -> Result<Totals, Error> {
        let mut sum = Totals::default();
        for one in all {
            sum.documents = sum.documents.saturating_add(one.documents);
            sum.bytes = sum.bytes.saturating_add(one.bytes);
            sum.skipped += one.skipped;
        }
        // Empty documents can be many, too.
        if sum.bytes.max(sum.documents) >= MAX_WEIGHTED_BYTES {
            let message = "the weighted documents have 2^62 bytes or more, which cannot be \
                           counted; divide all weights by the same number"
                .to_owned();
            return Err(Error::Corpus { file: None, line: None, column: None, message });
        }
        Ok(sum)
    }
}
