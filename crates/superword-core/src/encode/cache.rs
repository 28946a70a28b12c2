//! What one thread remembers of the pretokens that it has met.

use super::GROUP;
use super::front::Front;
use super::outcome::Outcome;
use super::phrases::{Units, Waiting};
use super::short::Short;
use super::words::Pieces;
use crate::table::Table;

/// How many pretokens are remembered; then all are forgotten, before the table of them grows. There
/// is room for another group.
const PRETOKENS: usize = (1 << 19) - GROUP;

/// How many bytes the table of them may take: short pretokens, and the long ones beside it.
const BYTES: usize = 48 << 20;

/// How many tokens of pretokens with many tokens are remembered.
const LISTED: usize = 1 << 20;

/// Longer pretokens are not remembered; they hardly come again.
pub(super) const LONGEST: usize = 256;

/// How many short pretokens are worked out together.
const SHORTS: usize = 8;

/// A row that has been longer gives its memory back.
const ROW: usize = 1 << 16;

/// What one thread remembers between texts: at most 64 MB, whatever the texts are.
pub(super) struct Cache {
    pub(super) front: Front,
    pub(super) table: Table<Outcome>,
    /// The tokens of pretokens with many tokens.
    pub(super) lists: Vec<u32>,
    /// Room to work.
    pub(super) pieces: Pieces,
    pub(super) shorts: [Short; SHORTS],
    pub(super) units: Units,
    pub(super) pending: Vec<Waiting>,
    pub(super) tokens: Vec<u32>,
    /// The tokens of a text after the first of two stages, and where its pretokens end.
    pub(super) first_stage: (Vec<u32>, Vec<usize>),
}

impl Cache {
    /// Nothing is known yet.
    pub(super) fn new() -> Cache {
        Cache {
            front: Front::new(),
            table: Table::new(),
            lists: Vec::new(),
            pieces: Pieces::new(),
            shorts: [const { Short::new() }; SHORTS],
            units: Units::new(),
            pending: Vec::new(),
            tokens: Vec::new(),
            first_stage: (Vec::new(), Vec::new()),
        }
    }

    /// Whether there is no room for another group.
    pub(super) fn is_full(&self) -> bool {
        let table = &self.table;
        table.len() >= PRETOKENS || table.memory() > BYTES || self.lists.len() > LISTED
    }

    /// Forgets everything if there is no room for another group.
    pub(super) fn make_room(&mut self) {
        if self.is_full() {
            self.table.clear();
            self.front.clear();
            self.lists.clear();
        }
    }

    /// Gives back the memory of an unusual text.
    pub(super) fn shrink(&mut self) {
        self.pieces.shrink(ROW);
        self.units.shrink(ROW);
        self.pending.shrink_to(ROW);
        let (tokens, ends) = &mut self.first_stage;
        if tokens.capacity() > ROW {
            (*tokens, *ends) = (Vec::new(), Vec::new());
        }
    }
}

impl Default for Cache {
    fn default() -> Cache {
        Cache::new()
    }
}
