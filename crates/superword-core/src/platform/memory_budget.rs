//! The memory limit of training.

use crate::Error;

/// The smallest memory limit, in bytes.
pub const LEAST_MEMORY: u64 = 256_000_000;

/// The memory of a process before training starts, and of the batches that workers read, in bytes.
const PROCESS_MEMORY: u64 = 96_000_000;

/// A memory limit, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    limit: Option<u64>,
}

impl Budget {
    /// Creates a budget from a limit in bytes.
    pub(crate) fn new(limit: Option<u64>) -> Budget {
        Budget { limit: limit.map(|limit| limit.max(LEAST_MEMORY)) }
    }

    /// The size, in bytes, at which each of `tables` hash tables must be spilled. A table that has
    /// just doubled took three times its size, and its entries are sorted in memory.
    pub(crate) fn table(self, tables: usize) -> usize {
        let share = |limit: u64| (limit - PROCESS_MEMORY) / 6 / tables as u64;
        self.limit.map_or(usize::MAX, |limit| share(limit) as usize)
    }

    /// The memory, in bytes, that may be spent to save time.
    pub(crate) fn spare(self) -> usize {
        self.limit.map_or(usize::MAX, |limit| (limit / 8) as usize)
    }

    /// Fails if `bytes` more than those of the process exceed the limit.
    pub(crate) fn allow(self, what: &'static str, bytes: u64) -> Result<(), Error> {
        let needed = bytes + PROCESS_MEMORY;
        match self.limit {
            Some(limit) if needed > limit => Err(Error::MemoryLimit { what, needed, limit }),
            _ => Ok(()),
        }
    }
}
