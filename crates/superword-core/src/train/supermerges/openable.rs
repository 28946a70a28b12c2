//! The pretokens that open at some time.

use crate::count::{FragmentSymbol, PretokenCounts, PretokenMap};
use crate::train::engine::TrainingToken;
use crate::train::merges::MergeSteps;

/// The position of a pretoken in the list of openable pretokens. Fragments that are counted outside
/// this process consist of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenableIndex(pub(crate) u32);

impl From<OpenableIndex> for FragmentSymbol {
    fn from(index: OpenableIndex) -> FragmentSymbol {
        FragmentSymbol(index.0)
    }
}

/// The eligible pretokens that merges make one token, and those of a single byte.
pub(crate) struct OpenablePretokens {
    /// The tokens of the pretokens, as symbols of fragments.
    pub(crate) symbols: PretokenMap<FragmentSymbol>,
    /// Those of a single byte, which are open from the start.
    pub(crate) single_bytes: Vec<TrainingToken>,
    /// All of them in the order in which they first open, by `OpenableIndex`.
    pub(crate) tokens: Vec<TrainingToken>,
}

impl OpenablePretokens {
    /// Finds the counted pretokens that merges open.
    pub(crate) fn new(counts: &PretokenCounts, merges: &MergeSteps) -> OpenablePretokens {
        let spell = |token| merges.tokens.bytes(token);
        let bytes = TrainingToken::bytes();
        let single_bytes: Vec<_> = bytes.filter(|&byte| counts.has_eligible(spell(byte))).collect();
        let opened = merges.steps.iter().filter(|step| step.opens).map(|step| step.token);
        let mut symbols = PretokenMap::new();
        let mut tokens = Vec::new();
        for token in single_bytes.iter().copied().chain(opened) {
            if counts.has_eligible(spell(token)) && symbols.find(spell(token)).is_none() {
                symbols.insert(spell(token), FragmentSymbol::from(token));
                tokens.push(token);
            }
        }
        OpenablePretokens { symbols, single_bytes, tokens }
    }
}
