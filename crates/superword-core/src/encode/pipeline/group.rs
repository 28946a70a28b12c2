//! A group of neighbouring pretokens.

use crate::encode::pipeline::bits::IndexList;
use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::supermerge::pair_table::PairJoin;
use crate::encode::supermerge::short_run::{SHORT_RUN, ShortenedRun};
use crate::pretokenize::key::Key;

/// The most pretokens in a group. By the time the first is probed, the memory of all of them is on its
/// way.
pub(crate) const GROUP_SIZE: usize = 512;

/// The most runs of three units or more in a group, rounded up to a power of two.
pub(crate) const LONG_RUNS: usize = (GROUP_SIZE / 3).next_power_of_two();

/// The most runs of more than three units in a group.
pub(crate) const LONGER_RUNS: usize = GROUP_SIZE / 4;

/// The lengths of such runs that are short.
pub(crate) const LENGTHS: usize = SHORT_RUN - 3;

/// The bits in a word.
pub(crate) const WORD_BITS: usize = u64::BITS as usize;

/// A bit for each pretoken of a group.
pub(crate) type GroupBits = [u64; GROUP_SIZE / WORD_BITS];

/// A group of pretokens, as arrays.
pub(crate) struct PretokenGroup {
    /// The offset in the text at which the first pretoken starts, then those at which each ends.
    pub(crate) cuts: [usize; GROUP_SIZE + 1],
    pub(crate) keys: [Key; GROUP_SIZE],
    /// The home of each pretoken.
    pub(crate) homes: [usize; GROUP_SIZE],
    /// The pretokens that have no key yet because they are long or near the end of the text.
    pub(crate) unkeyed: IndexList,
    /// The encoding of the pretoken before the group if it is pending, then that of each pretoken.
    pub(crate) encodings: [PretokenEncoding; GROUP_SIZE + 1],
    /// The kinds of the encodings, and padding for reads of whole words.
    pub(crate) kinds: [u8; GROUP_SIZE + WORD_BITS],
    /// Whether each pretoken is not in its home line, and padding; then the indices of those.
    pub(crate) is_missing: [u8; GROUP_SIZE + WORD_BITS],
    pub(crate) missing: IndexList,
    pub(crate) duplicates: [Duplicate; GROUP_SIZE],
    /// The pretokens after which there may be a boundary inside superwords, and the home of each with the
    /// next.
    pub(crate) possible: IndexList,
    pub(crate) pair_homes: [usize; GROUP_SIZE],
    /// Whether there is such a boundary after each of them, and padding for reads of whole words.
    pub(crate) is_boundary: [u8; GROUP_SIZE + WORD_BITS],
    /// The first rules that join such pretokens with the next, and padding for reads of whole runs.
    pub(crate) joins: [PairJoin; GROUP_SIZE + 1],
    /// The first pretokens of runs of two, of three, and of more that can end up in one token.
    pub(crate) pairs: IndexList,
    pub(crate) triples: IndexList,
    pub(crate) longer: IndexList,
    /// The short ones of the longer runs by length.
    pub(crate) by_length: [[u32; LONGER_RUNS]; LENGTHS],
    /// The runs that a rule has shortened.
    pub(crate) shortened: [ShortenedRun; LONG_RUNS],
}

/// A new pretoken that equals an earlier new pretoken of the group.
#[derive(Clone, Copy, Default)]
pub(crate) struct Duplicate {
    /// The index of the earlier one.
    pub(crate) first: u32,
    pub(crate) index: u32,
}

impl PretokenGroup {
    /// Creates an empty group.
    pub(crate) fn new() -> Box<PretokenGroup> {
        Box::new(PretokenGroup {
            cuts: [0; GROUP_SIZE + 1],
            keys: [Key::default(); GROUP_SIZE],
            homes: [0; GROUP_SIZE],
            unkeyed: [0; GROUP_SIZE + WORD_BITS],
            encodings: [PretokenEncoding::default(); GROUP_SIZE + 1],
            kinds: [0; GROUP_SIZE + WORD_BITS],
            is_missing: [0; GROUP_SIZE + WORD_BITS],
            missing: [0; GROUP_SIZE + WORD_BITS],
            duplicates: [Duplicate::default(); GROUP_SIZE],
            possible: [0; GROUP_SIZE + WORD_BITS],
            pair_homes: [0; GROUP_SIZE],
            is_boundary: [0; GROUP_SIZE + WORD_BITS],
            joins: [PairJoin::default(); GROUP_SIZE + 1],
            pairs: [0; GROUP_SIZE + WORD_BITS],
            triples: [0; GROUP_SIZE + WORD_BITS],
            longer: [0; GROUP_SIZE + WORD_BITS],
            by_length: [[0; LONGER_RUNS]; LENGTHS],
            shortened: [ShortenedRun::default(); LONG_RUNS],
        })
    }

    /// Sets an encoding and its kind.
    #[inline(always)]
    pub(crate) fn set(&mut self, index: usize, encoding: PretokenEncoding) {
        self.encodings[index] = encoding;
        self.kinds[index] = encoding.kind as u8;
    }
}
