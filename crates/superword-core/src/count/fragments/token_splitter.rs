//! Fragments for the merges of a second stage (`SuperBPE`).
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

use super::{FragmentCollector, FragmentSplitter, FragmentSymbol};
use crate::control::Stage;
use crate::corpus::Batch;
use crate::count::bigrams::{
    AboveThreshold, BigramCounter, BigramCounts, BigramHash, FrequentBigrams,
};
use crate::count::corpus_pass::CorpusPass;
use crate::encode::Encoder;
use crate::error::Error;
use crate::platform::hash::{fold, secret};

/// Splits pretokens between tokens of the first stage that are rare neighbours.
pub(crate) struct TokenSplitter<'c> {
    /// Applies the rules of the first stage.
    pub(crate) encoder: &'c Encoder,
    pub(crate) bigrams: &'c AboveThreshold,
    /// Whether to stop with an error.
    pub(crate) is_interrupted: &'c (dyn Fn() -> bool + Sync),
}

impl FragmentSplitter for TokenSplitter<'_> {
    fn split(&self, document: &str, collector: &mut FragmentCollector) -> Result<(), Error> {
        self.encoder.first_stage(document, self.is_interrupted, |pretoken| {
            let mut before = None;
            for &token in pretoken {
                if let Some(before) = before.replace(token) {
                    let bucket = token_bucket(&self.bigrams, before, token);
                    if !self.bigrams.is_frequent(bucket) {
                        collector.end_fragment();
                    }
                }
                collector.push(FragmentSymbol(token));
            }
            collector.end_fragment();
        })
    }

    fn splits_rare_neighbours(&self) -> bool {
        true
    }
}

/// Counts how often two tokens of the first stage are neighbours in a pretoken.
pub(crate) fn count_token_bigrams(
    pass: &CorpusPass,
    encoder: &Encoder,
) -> Result<BigramCounts, Error> {
    let buckets = BigramCounts::buckets_for(pass.corpus, pass.tables, pass.budget);
    let count = |bigrams: &mut BigramCounts, batch: &Batch| {
        let mut counted = batch.weighted_documents().filter(|&(_, weight)| weight > 0);
        counted.try_for_each(|(document, weight)| {
            let is_interrupted = pass.control.is_interrupted;
            encoder.check_memory(document, pass.budget, pass.reading.threads, is_interrupted)?;
            encoder.first_stage(document, is_interrupted, |pretoken| {
                for pair in pretoken.windows(2) {
                    let bucket = token_bucket(bigrams, pair[0], pair[1]);
                    bigrams.add(bucket, weight);
                }
            })
        })
    };
    let (bigrams, _) = pass.count(Stage::Bigrams, || BigramCounts::new(buckets), count)?;
    Ok(bigrams)
}

/// Returns the bucket of two neighbouring tokens.
#[inline]
fn token_bucket(bigrams: &impl BigramHash, left: u32, right: u32) -> usize {
    let hash = |token: u32| fold(u64::from(token) ^ secret(), 0x9E37_79B9_7F4A_7C15);
    bigrams.bucket(hash(left), hash(right))
}
