//! What a pretoken becomes.

use super::phrases::Unit;

/// How many tokens an outcome holds itself.
pub(super) const INLINE: usize = 3;

/// The bits of a kind that say how many tokens the outcome holds.
const COUNT: u32 = 3;
/// The tokens are in a list: where they start, and how many they are. The encoder's, or a cache's.
pub(super) const LISTED: u32 = 4;
pub(super) const CACHED: u32 = 8;
/// It is a unit that is open at some time: its token, from when on, its number if it is fickle.
/// Superwords have a boundary after it, or before it.
pub(super) const ENDS: u32 = 16;
pub(super) const BEGINS: u32 = 32;
/// It is open, but not for good.
pub(super) const FICKLE: u32 = 64;

/// What a pretoken becomes: some tokens, or an open unit.
#[derive(Clone, Copy, Default)]
pub(super) struct Outcome {
    pub(super) kind: u32,
    pub(super) data: [u32; INLINE],
}

impl Outcome {
    /// Tokens that no supermerge joins; they go to the list, of this kind, if they are many.
    pub(super) fn plain(tokens: &[u32], kind: u32, list: &mut Vec<u32>) -> Outcome {
        let mut data = [0; INLINE];
        if tokens.len() <= INLINE {
            data[..tokens.len()].copy_from_slice(tokens);
            return Outcome { kind: tokens.len() as u32, data };
        }
        data[0] = list.len() as u32;
        data[1] = tokens.len() as u32;
        list.extend_from_slice(tokens);
        Outcome { kind, data }
    }

    /// A unit, and whether superwords have boundaries after and before it.
    pub(super) fn open(unit: Unit, ends: bool, begins: bool) -> Outcome {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let sides = flag(ends, ENDS) | flag(begins, BEGINS);
        let kind = 1 | sides | flag(unit.fickle != 0, FICKLE);
        Outcome { kind, data: [unit.token, unit.from, unit.fickle] }
    }

    /// The unit that it is.
    #[inline]
    pub(super) fn unit(self) -> Unit {
        let [token, from, fickle] = self.data;
        Unit { token, from, fickle }
    }

    /// How many tokens it holds.
    #[inline]
    pub(super) fn count(self) -> usize {
        (self.kind & COUNT) as usize
    }

    /// Whether it does not hold its tokens.
    #[inline]
    pub(super) fn is_elsewhere(self) -> bool {
        self.kind & (LISTED | CACHED | FICKLE) != 0
    }

    /// The tokens in a list.
    pub(super) fn list(self, list: &[u32]) -> &[u32] {
        &list[self.data[0] as usize..][..self.data[1] as usize]
    }
}
