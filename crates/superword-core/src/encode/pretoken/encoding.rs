//! What a pretoken becomes.

use crate::encode::supermerge::table::Unit;

/// How many tokens an outcome holds itself.
const INLINE: usize = 3;
/// How many words an outcome has.
pub(crate) const WORDS: usize = INLINE + 1;

/// The bits of a kind that say how many tokens the outcome holds.
const COUNT: u32 = 3;
/// It is a unit that is open at some time: its token, from when on, its number if it is fickle.
/// Superwords have a boundary after it, or before it.
pub(crate) const ENDS: u32 = 4;
pub(crate) const BEGINS: u32 = 8;
/// It does not hold its tokens.
pub(crate) const ELSEWHERE: u32 = 16;
/// They are in a list: where they start, and how many they are. The encoder's, or a cache's.
pub(crate) const LISTED: u32 = ELSEWHERE | 32;
pub(crate) const CACHED: u32 = ELSEWHERE | 64;
/// It is open, but not for good.
const FICKLE: u32 = ELSEWHERE | 128;

/// What a pretoken becomes: some tokens, or an open unit.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct Outcome {
    pub(crate) data: [u32; INLINE],
    pub(crate) kind: u32,
}

impl Outcome {
    /// Tokens that no supermerge joins; they go to the list, of this kind, if they are many.
    #[inline(always)]
    pub(crate) fn plain(
        tokens: impl IntoIterator<Item = u32>,
        kind: u32,
        list: &mut Vec<u32>,
    ) -> Outcome {
        let mut tokens = tokens.into_iter();
        let mut data = [0; INLINE];
        for (count, place) in (0..).zip(&mut data) {
            let Some(token) = tokens.next() else { return Outcome { data, kind: count } };
            *place = token;
        }
        let Some(token) = tokens.next() else { return Outcome { data, kind: INLINE as u32 } };
        let start = list.len();
        list.extend(data.into_iter().chain([token]).chain(tokens));
        Outcome { data: [start as u32, (list.len() - start) as u32, 0], kind }
    }

    /// A unit, and whether superwords have boundaries after and before it.
    pub(crate) fn open(unit: Unit, ends: bool, begins: bool) -> Outcome {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let sides = flag(ends, ENDS) | flag(begins, BEGINS);
        let kind = 1 | sides | flag(unit.fickle != 0, FICKLE);
        Outcome { data: [unit.token, unit.from, unit.fickle], kind }
    }

    /// The unit that it is.
    #[inline]
    pub(crate) fn unit(self) -> Unit {
        let [token, from, fickle] = self.data;
        Unit { token, from, fickle }
    }

    /// All that it is, the tokens that it holds first.
    #[inline]
    pub(crate) fn words(self) -> [u32; WORDS] {
        let [first, second, third] = self.data;
        [first, second, third, self.kind]
    }

    /// Whether superwords have a boundary after it, as a bit.
    #[inline]
    pub(crate) fn ends(self) -> u64 {
        ((self.kind / ENDS) & 1).into()
    }

    /// Whether it does not hold its tokens, as a bit.
    #[inline]
    pub(crate) fn is_elsewhere(self) -> u64 {
        ((self.kind / ELSEWHERE) & 1).into()
    }

    /// How many tokens it holds, if it does.
    #[inline]
    pub(crate) fn count(self) -> usize {
        (self.kind & COUNT) as usize
    }

    /// The tokens in a list.
    pub(crate) fn list(self, list: &[u32]) -> &[u32] {
        &list[self.data[0] as usize..][..self.data[1] as usize]
    }
}

impl From<Unit> for Outcome {
    /// A unit that is not joined any more.
    #[inline]
    fn from(unit: Unit) -> Outcome {
        Outcome::open(unit, false, false)
    }
}
