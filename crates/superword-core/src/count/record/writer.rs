//! Recording what a thread counts.

use std::mem;
use std::sync::Arc;

use super::code::{write_number, write_separator, write_weight};
use super::{BlockContent, RecordStore};
use crate::Error;
use crate::count::counted_pretokens::CountedPretokens;

/// The size in bytes from which on a block is stored. Tests have many blocks.
const BLOCK_SIZE: usize = if cfg!(test) { 1 << 6 } else { 1 << 18 };

/// Records the documents of one thread.
pub(crate) struct RecordWriter {
    store: Arc<RecordStore>,
    thread: usize,
    numbering: usize,
    block: Vec<u8>,
    /// Whether the block goes on with the document at the end of the block before.
    continues: bool,
    /// Where the current run of numbers starts in the block, or goes on, and how many it has.
    run_start: usize,
    run_length: usize,
    /// How often documents count.
    weight: u64,
}

impl RecordWriter {
    /// Creates a writer with a numbering of its own.
    pub(crate) fn new(store: Arc<RecordStore>) -> RecordWriter {
        let (thread, numbering) = (store.next_thread(), store.next_numbering());
        RecordWriter {
            store,
            thread,
            numbering,
            block: Vec::new(),
            continues: false,
            run_start: 0,
            run_length: 0,
            weight: 1,
        }
    }

    /// Starts a document that counts `weight` times.
    pub(crate) fn start_document(&mut self, weight: u64) {
        if weight != self.weight {
            write_weight(&mut self.block, weight);
            self.run_start = self.block.len();
            self.weight = weight;
        }
    }

    /// Adds a number, or `None` for what is never joined.
    #[inline]
    pub(crate) fn push(&mut self, number: Option<u32>) {
        match number {
            Some(number) => {
                write_number(&mut self.block, number);
                self.run_length += 1;
            }
            None => self.end_run(),
        }
    }

    /// Ends a run. A single pretoken has no neighbour to be joined with, and is dropped unless it is
    /// stored already.
    #[inline]
    fn end_run(&mut self) {
        match mem::take(&mut self.run_length) {
            0 => {}
            1 if self.block.len() > self.run_start => self.block.truncate(self.run_start),
            _ => {
                write_separator(&mut self.block);
                self.run_start = self.block.len();
            }
        }
    }

    /// Stores the block if it is full, inside a document.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    #[inline]
    pub(crate) fn store_full_block(&mut self) -> Result<(), Error> {
        if self.block.len() < BLOCK_SIZE { Ok(()) } else { self.store_block() }
    }

    /// Ends a document. A block that is nearly full is stored, so that few documents are in two.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(crate) fn end_document(&mut self) -> Result<(), Error> {
        self.end_run();
        if self.block.len() < BLOCK_SIZE / 2 {
            return Ok(());
        }
        self.store_block()?;
        (self.continues, self.weight) = (false, 1);
        Ok(())
    }

    /// Stores what is left.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    #[cold]
    pub(crate) fn store_block(&mut self) -> Result<(), Error> {
        let content = BlockContent::Numbers { continues: self.continues };
        (self.run_start, self.continues) = (0, true);
        self.store.push(self.thread, self.numbering, content, &mut self.block)
    }

    /// Stores the pretokens that have numbers, and starts a new numbering.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(crate) fn end_numbering(&mut self, pretokens: &CountedPretokens) -> Result<(), Error> {
        self.store_block()?;
        let mut block = Vec::new();
        let store = |block: &mut Vec<u8>| {
            self.store.push(self.thread, self.numbering, BlockContent::Pretokens, block)
        };
        let mut result = Ok(());
        pretokens.for_each_number(|pretoken, number| {
            block.extend(number.0.to_le_bytes());
            block.extend((pretoken.len() as u32).to_le_bytes());
            block.extend(pretoken);
            if block.len() >= BLOCK_SIZE && result.is_ok() {
                result = store(&mut block);
            }
        });
        result?;
        store(&mut block)?;
        self.numbering = self.store.next_numbering();
        Ok(())
    }
}
