//! Counts that outgrow memory: sorted runs in temporary files, summed as they are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::env;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::Error;

/// How many runs there may be at once; each is an open file.
const MOST: usize = 64;

/// The size of a file's buffer.
const BUFFER: usize = 1 << 18;

/// Sums two values of the same key.
pub(crate) type Combine = fn(u64, u64) -> u64;

/// Runs of keys with values; a key may be in several.
pub(crate) struct Runs {
    runs: Vec<Run>,
    combine: Combine,
}

/// A temporary file of keys in order, each once, with their values.
pub(crate) struct Run {
    file: File,
    /// How many keys there are.
    pub(crate) keys: usize,
    /// How many bytes the keys have.
    pub(crate) bytes: usize,
}

impl Runs {
    /// No runs yet.
    pub(crate) fn new(combine: Combine) -> Runs {
        Runs { runs: Vec::new(), combine }
    }

    /// Whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Writes a run of what `for_each` gives, in any order, each key once.
    pub(crate) fn write(
        &mut self,
        for_each: impl FnOnce(&mut dyn FnMut(&[u8], u64)),
    ) -> Result<(), Error> {
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        for_each(&mut |key, value| {
            entries.push((bytes.len(), key.len(), value));
            bytes.extend_from_slice(key);
        });
        let key = |&(start, length, _): &(usize, usize, u64)| &bytes[start..start + length];
        entries.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        let mut run = Writer::new()?;
        for entry in &entries {
            run.push(key(entry), entry.2)?;
        }
        self.runs.push(run.finish()?);
        if self.runs.len() >= MOST {
            let run = self.merge()?;
            self.runs.push(run);
        }
        Ok(())
    }

    /// Takes the runs of another.
    pub(crate) fn append(&mut self, mut other: Runs) {
        self.runs.append(&mut other.runs);
    }

    /// One run of all.
    pub(crate) fn merge(&mut self) -> Result<Run, Error> {
        let mut writer = Writer::new()?;
        let mut readers = Vec::with_capacity(self.runs.len());
        let mut queue = BinaryHeap::new();
        for run in self.runs.drain(..) {
            let mut reader = Reader::new(run)?;
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
                    *sum = (self.combine)(*sum, value);
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
    /// Reads all keys with their values, in order.
    pub(crate) fn for_each(self, mut each: impl FnMut(&[u8], u64)) -> Result<(), Error> {
        let mut reader = Reader::new(self)?;
        let mut key = Vec::new();
        while let Some(value) = reader.next(&mut key)? {
            each(&key, value);
        }
        Ok(())
    }
}

/// A run in the making.
pub(crate) struct Writer {
    file: BufWriter<File>,
    keys: usize,
    bytes: usize,
}

impl Writer {
    /// Nothing written yet.
    pub(crate) fn new() -> Result<Writer, Error> {
        let file = tempfile::tempfile().map_err(refused)?;
        Ok(Writer { file: BufWriter::with_capacity(BUFFER, file), keys: 0, bytes: 0 })
    }

    /// Writes a key, which comes after those before, with its value.
    pub(crate) fn push(&mut self, key: &[u8], value: u64) -> Result<(), Error> {
        self.keys += 1;
        self.bytes += key.len();
        let mut write = || {
            self.file.write_all(&(key.len() as u64).to_le_bytes())?;
            self.file.write_all(&value.to_le_bytes())?;
            self.file.write_all(key)
        };
        write().map_err(refused)
    }

    /// The run of what was written.
    pub(crate) fn finish(self) -> Result<Run, Error> {
        let Writer { file, keys, bytes } = self;
        let mut file = file.into_inner().map_err(|error| refused(error.into_error()))?;
        file.rewind().map_err(refused)?;
        Ok(Run { file, keys, bytes })
    }
}

/// A run on its way back.
pub(crate) struct Reader {
    file: BufReader<File>,
    left: usize,
}

impl Reader {
    /// Reads a run from its start.
    pub(crate) fn new(run: Run) -> Result<Reader, Error> {
        let Run { mut file, keys, .. } = run;
        file.rewind().map_err(refused)?;
        Ok(Reader { file: BufReader::with_capacity(BUFFER, file), left: keys })
    }

    /// The next value, and its key; `None` at the end.
    pub(crate) fn next(&mut self, key: &mut Vec<u8>) -> Result<Option<u64>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut read = || {
            let mut number = [0; 8];
            self.file.read_exact(&mut number)?;
            key.resize(u64::from_le_bytes(number) as usize, 0);
            self.file.read_exact(&mut number)?;
            self.file.read_exact(key)?;
            Ok(u64::from_le_bytes(number))
        };
        read().map(Some).map_err(refused)
    }
}

fn refused(source: io::Error) -> Error {
    Error::Io {
        path: env::temp_dir(),
        doing: "cannot keep counts in a temporary file; make room there, or name another folder \
                with TMPDIR",
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_runs_hold_is_summed_in_order() {
        let mut runs = Runs::new(|a, b| a + b);
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        // More than may be open at once.
        for round in 0..MOST as u64 + 10 {
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
        assert!(runs.runs.len() < MOST);
        let run = runs.merge().expect("room on the disk");
        assert_eq!(run.keys, expected.len());
        assert_eq!(run.bytes, expected.keys().map(Vec::len).sum::<usize>());
        let mut found = Vec::new();
        run.for_each(|key, sum| found.push((key.to_vec(), sum))).expect("readable");
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}
