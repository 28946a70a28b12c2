//! Recording the tokens of a first stage.
//!
//! The second stage has long pretokens, which hardly repeat. So they are split between two tokens
//! of the first stage that are neighbours less often than a threshold.
//!
//! That is exact if no rule with a smaller count is learned. For without deletions tokens only
//! grow, and what happens between two boundaries that no token crosses depends on the bytes between
//! them alone. (In `x x x x` pairs are joined from the left, and this starts anew at such a
//! boundary.) So the same bytes become a token by the same rule wherever they do, and consist of
//! the same tokens of the first stage. All occurrences of a pair then meet at the same two
//! first-stage tokens. If these are neighbours too rarely, all occurrences are split, and the pair
//! would not be chosen: it is at most as frequent. Otherwise none is split.

use std::sync::Arc;

use super::{RecordStore, RecordWriter, Recorded};
use crate::Error;
use crate::control::Stage;
use crate::corpus::Batch;
use crate::count::bigrams::{BigramCounter, BigramCounts, BigramHash};
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};
use crate::encode::Encoder;
use crate::platform::hash::{fold, secret};

/// What one thread counts and records.
struct TokenRecorder {
    bigrams: BigramCounts,
    record: RecordWriter,
}

/// Encodes a corpus with the rules of a first stage, counts how often two tokens are neighbours in a
/// pretoken, and records the tokens.
pub(crate) fn record_tokens(pass: &CorpusPass, encoder: &Encoder) -> Result<Recorded, Error> {
    let buckets = BigramCounts::buckets_for(pass.corpus, pass.tables, pass.budget);
    let store = Arc::new(RecordStore::new(pass.budget.record_size()));
    let new_recorder = || TokenRecorder {
        bigrams: BigramCounts::new(buckets),
        record: RecordWriter::new(store.clone()),
    };
    let record = |recorder: &mut TokenRecorder, batch: &Batch| {
        let mut counted = batch.weighted_documents().filter(|&(_, weight)| weight > 0);
        counted.try_for_each(|(document, weight)| recorder.add(document, weight, pass, encoder))
    };
    let (TokenRecorder { bigrams, record }, _) =
        pass.count(Stage::Bigrams, new_recorder, record)?;
    drop(record);
    let record = Arc::into_inner(store).expect("all writers are dropped").into_record();
    Ok(Recorded { bigrams, record })
}

impl TokenRecorder {
    fn add(
        &mut self,
        document: &str,
        weight: u64,
        pass: &CorpusPass,
        encoder: &Encoder,
    ) -> Result<(), Error> {
        let is_interrupted = pass.control.is_interrupted;
        encoder.check_memory(document, pass.budget, pass.reading.threads, is_interrupted)?;
        self.record.start_document(weight);
        let mut result = Ok(());
        encoder.first_stage(document, is_interrupted, |pretoken| {
            for pair in pretoken.windows(2) {
                let [left, right] = [pair[0], pair[1]].map(hash_token);
                let bucket = self.bigrams.bucket(left, right);
                self.bigrams.add(bucket, weight);
            }
            for &token in pretoken {
                self.record.push(Some(token));
            }
            self.record.push(None);
            if result.is_ok() {
                result = self.record.store_full_block();
            }
        })?;
        result?;
        self.record.end_document()
    }
}

impl ThreadCounter for TokenRecorder {
    fn finish(&mut self) -> Result<(), Error> {
        self.record.store_block()
    }

    fn merge(&mut self, other: TokenRecorder) -> Result<(), Error> {
        self.bigrams.merge(other.bigrams)
    }
}

/// Returns the hash of a token, from which that of a pair is made.
#[inline]
pub(super) fn hash_token(token: u32) -> u64 {
    fold(u64::from(token) ^ secret(), 0x9E37_79B9_7F4A_7C15)
}
