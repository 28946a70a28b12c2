//! What training may use, and what every part of it needs to know.

use std::thread;

use crate::control::Control;
use crate::corpus::{Corpus, ReadOptions};
use crate::count::CorpusPass;
use crate::model::Parameters;
use crate::platform::memory_budget::MemoryBudget;

/// What training and counting may use. It does not change what is learned.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// The number of threads; at most [`MAX_THREADS`](crate::MAX_THREADS) make sense.
    pub threads: usize,
    /// The memory limit in bytes, if any. It is raised to [`MIN_MEMORY_LIMIT`].
    ///
    /// [`MIN_MEMORY_LIMIT`]: crate::MIN_MEMORY_LIMIT
    pub memory_limit: Option<u64>,
    /// After how many rules to count all pairs again and compare, if at all. Counting ignores it.
    pub verify_every: Option<u64>,
}

impl Default for Resources {
    /// All processors, as much memory as it takes, and no verification.
    fn default() -> Resources {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Resources { threads, memory_limit: None, verify_every: None }
    }
}

impl Resources {
    /// Returns the memory budget.
    pub(crate) fn budget(self) -> MemoryBudget {
        MemoryBudget::new(self.memory_limit)
    }

    /// Whether to verify the counts after this many rules.
    pub(crate) fn verifies_after(self, rules: usize) -> bool {
        self.verify_every.is_some_and(|every| (rules as u64).is_multiple_of(every))
    }

    /// Returns a pass over a corpus with these resources. Each thread takes `thread_bytes` beside the
    /// tables that are spilled; there are no more threads than fit the memory limit.
    pub(crate) fn pass<'c>(
        self,
        corpus: &'c dyn Corpus,
        reading: ReadOptions,
        thread_bytes: usize,
        control: &'c Control<'c>,
    ) -> CorpusPass<'c> {
        let budget = self.budget();
        budget.start();
        let max_document_bytes = budget.document_size().unwrap_or(reading.max_document_bytes);
        let tables = reading.threads;
        let threads = budget.threads(reading.threads, thread_bytes);
        let reading = ReadOptions { threads, max_document_bytes, ..reading };
        CorpusPass { corpus, reading, tables, budget, control, expected: None }
    }
}

/// What every part of training needs to know.
#[derive(Clone, Copy)]
pub(crate) struct TrainingContext<'t> {
    pub(crate) parameters: &'t Parameters,
    pub(crate) resources: Resources,
    pub(crate) control: &'t Control<'t>,
}
