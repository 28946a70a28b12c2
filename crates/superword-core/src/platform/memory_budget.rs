//! The memory limit of a job, and how it is divided.

use crate::Error;
use crate::platform::huge_pages;

/// The smallest memory limit, in bytes. A smaller one is raised to it.
pub const MIN_MEMORY_LIMIT: u64 = 256_000_000;

/// A document may have the limit divided by this.
pub const DOCUMENTS_PER_LIMIT: u64 = 16;

/// A document that is encoded may have the limit divided by this. Its ids take up to four times its
/// size, and there are copies on the way from the reader and to the writer.
pub const ENCODED_DOCUMENTS_PER_LIMIT: u64 = 32;

/// Memory that a process uses beside its tables: the libraries, and batches on their way to the
/// workers.
const OVERHEAD: u64 = 96_000_000;

/// Memory that a thread takes for a block of input and a batch, beside its tables.
const THREAD_BYTES: u64 = 8_000_000;

/// Bytes of memory that learning merges takes for each byte of the distinct pretokens, and for each
/// pretoken. Measured; see docs/training.md.
const BYTES_PER_MERGE_CELL: u64 = 30;

/// Bytes of memory that learning takes for each symbol of the distinct fragments, and for each
/// fragment. Measured; see docs/training.md.
const BYTES_PER_FRAGMENT_CELL: u64 = 48;

/// Bytes of memory that a recorded corpus takes, at most.
const MAX_RECORD_SIZE: usize = 256_000_000;

/// A memory limit, or none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemoryBudget {
    limit: Option<u64>,
}

impl MemoryBudget {
    /// Creates a budget with a limit in bytes, or without one.
    pub(crate) fn new(limit: Option<u64>) -> MemoryBudget {
        MemoryBudget { limit: limit.map(|limit| limit.max(MIN_MEMORY_LIMIT)) }
    }

    /// Starts a job: with a limit, returns what earlier work has freed to the system.
    pub(crate) fn start(self) {
        if self.limit.is_some() {
            huge_pages::release();
        }
    }

    /// Returns how many of `threads` threads a job may use, if each takes `bytes` for its tables.
    pub(crate) fn threads(self, threads: usize, bytes: usize) -> usize {
        let fitting = |limit: u64| (limit - OVERHEAD) / 3 / (THREAD_BYTES + bytes as u64);
        self.limit.map_or(threads, |limit| threads.min(fitting(limit) as usize).max(1))
    }

    /// Returns the size in bytes above which one of `tables` hash tables has to be spilled.
    ///
    /// That is a sixth of its share: a table that doubles takes three times its size for a moment,
    /// and its contents are sorted before they are written.
    pub(crate) fn table_size(self, tables: usize) -> usize {
        let share = |limit: u64| (limit - OVERHEAD) / 6 / tables as u64;
        self.limit.map_or(usize::MAX, |limit| share(limit) as usize)
    }

    /// Returns how many bytes may be spent on tables that only save time.
    pub(crate) fn optional_size(self) -> usize {
        self.limit.map_or(usize::MAX, |limit| (limit / 8) as usize)
    }

    /// Returns how many bytes of a recorded corpus are kept in memory; the others are in a temporary
    /// file. With a limit, learning needs all of the memory.
    pub(crate) fn record_size(self) -> usize {
        if self.limit.is_some() { 0 } else { MAX_RECORD_SIZE }
    }

    /// Returns how many bytes a document may have: a 16th of the limit. The file and the batch have
    /// a copy each, while another thread may have such a document, too.
    pub(crate) fn document_size(self) -> Option<u64> {
        self.limit.map(|limit| limit / DOCUMENTS_PER_LIMIT)
    }

    /// Returns how many bytes a document that is encoded may have.
    #[cfg(feature = "threads")]
    pub(crate) fn encoded_document_size(self) -> Option<u64> {
        self.limit.map(|limit| limit / ENCODED_DOCUMENTS_PER_LIMIT)
    }

    /// Returns how many bytes each of `threads` threads may take to encode a text: together they have
    /// half of the limit.
    pub(crate) fn text_size(self, threads: usize) -> Option<u64> {
        self.limit.map(|limit| (limit - OVERHEAD) / 2 / threads.max(1) as u64)
    }

    /// Returns the error for a text that takes so many bytes on each of `threads` threads.
    pub(crate) fn refuse_text(self, bytes: u64, threads: usize) -> Error {
        let what = "the longest text without a place to split it, and encoding it,";
        let needed = 2 * bytes * threads.max(1) as u64 + OVERHEAD;
        Error::MemoryLimit { what, needed, limit: self.limit.unwrap_or(u64::MAX) }
    }

    /// Checks that merges can be learned on pretokens that take this many cells, one for each byte
    /// and one for each pretoken, while tables of `table_bytes` stay in memory.
    ///
    /// # Errors
    /// When the cells exceed 40-bit offsets, or the memory exceeds the limit.
    pub(crate) fn allow_merges(self, cells: usize, table_bytes: usize) -> Result<(), Error> {
        check_offsets("the distinct pretokens", cells)?;
        let needed = BYTES_PER_MERGE_CELL * cells as u64 + table_bytes as u64;
        self.allow("the distinct pretokens, and learning merges on them,", needed)
    }

    /// Checks that rules can be learned on fragments that take this many cells, one for each symbol
    /// and one for each fragment. `what` is the subject of the error message.
    ///
    /// # Errors
    /// As [`MemoryBudget::allow_merges`].
    pub(crate) fn allow_fragments(self, cells: usize, what: &'static str) -> Result<(), Error> {
        check_offsets("the distinct fragments", cells)?;
        self.allow(what, BYTES_PER_FRAGMENT_CELL * cells as u64)
    }

    fn allow(self, what: &'static str, bytes: u64) -> Result<(), Error> {
        let needed = bytes + OVERHEAD;
        match self.limit {
            Some(limit) if needed > limit => Err(Error::MemoryLimit { what, needed, limit }),
            _ => Ok(()),
        }
    }
}

/// Checks that cells, and a barrier after the last, have 40-bit offsets.
fn check_offsets(what: &'static str, cells: usize) -> Result<(), Error> {
    let size = cells as u64 + 1;
    if size < 1 << 40 { Ok(()) } else { Err(Error::TooLarge { what, size }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn cells_beyond_40_bit_offsets_are_refused() {
        let budget = MemoryBudget::default();
        assert!(budget.allow_merges((1 << 40) - 2, 0).is_ok());
        let refused = budget.allow_merges((1 << 40) - 1, 0);
        assert!(matches!(refused, Err(Error::TooLarge { size: 0x100_0000_0000, .. })));
    }

    #[test]
    fn learning_that_exceeds_the_limit_is_refused() {
        let budget = MemoryBudget::new(Some(1_000_000_000));
        assert!(budget.allow_merges(30_000_000, 0).is_ok());
        assert!(budget.allow_merges(30_000_000, 10_000_000).is_err());
        assert!(budget.allow_fragments(18_000_000, "the fragments").is_ok());
        assert!(budget.allow_fragments(19_000_000, "the fragments").is_err());
    }
}
