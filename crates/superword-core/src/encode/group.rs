//! Some pretokens of a text, side by side.

use super::joins::Join;
use super::outcome::Outcome;
use crate::table::Key;

/// How many pretokens go through together at most: by the time that the first is compared, the
/// memory for all of them is on its way.
pub(super) const GROUP: usize = 512;

/// How many of them have bits in one word.
pub(super) const PART: usize = 64;

/// A bit for each of them.
pub(super) type Bits = [u64; GROUP / PART];

/// A group of pretokens.
pub(super) struct Group {
    /// Where the first starts in the text, and where each of them ends.
    pub(super) cuts: [usize; GROUP + 1],
    /// Their keys, and where those belong.
    pub(super) keys: [Key; GROUP],
    pub(super) places: [u32; GROUP],
    /// What becomes of the pretoken before the group if it waits, and of each of them, and of which
    /// kinds that is.
    pub(super) outcomes: [Outcome; GROUP + 1],
    pub(super) kinds: [u8; GROUP + PART],
    /// Those that are not where they belong.
    pub(super) missing: [u32; GROUP],
    /// Those that are the same as another that is new, after that.
    pub(super) again: [(u32, u32); GROUP],
    /// Where boundaries belong that some may have with the one before.
    pub(super) asked: [u32; GROUP],
    /// How those that stand in one unit with the one before are joined with it.
    pub(super) joins: [Join; GROUP],
}

impl Group {
    /// Room for one.
    pub(super) fn new() -> Box<Group> {
        Box::new(Group {
            cuts: [0; GROUP + 1],
            keys: [Key::NONE; GROUP],
            places: [0; GROUP],
            outcomes: [Outcome::default(); GROUP + 1],
            kinds: [0; GROUP + PART],
            missing: [0; GROUP],
            again: [(0, 0); GROUP],
            asked: [0; GROUP],
            joins: [Join::default(); GROUP],
        })
    }

    /// Puts an outcome in a place.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, outcome: Outcome) {
        self.outcomes[place] = outcome;
        self.kinds[place] = outcome.kind as u8;
    }
}
