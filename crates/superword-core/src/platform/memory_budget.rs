//! The memory limit of a training run, and how it is divided.

use crate::Error;

/// The smallest memory limit, in bytes. A smaller one is raised to it.
pub const MIN_MEMORY_LIMIT: u64 = 256_000_000;

/// Memory that a process uses beside its tables: the libraries, and batches on their way to the
/// workers.
const OVERHEAD: u64 = 96_000_000;

/// Bytes of memory that learning merges takes for each byte of the distinct pretokens, and for each
/// pretoken. Measured; see docs/training.md.
const BYTES_PER_MERGE_CELL: u64 = 30;

/// Bytes of memory that learning takes for each symbol of the distinct fragments, and for each
/// fragment. Measured; see docs/training.md.
const BYTES_PER_FRAGMENT_CELL: u64 = 32;

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

    /// Returns how many bytes a document may have: an eighth of the limit. The file and the batch have
    /// a copy each, while another thread may have such a document, too.
    pub(crate) fn document_size(self) -> Option<u64> {
        self.limit.map(|limit| limit / 8)
    }

    /// Checks that merges can be learned on pretokens that take this many cells, one for each byte
    /// and one for each pretoken, while tables of `table_bytes` stay in memory.
    ///
    /// # Errors
    /// When the cells exceed 32-bit offsets, or the memory exceeds the limit.
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

/// Checks that cells, and a barrier after the last, have 32-bit offsets.
fn check_offsets(what: &'static str, cells: usize) -> Result<(), Error> {
    let size = cells + 1;
    if u32::try_from(size).is_ok() { Ok(()) } else { Err(Error::TooLarge { what, size }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_beyond_32_bit_offsets_are_refused() {
        let budget = MemoryBudget::default();
        assert!(budget.allow_merges(u32::MAX as usize - 1, 0).is_ok());
        let refused = budget.allow_merges(u32::MAX as usize, 0);
        assert!(matches!(refused, Err(Error::TooLarge { size: 0x1_0000_0000, .. })));
    }

    #[test]
    fn learning_that_exceeds_the_limit_is_refused() {
        let budget = MemoryBudget::new(Some(1_000_000_000));
        assert!(budget.allow_merges(30_000_000, 0).is_ok());
        assert!(budget.allow_merges(30_000_000, 10_000_000).is_err());
        assert!(budget.allow_fragments(28_000_000, "the fragments").is_ok());
        assert!(budget.allow_fragments(29_000_000, "the fragments").is_err());
    }
}
