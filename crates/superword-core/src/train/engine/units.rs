//! The distinct fragments as rows of units.

use crate::count::fragments::Fragments;
use crate::error::Error;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;
use crate::train::engine::occurrences::Occurrences;
use crate::train::engine::pairs::{Pair, Place};
use crate::train::engine::replace::Change;
use crate::train::engine::sequence::{BARRIER, Row, Rows, Sequence, WeightClasses};
use crate::train::engine::token::TokenId;

/// Marks a unit that is not open.
const CLOSED: TokenId = 1 << 31;

/// One cell a pretoken, with a barrier before each fragment and after the last.
///
/// The first cell of a unit holds its token. The first and the last hold how many cells it has.
pub(crate) struct Units {
    cells: Vec<TokenId>,
    sizes: Vec<u32>,
    /// The fragments.
    rows: Rows,
}

impl Units {
    /// The fragments, all units open or none, and the weights of their classes.
    pub(crate) fn new(fragments: Fragments, is_open: bool) -> Result<(Units, Vec<u64>), Error> {
        let size = fragments.tokens() + fragments.len() + 1;
        let mut units = Units {
            cells: huge_pages::with_capacity(size),
            sizes: huge_pages::filled(1, size),
            rows: Rows::with_capacity(fragments.len()),
        };
        let mut classes = WeightClasses::default();
        let closed = if is_open { 0 } else { CLOSED };
        units.cells.push(BARRIER);
        fragments.for_each(|fragment, count| {
            units.rows.push(units.cells.len() as u32, classes.of(count));
            units.cells.extend(fragment.iter().map(|&token| token | closed));
            units.cells.push(BARRIER);
        })?;
        Ok((units, classes.values))
    }

    /// Where pretokens stand, as long as nothing has been joined.
    pub(crate) fn occurrences(&self) -> Occurrences {
        let mut occurrences = Occurrences::new(true);
        for row in self.rows() {
            for at in row.start..row.end {
                let token = self.cells[at as usize] & !CLOSED;
                occurrences.of_mut(token).push(Place { at, weight: row.weight });
            }
        }
        occurrences
    }
}

impl Sequence for Units {
    #[inline]
    fn token(&self, at: u32) -> TokenId {
        let token = self.cells[at as usize];
        if token & CLOSED == 0 { token } else { BARRIER }
    }

    #[inline]
    fn after(&self, at: u32) -> u32 {
        at + self.sizes[at as usize]
    }

    #[inline]
    fn before(&self, at: u32) -> u32 {
        at - self.sizes[at as usize - 1]
    }

    #[inline]
    fn join(&mut self, left: u32, right: u32, token: TokenId) {
        let size = self.sizes[left as usize] + self.sizes[right as usize];
        self.cells[right as usize] = BARRIER;
        self.cells[left as usize] = token;
        self.sizes[left as usize] = size;
        self.sizes[(left + size) as usize - 1] = size;
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
        prefetch(&self.sizes[at as usize]);
    }
}

/// Opening the pretokens that a token spells.
pub(crate) struct Open(pub(crate) TokenId);

impl Change<Units> for Open {
    fn token(&self) -> TokenId {
        self.0
    }

    fn used(&self) -> Option<Pair> {
        None
    }

    fn fits(&self, units: &Units, at: u32) -> bool {
        units.cells[at as usize] == self.0 | CLOSED
    }

    fn after(&self, _units: &Units, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, units: &mut Units, at: u32) {
        units.cells[at as usize] = self.0;
    }
}

/// Closing them. A superword that spells the same stays open.
pub(crate) struct Close(pub(crate) TokenId);

impl Change<Units> for Close {
    fn token(&self) -> TokenId {
        self.0
    }

    fn used(&self) -> Option<Pair> {
        None
    }

    fn fits(&self, units: &Units, at: u32) -> bool {
        units.cells[at as usize] == self.0 && units.sizes[at as usize] == 1
    }

    fn after(&self, _units: &Units, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, units: &mut Units, at: u32) {
        units.cells[at as usize] = self.0 | CLOSED;
    }
}
