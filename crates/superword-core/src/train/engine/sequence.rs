//! Rows of tokens in which neighbours are joined: the pretokens, for merges, and the fragments,
//! for supermerges.

use crate::error::Error;
use crate::platform::hash::FastMap;
use crate::train::engine::pairs::Pair;
use crate::train::engine::token::TokenId;

/// What stands where no token may be joined: between rows, and in place of a unit not open.
pub(crate) const BARRIER: TokenId = TokenId::MAX;

/// A row: where it starts and ends, and the class of its weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) weight: u32,
}

/// Where rows start, and the classes of their weights.
pub(crate) struct Rows(Vec<(u32, u32)>);

impl Rows {
    /// None yet, and memory for so many.
    pub(crate) fn with_capacity(rows: usize) -> Rows {
        Rows(Vec::with_capacity(rows))
    }

    /// Adds the row that starts at a place, past all others.
    pub(crate) fn push(&mut self, start: u32, weight: u32) {
        self.0.push((start, weight));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// One of them, given how many cells there are in all; before the next row is a barrier.
    pub(crate) fn get(&self, index: usize, cells: usize) -> Row {
        let (start, weight) = self.0[index];
        let next = self.0.get(index + 1).map_or(cells as u32, |&(start, _)| start);
        Row { start, end: next - 1, weight }
    }
}

/// Rows of tokens, laid one after the other with a barrier before, between and after them.
///
/// A token is known by the place where it starts. Reading at a place where none starts gives a
/// number that is no token's, so a place that was once remembered can always be asked again.
pub(crate) trait Sequence: Sync {
    /// The token that starts at a place, or a barrier.
    fn token(&self, at: u32) -> TokenId;

    /// Where the token or barrier after the one at `at` starts.
    fn after(&self, at: u32) -> u32;

    /// Where the token or barrier before the one at `at` starts.
    fn before(&self, at: u32) -> u32;

    /// Joins the tokens at `left` and `right`, neighbours, into one.
    fn join(&mut self, left: u32, right: u32, token: TokenId);

    /// How many rows there are.
    fn len(&self) -> usize;

    /// One of them.
    fn row(&self, index: usize) -> Row;

    /// All of them.
    fn rows(&self) -> impl Iterator<Item = Row> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// Asks for the memory of a place ahead of its use.
    fn prefetch(&self, at: u32);
}

/// Gives each pair of neighbours that starts at `from` or later, up to the one that starts before
/// `to`, and whether it counts: as often as joining it would replace it, so in `x x x` the first
/// `(x, x)` counts and the second does not.
///
/// Equal tokens must not continue before `from` or after `to`.
#[inline]
pub(crate) fn pairs_between<S: Sequence>(
    sequence: &S,
    from: u32,
    to: u32,
    mut each: impl FnMut(Pair, u32, bool),
) {
    let mut at = from;
    let mut left = sequence.token(at);
    let mut was_twin = false;
    while at < to {
        let next = sequence.after(at);
        let right = sequence.token(next);
        was_twin = left == right && !was_twin;
        if left != BARRIER && right != BARRIER {
            each(Pair { left, right }, at, left != right || was_twin);
        }
        (at, left) = (next, right);
    }
}

/// Refuses more places than can be numbered.
pub(crate) fn check_size(what: &'static str, size: usize) -> Result<(), Error> {
    if u32::try_from(size).is_ok() { Ok(()) } else { Err(Error::TooLarge { what, size }) }
}

/// Weights by class: rows are many, the different weights among them few.
#[derive(Default)]
pub(crate) struct WeightClasses {
    classes: FastMap<u64, u32>,
    /// The weight of each class.
    pub(crate) values: Vec<u64>,
}

impl WeightClasses {
    /// The class of a weight.
    pub(crate) fn of(&mut self, weight: u64) -> u32 {
        *self.classes.entry(weight).or_insert_with(|| {
            self.values.push(weight);
            self.values.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_places_than_can_be_numbered_are_refused() {
        assert!(check_size("rows", u32::MAX as usize).is_ok());
        let refused = check_size("rows", 1 << 32).expect_err("too many").to_string();
        assert!(refused.starts_with("rows take 4294967296 places"), "{refused}");
    }
}
