//! The documents of a corpus as numbers, so that the text is split only once.
//!
//! For supermerges they are the numbers of pretokens, for a second stage those of the tokens of the
//! first (`tokens`).
//!
//! Each thread numbers the pretokens that it counts, and starts a new numbering when it spills them.
//! Supermerges join eligible pretokens only, so what is recorded is runs of those, with a separator
//! after each. A run of one has nothing to join, and is left out. At the end of a numbering its
//! eligible pretokens are recorded, too. Tokens are numbers from the start. Blocks stay in memory up to a bound, and go to an unnamed
//! temporary file beyond it.
//!
//! `writer` records, `code` has the bytes of numbers, `symbols` finds what they stand for, and
//! `fragments` reads the documents back.

mod code;
mod fragments;
mod symbols;
#[cfg(test)]
mod tests;
mod tokens;
mod writer;

use std::borrow::Cow;
use std::env;
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::count::bigrams::BigramCounts;
use crate::platform::block_store::{BlockStore, StoredBlock};

pub(crate) use fragments::RecordSplitter;
pub(crate) use tokens::record_tokens;
pub(crate) use writer::RecordWriter;

/// What a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockContent {
    /// Documents as numbers. The first may continue that of the thread's block before; if it does
    /// not, it counts once unless the block says otherwise.
    Numbers { continues: bool },
    /// For each pretoken its number and its length, four bytes each, and its bytes.
    Pretokens,
}

/// A recorded corpus. All threads share it.
pub(crate) struct RecordStore {
    state: Mutex<RecordState>,
}

struct RecordState {
    store: BlockStore,
    blocks: Vec<RecordedBlock>,
    threads: usize,
    numberings: usize,
}

#[derive(Debug)]
struct RecordedBlock {
    thread: usize,
    numbering: usize,
    content: BlockContent,
    stored: StoredBlock,
}

impl RecordStore {
    /// Creates an empty record, of which up to `memory` bytes are kept in memory.
    pub(crate) fn new(memory: usize) -> RecordStore {
        let store = BlockStore::new(memory);
        let state = RecordState { store, blocks: Vec::new(), threads: 0, numberings: 0 };
        RecordStore { state: Mutex::new(state) }
    }

    /// Returns the number of a new thread.
    fn next_thread(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.threads += 1;
        state.threads - 1
    }

    /// Returns the number of a new numbering.
    fn next_numbering(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.numberings += 1;
        state.numberings - 1
    }

    /// Stores a block, and empties it.
    fn push(
        &self,
        thread: usize,
        numbering: usize,
        content: BlockContent,
        block: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let stored = state.store.push(block).map_err(|source| Error::Io {
            path: env::temp_dir(),
            doing: "cannot write the temporary record of the corpus; free some space, or set \
                    TMPDIR to another folder",
            source,
        })?;
        state.blocks.push(RecordedBlock { thread, numbering, content, stored });
        Ok(())
    }

    /// Returns the record, once nothing more is added.
    pub(crate) fn into_record(self) -> CorpusRecord {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut record = CorpusRecord {
            store: state.store,
            sequences: Vec::new(),
            pretokens: (0..state.numberings).map(|_| Vec::new()).collect(),
        };
        let mut last_of = vec![0; state.threads];
        for block in state.blocks {
            match block.content {
                BlockContent::Pretokens => record.pretokens[block.numbering].push(block),
                BlockContent::Numbers { continues: true } => {
                    record.sequences[last_of[block.thread]].push(block);
                }
                BlockContent::Numbers { continues: false } => {
                    last_of[block.thread] = record.sequences.len();
                    record.sequences.push(vec![block]);
                }
            }
        }
        record
    }
}

/// What fragments are counted on.
pub(crate) struct Recorded {
    pub(crate) bigrams: BigramCounts,
    pub(crate) record: CorpusRecord,
}

/// The record of a corpus.
pub(crate) struct CorpusRecord {
    store: BlockStore,
    /// Blocks with documents. Each but the first of a sequence continues the one before.
    sequences: Vec<Vec<RecordedBlock>>,
    /// Blocks with the pretokens of each numbering.
    pretokens: Vec<Vec<RecordedBlock>>,
}

impl CorpusRecord {
    /// Returns the bytes of memory that it takes.
    pub(crate) fn memory(&self) -> usize {
        let blocks = self.sequences.iter().chain(&self.pretokens);
        blocks.flatten().map(|block| block.stored.memory()).sum()
    }

    fn read<'b>(&self, block: &'b RecordedBlock) -> Result<Cow<'b, [u8]>, Error> {
        self.store.read(&block.stored).map_err(|source| Error::Io {
            path: env::temp_dir(),
            doing: "cannot read the temporary record of the corpus",
            source,
        })
    }
}
