//! The distinct pretokens as a sequence of tokens.

use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;
use crate::train::engine::{TokenCell, TokenSequence, TrainingToken, WeightedSpans};

/// One cell for each byte, with a barrier before each pretoken and after the last.
///
/// The first and the last cell of a token hold it, the last with the flag set. So, with the lengths
/// of all tokens, both neighbours of a token are one step away. A token of one byte has one cell,
/// without the flag.
pub(super) struct PretokenSequence {
    cells: Vec<TokenCell>,
    /// The length of each token in bytes.
    lengths: Vec<u32>,
    spans: WeightedSpans,
}

impl PretokenSequence {
    /// Creates an empty sequence with room for `pretokens` pretokens of `bytes` bytes in all.
    pub(super) fn with_capacity(bytes: usize, pretokens: usize) -> PretokenSequence {
        let mut cells = huge_pages::with_capacity(bytes + pretokens + 1);
        cells.push(TokenCell::new(TrainingToken::BARRIER));
        let spans = WeightedSpans::with_capacity(pretokens);
        PretokenSequence { cells, lengths: vec![1; 256], spans }
    }

    /// Adds a pretoken as single bytes.
    pub(super) fn push(&mut self, pretoken: &[u8], count: u64) {
        for weight in self.spans.divide(count) {
            let start = self.cells.len();
            self.cells.extend(pretoken.iter().map(|&byte| TokenCell::new(byte.into())));
            self.spans.push(start..self.cells.len(), weight);
            self.cells.push(TokenCell::new(TrainingToken::BARRIER));
        }
    }

    /// Adds a pretoken as tokens, whose lengths are recorded.
    pub(super) fn push_tokens(&mut self, tokens: &[TrainingToken], count: u64) {
        for weight in self.spans.divide(count) {
            let start = self.cells.len();
            for token in tokens {
                let first = self.cells.len();
                let end = first + self.lengths[token.index()] as usize;
                self.cells.resize_with(end, || TokenCell::new(TrainingToken::INSIDE));
                self.cells[end - 1].set(token.with_flag());
                self.cells[first].set(*token);
            }
            self.spans.push(start..self.cells.len(), weight);
            self.cells.push(TokenCell::new(TrainingToken::BARRIER));
        }
    }

    /// Records the length of a token. New tokens come in order.
    pub(super) fn set_length(&mut self, token: TrainingToken, length: usize) {
        if token.index() == self.lengths.len() {
            self.lengths.push(length as u32);
        }
    }

    /// Replaces the token at an offset by its parts.
    pub(super) fn split(&self, at: usize, parts: &[TrainingToken]) {
        let mut at = at;
        for &part in parts {
            let end = at + self.lengths[part.index()] as usize;
            self.cells[at..end].iter().for_each(|cell| cell.set(TrainingToken::INSIDE));
            self.cells[end - 1].set(part.with_flag());
            self.cells[at].set(part);
            at = end;
        }
    }
}

impl TokenSequence for PretokenSequence {
    #[inline]
    fn token(&self, at: usize) -> TrainingToken {
        self.cells[at].get()
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        match self.cells[at].get() {
            TrainingToken::BARRIER => at + 1,
            token => at + self.lengths[token.index()] as usize,
        }
    }

    #[inline]
    fn before(&self, at: usize) -> usize {
        match self.cells[at - 1].get() {
            TrainingToken::BARRIER => at - 1,
            last => at - self.lengths[last.without_flag().index()] as usize,
        }
    }

    #[inline]
    fn join(&self, left: usize, right: usize, token: TrainingToken) {
        let last = left + self.lengths[token.index()] as usize - 1;
        self.cells[right - 1].set(TrainingToken::INSIDE);
        self.cells[right].set(TrainingToken::INSIDE);
        self.cells[left].set(token);
        self.cells[last].set(token.with_flag());
    }

    #[inline]
    fn spans(&self) -> &WeightedSpans {
        &self.spans
    }

    #[inline]
    fn prefetch(&self, at: usize) {
        prefetch(&self.cells[at]);
    }
}
