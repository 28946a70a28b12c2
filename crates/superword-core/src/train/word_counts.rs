//! Counting the words of tokens, for `max_words`.

use crate::error::Error;
use crate::platform::hash::FastMap;
use crate::pretokenize::{Pattern, is_unspaced_word};
use crate::train::engine::{TokenPair, TrainingToken, TrainingTokens};

/// The words of each token: the largest number over the rules so far that make it.
#[derive(Default)]
pub(crate) struct WordCounts {
    /// Only of superwords. Every other token is one word.
    of_superwords: FastMap<TrainingToken, u32>,
}

impl WordCounts {
    /// Returns the words of the token that a supermerge of a pair makes: those of both sides, but
    /// one in scripts without spaces. They never become fewer.
    pub(crate) fn count_joined(&self, tokens: &TrainingTokens, pair: TokenPair) -> u32 {
        if is_unspaced_word(&[tokens.bytes(pair.left), tokens.bytes(pair.right)].concat()) {
            return 1;
        }
        let of = |token| self.of_superwords.get(&token).copied().unwrap_or(1);
        of(pair.left).saturating_add(of(pair.right))
    }

    /// Records that a supermerge of a pair has made a token.
    pub(crate) fn record_supermerge(
        &mut self,
        tokens: &TrainingTokens,
        pair: TokenPair,
        token: TrainingToken,
    ) {
        let words = self.count_joined(tokens, pair);
        let recorded = self.of_superwords.entry(token).or_default();
        *recorded = words.max(*recorded);
    }
}

/// Counts the words of a token of a second stage: the pretokens in its text, and at least one; one
/// in scripts without spaces. Bytes at its ends that are part of a character are left out.
pub(crate) fn count_pretokens_in(token: &[u8], pattern: &Pattern) -> Result<u32, Error> {
    if is_unspaced_word(token) {
        return Ok(1);
    }
    let text: String = token.utf8_chunks().map(|chunk| chunk.valid()).collect();
    let mut words = 0;
    for span in pattern.spans(&text) {
        span?;
        words += 1;
    }
    Ok(words.max(1))
}
