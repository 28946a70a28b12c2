//! Batches in memory and, if there are many, in an unnamed temporary file.

use std::borrow::Cow;
use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::sync::{Mutex, PoisonError};

use super::Batch;
use crate::Error;
use crate::platform::temporary_file;

/// A list of batches.
#[derive(Debug)]
pub(super) struct BatchStore {
    batches: Vec<StoredBatch>,
    /// The number of bytes that may still be kept in memory.
    memory: usize,
    file: Option<Mutex<File>>,
    /// The size of the file.
    written: u64,
}

/// A batch in memory or in the file.
#[derive(Debug)]
enum StoredBatch {
    InMemory(Batch),
    /// The file has the ends of the documents at `offset`, then their weights, and then the text.
    InFile {
        offset: u64,
        documents: usize,
        weights: usize,
        bytes: usize,
        continues: bool,
    },
}

impl BatchStore {
    /// Creates an empty store, which keeps up to `memory` bytes in memory.
    pub(super) fn new(memory: usize) -> BatchStore {
        BatchStore { batches: Vec::new(), memory, file: None, written: 0 }
    }

    /// The number of batches.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether the last document of a batch continues in the next.
    pub(super) fn continues(&self, index: usize) -> bool {
        match &self.batches[index] {
            StoredBatch::InMemory(batch) => batch.continues(),
            StoredBatch::InFile { continues, .. } => *continues,
        }
    }

    /// The number of bytes of text in a batch.
    pub(super) fn byte_len(&self, index: usize) -> usize {
        match &self.batches[index] {
            StoredBatch::InMemory(batch) => batch.byte_len(),
            StoredBatch::InFile { bytes, .. } => *bytes,
        }
    }

    /// Stores a batch, and leaves an empty one.
    pub(super) fn push(&mut self, batch: &mut Batch) -> Result<(), Error> {
        if batch.byte_len() <= self.memory {
            self.memory -= batch.byte_len();
            self.batches.push(StoredBatch::InMemory(mem::take(batch)));
            return Ok(());
        }
        // After the first batch in the file, none is kept in memory: the file is read in order.
        self.memory = 0;
        let stored = self.write(batch).map_err(|source| Error::Io {
            path: env::temp_dir(),
            doing: "cannot write the temporary copy of the corpus; free some space, or set TMPDIR \
                    to another folder",
            source,
        })?;
        self.batches.push(stored);
        batch.clear();
        Ok(())
    }

    fn write(&mut self, batch: &Batch) -> io::Result<StoredBatch> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Mutex::new(temporary_file::create()?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (text, ends) = (batch.text(), batch.ends());
        let ends_and_weights = ends.iter().map(|&end| end as u64).chain(batch.weights().to_vec());
        let header: Vec<u8> = ends_and_weights.flat_map(u64::to_le_bytes).collect();
        file.write_all(&header)?;
        file.write_all(text.as_bytes())?;
        let offset = self.written;
        self.written += (header.len() + text.len()) as u64;
        Ok(StoredBatch::InFile {
            offset,
            documents: ends.len(),
            weights: batch.weights().len(),
            bytes: text.len(),
            continues: batch.continues(),
        })
    }

    /// Returns a batch; one in the file is read.
    pub(super) fn read(&self, index: usize) -> io::Result<Cow<'_, Batch>> {
        let (offset, documents, weights, bytes, continues) = match &self.batches[index] {
            StoredBatch::InMemory(batch) => return Ok(Cow::Borrowed(batch)),
            &StoredBatch::InFile { offset, documents, weights, bytes, continues } => {
                (offset, documents, weights, bytes, continues)
            }
        };
        let mut header = vec![0; (documents + weights) * 8];
        let mut text = Vec::with_capacity(bytes);
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut header)?;
            Read::take(&mut *file, bytes as u64).read_to_end(&mut text)?;
        }
        let (numbers, _) = header.as_chunks::<8>();
        let mut ends: Vec<u64> = numbers.iter().map(|number| u64::from_le_bytes(*number)).collect();
        let weights = ends.split_off(documents);
        let ends = ends.into_iter().map(|end| end as usize).collect();
        let batch = String::from_utf8(text).ok();
        let batch = batch.and_then(|text| Batch::from_parts(text, ends, weights, continues));
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the file is damaged");
        batch.map(Cow::Owned).ok_or_else(damaged)
    }

    #[cfg(test)]
    pub(super) fn has_file(&self) -> bool {
        self.file.is_some()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_full_disk_says_what_to_do() {
        let mut store = BatchStore::new(0);
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        store.file = Some(Mutex::new(full));
        let mut batch: Batch = ["a"].into_iter().collect();
        let error = store.push(&mut batch).expect_err("nothing can be written");
        let Error::Io { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("TMPDIR"), "{error}");
    }
}
