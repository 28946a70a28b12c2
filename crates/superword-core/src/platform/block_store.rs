//! Blocks of bytes in memory and, if there are many, in an unnamed temporary file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::sync::{Mutex, PoisonError};

use crate::platform::temporary_file;

/// Where blocks are stored.
#[derive(Debug)]
pub(crate) struct BlockStore {
    /// The number of bytes that may still be kept in memory.
    memory: usize,
    file: Option<Mutex<File>>,
    /// The size of the file.
    written: u64,
}

/// A block in memory or in the file.
#[derive(Debug)]
pub(crate) enum StoredBlock {
    InMemory(Vec<u8>),
    InFile { offset: u64, bytes: usize },
}

impl StoredBlock {
    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            StoredBlock::InMemory(block) => block.len(),
            StoredBlock::InFile { bytes, .. } => *bytes,
        }
    }

    /// Returns the bytes of memory that it takes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            StoredBlock::InMemory(block) => block.capacity(),
            StoredBlock::InFile { .. } => 0,
        }
    }
}

impl BlockStore {
    /// Creates an empty store, which keeps up to `memory` bytes in memory.
    pub(crate) fn new(memory: usize) -> BlockStore {
        BlockStore { memory, file: None, written: 0 }
    }

    /// Stores a block, and empties it.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(crate) fn push(&mut self, block: &mut Vec<u8>) -> io::Result<StoredBlock> {
        if block.len() <= self.memory {
            self.memory -= block.len();
            block.shrink_to_fit();
            return Ok(StoredBlock::InMemory(mem::take(block)));
        }
        // After the first block in the file, none is kept in memory: the file is read in order.
        self.memory = 0;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Mutex::new(temporary_file::create()?)),
        };
        file.get_mut().unwrap_or_else(PoisonError::into_inner).write_all(block)?;
        let stored = StoredBlock::InFile { offset: self.written, bytes: block.len() };
        self.written += block.len() as u64;
        block.clear();
        Ok(stored)
    }

    /// Returns a block; one in the file is read.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(crate) fn read<'b>(&self, block: &'b StoredBlock) -> io::Result<Cow<'b, [u8]>> {
        let (offset, bytes) = match block {
            StoredBlock::InMemory(block) => return Ok(Cow::Borrowed(block)),
            &StoredBlock::InFile { offset, bytes } => (offset, bytes),
        };
        let mut read = vec![0; bytes];
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut read)?;
        }
        Ok(Cow::Owned(read))
    }
}
