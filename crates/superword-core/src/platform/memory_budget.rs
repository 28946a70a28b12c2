//! How much memory training may take.

use crate::Error;

/// The smallest limit that makes sense, in bytes.
pub const LEAST_MEMORY: u64 = 256_000_000;

/// What a process has before training begins, and the batches on their way to the workers.
const BASE: u64 = 96_000_000;

/// The limit of memory, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    limit: Option<u64>,
}

impl Budget {
    /// A limit in bytes, or none.
    pub(crate) fn new(limit: Option<u64>) -> Budget {
        Budget { limit: limit.map(|limit| limit.max(LEAST_MEMORY)) }
    }

    /// How many bytes a table may have, one of `tables`, before it has to be put away. It may have
    /// just doubled, and so have taken three times as much; and what it holds is sorted.
    pub(crate) fn table(self, tables: usize) -> usize {
        let share = |limit: u64| (limit - BASE) / 6 / tables as u64;
        self.limit.map_or(usize::MAX, |limit| share(limit) as usize)
    }

    /// How many bytes may be spent on what only saves time.
    pub(crate) fn spare(self) -> usize {
        self.limit.map_or(usize::MAX, |limit| (limit / 8) as usize)
    }

    /// Refuses what takes more than the limit.
    pub(crate) fn allow(self, what: &'static str, bytes: u64) -> Result<(), Error> {
        let needed = bytes + BASE;
        match self.limit {
            Some(limit) if needed > limit => Err(Error::MemoryLimit { what, needed, limit }),
            _ => Ok(()),
        }
    }
}
