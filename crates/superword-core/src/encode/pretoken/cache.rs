//! What one thread remembers of the pretokens that it has met.

use crate::encode::pipeline::group::{GROUP, Group};
use crate::encode::pretoken::interleaved::{SHORTS, Short};
use crate::encode::pretoken::merger::Pieces;
use crate::encode::pretoken::table::Lexicon;
use crate::encode::supermerge::table::{Units, Waiting};

/// How many pretokens are known at most; then those that were met are forgotten, before the table
/// grows. There is room for another group.
const PRETOKENS: usize = (1 << 19) - GROUP;

/// How many bytes the long ones may have that were met.
const LONG_BYTES: usize = 4 << 20;

/// How many tokens of pretokens with many tokens are remembered.
const LISTED: usize = 1 << 20;

/// Longer pretokens are not remembered; they hardly come again.
pub(crate) const LONGEST: usize = 256;

/// A row that has been longer gives its memory back.
const ROW: usize = 1 << 16;

/// What one thread remembers between texts: at most 64 MB, whatever the texts are, or more with more
/// than 131,072 tokens.
pub(crate) struct Cache {
    pub(crate) lexicon: Lexicon,
    /// The tokens of pretokens with many tokens.
    pub(crate) lists: Vec<u32>,
    /// Room to work.
    pub(crate) pieces: Pieces,
    pub(crate) shorts: Box<[Short]>,
    pub(crate) units: Units,
    pub(crate) pending: Vec<Waiting>,
    pub(crate) group: Option<Box<Group>>,
    /// The tokens of a text after the first of two stages, and where its pretokens end.
    pub(crate) first_stage: (Vec<u32>, Vec<usize>),
}

impl Cache {
    /// All that is known without having met anything.
    pub(crate) fn new(known: &Lexicon) -> Cache {
        Cache {
            lexicon: known.roomy_copy(),
            lists: Vec::new(),
            pieces: Pieces::new(),
            shorts: (0..SHORTS).map(|_| Short::new()).collect(),
            units: Units::new(),
            pending: Vec::new(),
            group: None,
            first_stage: (Vec::new(), Vec::new()),
        }
    }

    /// Whether there is no room for another group.
    pub(crate) fn is_full(&self, known: &Lexicon) -> bool {
        let lexicon = &self.lexicon;
        let most = PRETOKENS.max(3 * known.len());
        lexicon.len() >= most
            || lexicon.long_bytes() > known.long_bytes() + LONG_BYTES
            || self.lists.len() > LISTED
    }

    /// Forgets all that was met if there is no room for another group.
    pub(crate) fn make_room(&mut self, known: &Lexicon) {
        if self.is_full(known) {
            self.lexicon.reset(known);
            self.lists.clear();
        }
    }

    /// Gives back the memory of an unusual text.
    pub(crate) fn shrink(&mut self) {
        self.pieces.shrink(ROW);
        self.units.shrink(ROW);
        self.pending.shrink_to(ROW);
        let (tokens, ends) = &mut self.first_stage;
        if tokens.capacity() > ROW {
            (*tokens, *ends) = (Vec::new(), Vec::new());
        }
    }
}
