//! Reading documents.
//!
//! Training reads its corpus twice, from several threads. A [`Corpus`] can be read that way. Which
//! worker gets which documents varies from run to run; the documents, and the error that is
//! reported, do not. In reading order:
//!
//! 1. `options`: [`CorpusOptions`] and [`ReadOptions`];
//! 2. `batch`: [`Batch`], a buffer of documents;
//! 3. `memory`, `files`, `spool`: the three kinds of corpus. A [`Spool`] stores documents of a
//!    source that can be read only once, in a `batch_store`;
//! 4. `format`, `decompress`: the format and the compression of a file;
//! 5. `stream`, `split_points`: input in blocks, which end where documents end or may be split;
//! 6. `parse`, `json`: documents from a block;
//! 7. `limits`: when to stop;
//! 8. `workers`: the threads.

mod batch;
mod batch_store;
mod decompress;
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
mod workers;

pub use self::batch::Batch;
pub use self::files::Files;
pub use self::format::is_supported;
pub use self::memory::Memory;
pub use self::options::{CorpusOptions, OnError, ReadOptions};
#[cfg(test)]
pub(crate) use self::split_points::last_split_point;
pub(crate) use self::split_points::split_into_pieces;
pub use self::spool::{SPOOL_MEMORY, Spool};
use crate::Error;

/// Processes a batch. The first argument is the index of the worker.
pub type BatchHandler<'h> = dyn Fn(usize, &Batch) -> Result<(), Error> + Sync + 'h;

/// The size of a block of input, and of a batch, in bytes.
const BLOCK_SIZE: usize = 1 << 20;

/// A corpus that can be read repeatedly, with the same documents each time.
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
}

/// The size of a corpus, as one pass over it found it.
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
    fn add(&mut self, batch: &Batch) {
        self.documents += batch.len() as u64;
        self.bytes += batch.byte_len() as u64;
    }
}

impl std::iter::Sum for Totals {
    fn sum<I: Iterator<Item = Totals>>(all: I) -> Totals {
        all.fold(Totals::default(), |sum, one| Totals {
            documents: sum.documents + one.documents,
            bytes: sum.bytes + one.bytes,
            skipped: sum.skipped + one.skipped,
        })
    }
}
