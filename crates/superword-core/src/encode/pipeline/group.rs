//! A group of neighbouring pretokens.

use crate::encode::numbering::EncoderPair;
use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::supermerge::pair_table::PairJoin;
use crate::pretokenize::key::Key;

/// The most pretokens in a group. By the time the first is probed, the memory of all of them is on its
/// way.
pub(crate) const GROUP_SIZE: usize = 512;

/// The bits in a word.
pub(crate) const WORD_BITS: usize = u64::BITS as usize;

/// A bit for each pretoken of a group.
pub(crate) type GroupBits = [u64; GROUP_SIZE / WORD_BITS];

/// A group of pretokens, as arrays.
pub(crate) struct PretokenGroup {
    /// The offset in the text at which the first pretoken starts, then those at which each ends.
    pub(crate) cuts: [usize; GROUP_SIZE + 1],
    pub(crate) keys: [Key; GROUP_SIZE],
    /// The home line of each pretoken.
    pub(crate) homes: [u32; GROUP_SIZE],
    /// The encoding of the pretoken before the group if it is pending, then that of each pretoken.
    pub(crate) encodings: [PretokenEncoding; GROUP_SIZE + 1],
    /// The kinds of the encodings, and padding for reads of whole words.
    pub(crate) kinds: [u8; GROUP_SIZE + WORD_BITS],
    /// The indices of pretokens that are not in their home line.
    pub(crate) missing: [u32; GROUP_SIZE],
    pub(crate) duplicates: [Duplicate; GROUP_SIZE],
    /// The pairs of pretokens that may be boundaries inside superwords, in order.
    pub(crate) pair_probes: [PairProbe; GROUP_SIZE],
    /// The first rules that join such pretokens with the one before.
    pub(crate) joins: [PairJoin; GROUP_SIZE],
    /// The first of each two, and of each three, pretokens that can end up in one token.
    pub(crate) pairs: [u32; GROUP_SIZE],
    pub(crate) triples: [u32; GROUP_SIZE],
    /// Longer runs of such pretokens.
    pub(crate) runs: [UnitRun; GROUP_SIZE],
}

/// A run of encodings that can end up in one token, from the first to the last.
#[derive(Clone, Copy, Default)]
pub(crate) struct UnitRun {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Two neighbouring pretokens that may be a boundary inside superwords.
#[derive(Clone, Copy)]
pub(crate) struct PairProbe {
    pub(crate) pair: EncoderPair,
    /// The home line of the pair.
    pub(crate) home: u32,
    /// The index of the second one.
    pub(crate) index: u32,
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
            encodings: [PretokenEncoding::default(); GROUP_SIZE + 1],
            kinds: [0; GROUP_SIZE + WORD_BITS],
            missing: [0; GROUP_SIZE],
            duplicates: [Duplicate::default(); GROUP_SIZE],
            pair_probes: [PairProbe { pair: EncoderPair::NONE, home: 0, index: 0 }; GROUP_SIZE],
            joins: [PairJoin::default(); GROUP_SIZE],
            pairs: [0; GROUP_SIZE],
            triples: [0; GROUP_SIZE],
            runs: [UnitRun::default(); GROUP_SIZE],
        })
    }

    /// Sets an encoding and its kind.
    #[inline(always)]
    pub(crate) fn set(&mut self, index: usize, encoding: PretokenEncoding) {
        self.encodings[index] = encoding;
        self.kinds[index] = encoding.kind as u8;
    }
}
