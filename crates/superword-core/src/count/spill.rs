//! Spilling: counts that exceed the memory budget go to sorted runs in temporary files, and are
//! added up when the runs are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::env;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::Error;
use crate::platform::temporary_file;

/// The number of runs at which they are merged into one. Each run is an open file.
const MAX_RUNS: usize = 64;

/// The size of a file's buffer.
const BUFFER_SIZE: usize = 1 << 18;

/// Adds up two values of the same key.
pub(crate) type AddValues = fn(u64, u64) -> u64;

/// Several runs. A key may be in more than one of them.
pub(crate) struct Runs {
    runs: Vec<Run>,
    add: AddValues,
}

/// A temporary file of distinct keys in order, with their values.
pub(crate) struct Run {
    file: File,
    /// The number of keys.
    pub(crate) keys: usize,
    /// The number of bytes that the keys have together.
    pub(crate) bytes: usize,
}

/// A key of a run that is not sorted yet, and its value.
struct UnsortedEntry {
    start: usize,
    length: usize,
    value: u64,
}

impl Runs {
    /// Creates an empty set of runs.
    pub(crate) fn new(add: AddValues) -> Runs {
        Runs { runs: Vec::new(), add }
    }

    /// Whether no run was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Writes a run of the keys and values that `for_each` passes on, which are distinct and in any
    /// order.
    pub(crate) fn write(
        &mut self,
        for_each: impl FnOnce(&mut dyn FnMut(&[u8], u64)),
    ) -> Result<(), Error> {
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        for_each(&mut |key, value| {
            entries.push(UnsortedEntry { start: bytes.len(), length: key.len(), value });
            bytes.extend_from_slice(key);
        });
        let key = |entry: &UnsortedEntry| &bytes[entry.start..entry.start + entry.length];
        entries.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        let mut run = RunWriter::new()?;
        for entry in &entries {
            run.push(key(entry), entry.value)?;
        }
        self.runs.push(run.finish()?);
        if self.runs.len() >= MAX_RUNS {
            let run = self.merge()?;
            self.runs.push(run);
        }
        Ok(())
    }

    /// Takes over other runs.
    pub(crate) fn append(&mut self, mut other: Runs) {
        self.runs.append(&mut other.runs);
    }

    /// Merges all runs into one.
    pub(crate) fn merge(&mut self) -> Result<Run, Error> {
        let mut writer = RunWriter::new()?;
        let mut readers = Vec::with_capacity(self.runs.len());
        let mut queue = BinaryHeap::new();
        for run in self.runs.drain(..) {
            let mut reader = RunReader::new(run)?;
            let mut key = Vec::new();
            if let Some(value) = reader.next(&mut key)? {
                queue.push(Reverse((key, readers.len(), value)));
            }
            readers.push(reader);
        }
        let mut last: Option<(Vec<u8>, u64)> = None;
        while let Some(Reverse((key, index, value))) = queue.pop() {
            let mut spare = match &mut last {
                Some((known, sum)) if *known == key => {
                    *sum = (self.add)(*sum, value);
                    key
                }
                _ => match last.replace((key, value)) {
                    Some((known, sum)) => {
                        writer.push(&known, sum)?;
                        known
                    }
                    None => Vec::new(),
                },
            };
            if let Some(value) = readers[index].next(&mut spare)? {
                queue.push(Reverse((spare, index, value)));
            }
        }
        if let Some((key, sum)) = last {
            writer.push(&key, sum)?;
        }
        writer.finish()
    }
}

impl Run {
    /// Calls `each` with every key and its value, in order.
    pub(crate) fn for_each(self, mut each: impl FnMut(&[u8], u64)) -> Result<(), Error> {
        let mut reader = RunReader::new(self)?;
        let mut key = Vec::new();
        while let Some(value) = reader.next(&mut key)? {
            each(&key, value);
        }
        Ok(())
    }
}

/// Writes a run.
pub(crate) struct RunWriter {
    file: BufWriter<File>,
    keys: usize,
    bytes: usize,
}

impl RunWriter {
    /// Creates an empty run.
    pub(crate) fn new() -> Result<RunWriter, Error> {
        let file = temporary_file::create().map_err(spill_error)?;
        Ok(RunWriter { file: BufWriter::with_capacity(BUFFER_SIZE, file), keys: 0, bytes: 0 })
    }

    /// Writes a key and its value. Keys come in order.
    pub(crate) fn push(&mut self, key: &[u8], value: u64) -> Result<(), Error> {
        self.keys += 1;
        self.bytes += key.len();
        let mut write = || {
            self.file.write_all(&(key.len() as u64).to_le_bytes())?;
            self.file.write_all(&value.to_le_bytes())?;
            self.file.write_all(key)
        };
        write().map_err(spill_error)
    }

    /// Returns the run.
    pub(crate) fn finish(self) -> Result<Run, Error> {
        let RunWriter { file, keys, bytes } = self;
        let mut file = file.into_inner().map_err(|error| spill_error(error.into_error()))?;
        file.rewind().map_err(spill_error)?;
        Ok(Run { file, keys, bytes })
    }
}

/// Reads a run.
pub(crate) struct RunReader {
    file: BufReader<File>,
    keys_left: usize,
}

impl RunReader {
    /// Opens a run at its start.
    pub(crate) fn new(run: Run) -> Result<RunReader, Error> {
        let Run { mut file, keys, .. } = run;
        file.rewind().map_err(spill_error)?;
        Ok(RunReader { file: BufReader::with_capacity(BUFFER_SIZE, file), keys_left: keys })
    }

    /// Reads the next key into `key` and returns its value, or `None` at the end.
    pub(crate) fn next(&mut self, key: &mut Vec<u8>) -> Result<Option<u64>, Error> {
        if self.keys_left == 0 {
            return Ok(None);
        }
        self.keys_left -= 1;
        let mut read = || {
            let mut number = [0; 8];
            self.file.read_exact(&mut number)?;
            key.resize(u64::from_le_bytes(number) as usize, 0);
            self.file.read_exact(&mut number)?;
            self.file.read_exact(key)?;
            Ok(u64::from_le_bytes(number))
        };
        read().map(Some).map_err(spill_error)
    }
}

fn spill_error(source: io::Error) -> Error {
    Error::Io {
        path: env::temp_dir(),
        doing: "cannot spill counts to a temporary file; free some space there, or set TMPDIR to \
                another folder",
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn merged_runs_are_sums_in_order() {
        let mut runs = Runs::new(|a, b| a + b);
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        // More than may be open at the same time.
        for round in 0..MAX_RUNS as u64 + 10 {
            let keys = (0..50_u64).map(|number| (round * 7 + number * number) % 97);
            let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for key in keys {
                *counts
                    .entry(key.to_string().repeat(key as usize % 5).into_bytes())
                    .or_default() += round;
            }
            runs.write(|each| counts.iter().rev().for_each(|(key, &count)| each(key, count)))
                .expect("room on the disk");
            for (key, count) in counts {
                *expected.entry(key).or_default() += count;
            }
        }
        assert!(runs.runs.len() < MAX_RUNS);
        let run = runs.merge().expect("room on the disk");
        assert_eq!(run.keys, expected.len());
        assert_eq!(run.bytes, expected.keys().map(Vec::len).sum::<usize>());
        let mut found = Vec::new();
        run.for_each(|key, sum| found.push((key.to_vec(), sum))).expect("readable");
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}
