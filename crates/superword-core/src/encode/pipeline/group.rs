//! Some pretokens of a text, side by side.

use crate::encode::pretoken::encoding::Outcome;
use crate::encode::supermerge::pair_table::Join;
use crate::pretokenize::key::Key;

/// How many pretokens go through together at most: by the time that the first is compared, the
/// memory for all of them is on its way.
pub(crate) const GROUP: usize = 512;

/// How many of them have bits in one word.
pub(crate) const PART: usize = 64;

/// A bit for each of them.
pub(crate) type Bits = [u64; GROUP / PART];

/// A group of pretokens.
pub(crate) struct Group {
    /// Where the first starts in the text, and where each of them ends.
    pub(crate) cuts: [usize; GROUP + 1],
    /// Their keys, and where those belong.
    pub(crate) keys: [Key; GROUP],
    pub(crate) places: [u32; GROUP],
    /// What becomes of the pretoken before the group if it waits, and of each of them, and of which
    /// kinds that is.
    pub(crate) outcomes: [Outcome; GROUP + 1],
    pub(crate) kinds: [u8; GROUP + PART],
    /// Those that are not where they belong.
    pub(crate) missing: [u32; GROUP],
    /// Those that are the same as another that is new, after that.
    pub(crate) again: [(u32, u32); GROUP],
    /// Where boundaries belong that some may have with the one before.
    pub(crate) asked: [u32; GROUP],
    /// How those that stand in one unit with the one before are joined with it.
    pub(crate) joins: [Join; GROUP],
}

impl Group {
    /// Room for one.
    pub(crate) fn new() -> Box<Group> {
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
    pub(crate) fn set(&mut self, place: usize, outcome: Outcome) {
        self.outcomes[place] = outcome;
        self.kinds[place] = outcome.kind as u8;
    }
}
