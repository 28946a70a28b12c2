//! What was counted, on its way out.

use super::Seen;
use crate::Error;
use crate::count::spill::{Reader, Run};

/// How many keys come at once, and about how many bytes of them.
const KEYS: usize = 1 << 16;
const BYTES: usize = 8 << 20;

/// Distinct keys in order, with their counts.
pub struct Counts {
    reader: Reader,
    /// What a value in the file counts.
    count_of: fn(u64) -> u64,
    seen: Seen,
    bigrams: Option<Vec<u32>>,
}

/// Some of the keys, one after the other, with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The bytes of all keys.
    pub bytes: Vec<u8>,
    /// Where each key starts, and where the last ends.
    pub offsets: Vec<u64>,
    /// How often each occurs.
    pub counts: Vec<u64>,
}

impl Counts {
    pub(super) fn new(
        run: Run,
        count_of: fn(u64) -> u64,
        seen: Seen,
        bigrams: Option<Vec<u32>>,
    ) -> Result<Counts, Error> {
        Ok(Counts { reader: Reader::new(run)?, count_of, seen, bigrams })
    }

    /// What the documents held.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.seen
    }

    /// How often pretokens stand side by side, by place; given once, if it was counted.
    pub fn take_bigrams(&mut self) -> Option<Vec<u32>> {
        self.bigrams.take()
    }

    /// The next keys; `None` at the end.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn next_rows(&mut self) -> Result<Option<Rows>, Error> {
        let mut rows = Rows { offsets: vec![0], ..Rows::default() };
        let mut key = Vec::new();
        while rows.counts.len() < KEYS && rows.bytes.len() < BYTES {
            let Some(value) = self.reader.next(&mut key)? else { break };
            rows.bytes.extend_from_slice(&key);
            rows.offsets.push(rows.bytes.len() as u64);
            rows.counts.push((self.count_of)(value));
        }
        Ok(if rows.counts.is_empty() { None } else { Some(rows) })
    }
}
