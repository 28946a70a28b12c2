//! Where documents come from.
//!
//! Training reads its corpus twice, from several threads. A [`Corpus`] is what can be read so:
//! documents in [`Memory`], [`Files`] of JSON lines or text, or a [`Spool`] that keeps what came
//! from something that can be read only once. Which worker gets which documents is left to chance;
//! which documents there are, and which error is reported, is not.

mod batch;
mod decompress;
mod files;
mod format;
mod json;
mod limits;
mod memory;
mod parse;
mod spool;
mod stream;
mod workers;

pub use self::batch::Batch;
pub use self::files::Files;
pub use self::format::is_known;
pub use self::memory::Memory;
pub use self::spool::{MEMORY, Spool};
use crate::Error;

/// What is done with a batch: the worker's number, the batch.
pub type Work<'w> = dyn Fn(usize, &Batch) -> Result<(), Error> + Sync + 'w;

/// A batch is given away once it has as many bytes, and input is read in blocks of this size.
const BLOCK: usize = 1 << 20;

/// How a corpus is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// On how many threads at once.
    pub threads: usize,
    /// Whether a large document may come in pieces, cut at its seams: where no named pattern
    /// could have a pretoken on both sides.
    pub in_pieces: bool,
}

impl Reading {
    /// Whole documents.
    #[must_use]
    pub fn whole(threads: usize) -> Reading {
        Reading { threads, in_pieces: false }
    }
}

/// A corpus that can be read again and again, with the same documents each time.
pub trait Corpus: Sync {
    /// Hands every document to `work`, in batches of a few megabytes at most; a larger document
    /// comes alone, or in pieces.
    ///
    /// `work(worker, &batch)` has `worker < reading.threads`, and the calls of one worker follow each
    /// other. `progress` is called now and then, from any thread, with the number of bytes of
    /// input consumed so far: compressed bytes, where the input is compressed.
    ///
    /// # Errors
    /// What `work` returns, which ends the reading; or what is wrong with the input. If several
    /// things are, it is the first of them in the order of the input.
    fn read(
        &self,
        reading: Reading,
        work: &Work<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error>;

    /// The size of the input in the unit of `progress`, if known.
    fn size(&self) -> Option<u64>;

    /// What was wrong with the first few items that the last pass skipped.
    fn skipped(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What one pass over a corpus saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many documents there were.
    pub documents: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many items could not be read and were left out.
    pub skipped: u64,
}

impl Totals {
    fn count(&mut self, batch: &Batch) {
        self.documents += batch.len() as u64;
        self.bytes += batch.bytes() as u64;
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

/// How input is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The key of a JSON object, or the column of a table, that holds the document.
    pub column: String,
    /// What separates the documents of a text file; without it, a file is one document.
    pub separator: Option<String>,
    /// What to do with an item that cannot be read.
    pub on_error: OnError,
    /// Stop before the document with which there would be more bytes of text.
    pub max_bytes: Option<u64>,
    /// Stop after as many documents.
    pub max_documents: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            column: "text".to_owned(),
            separator: None,
            on_error: OnError::Raise,
            max_bytes: None,
            max_documents: None,
        }
    }
}

/// What to do with an item that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// End with the error.
    #[default]
    Raise,
    /// Leave it out and count it.
    Skip,
}
