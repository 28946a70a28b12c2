//! The distinct pretokens as rows of tokens.

use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::Place;
use crate::train::engine::sequence::{BARRIER, Row, Rows, Sequence};
use crate::train::engine::token::TokenId;

/// In the cells between the first and the last of a token.
const INSIDE: TokenId = TokenId::MAX - 1;

/// Marks the last cell of a token of several bytes.
const LAST: TokenId = 1 << 31;

/// One cell a byte, with a barrier before each pretoken and after the last.
///
/// The first and the last cell of a token hold it, so that with the tokens' lengths its neighbours
/// are a step away. A token of one byte has one cell.
pub(super) struct Words {
    cells: Vec<TokenId>,
    /// The length of each token, in bytes.
    lengths: Vec<u32>,
    /// The pretokens.
    rows: Rows,
}

impl Words {
    /// No pretokens, and memory for so many with so many bytes.
    pub(super) fn new(bytes: usize, pretokens: usize) -> Words {
        let mut cells = huge_pages::with_capacity(bytes + pretokens + 1);
        cells.push(BARRIER);
        Words { cells, lengths: vec![1; 256], rows: Rows::with_capacity(pretokens) }
    }

    /// Adds a pretoken as single bytes.
    pub(super) fn push(&mut self, pretoken: &[u8], weight: u32) {
        self.rows.push(self.cells.len() as u32, weight);
        self.cells.extend(pretoken.iter().map(|&byte| TokenId::from(byte)));
        self.cells.push(BARRIER);
    }

    /// Takes note of the length of a token; new tokens come in order.
    pub(super) fn learn(&mut self, token: TokenId, length: usize) {
        if token as usize == self.lengths.len() {
            self.lengths.push(length as u32);
        }
    }

    /// Lists the places of all single bytes anew.
    pub(super) fn list_bytes(&self, occurrences: &mut Occurrences) {
        occurrences.start_bytes();
        for row in self.rows() {
            let mut at = row.start;
            while at < row.end {
                if self.token(at) < 256 {
                    occurrences.of_mut(self.token(at)).push(Place { at, weight: row.weight });
                }
                at = self.after(at);
            }
        }
    }

    /// Replaces the token at a place by its parts.
    pub(super) fn split(&mut self, at: u32, parts: &[TokenId]) {
        let mut at = at as usize;
        for &part in parts {
            let end = at + self.lengths[part as usize] as usize;
            self.cells[at..end].fill(INSIDE);
            self.cells[end - 1] = part | LAST;
            self.cells[at] = part;
            at = end;
        }
    }
}

impl Sequence for Words {
    #[inline]
    fn token(&self, at: u32) -> TokenId {
        self.cells[at as usize]
    }

    #[inline]
    fn after(&self, at: u32) -> u32 {
        match self.cells[at as usize] {
            BARRIER => at + 1,
            token => at + self.lengths[token as usize],
        }
    }

    #[inline]
    fn before(&self, at: u32) -> u32 {
        match self.cells[at as usize - 1] {
            BARRIER => at - 1,
            last => at - self.lengths[(last & !LAST) as usize],
        }
    }

    #[inline]
    fn join(&mut self, left: u32, right: u32, token: TokenId) {
        let last = left + self.lengths[token as usize] - 1;
        self.cells[right as usize - 1] = INSIDE;
        self.cells[right as usize] = INSIDE;
        self.cells[left as usize] = token;
        self.cells[last as usize] = token | LAST;
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize) -> Row {
        self.rows.get(index, self.cells.len())
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        prefetch(&self.cells[at as usize]);
    }
}
