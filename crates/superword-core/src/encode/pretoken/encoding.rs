//! The encoding of a pretoken: its tokens, or an open unit that supermerges may join.

use crate::encode::numbering::EncoderToken;
use crate::encode::supermerge::table::{BoundarySides, OpenUnit};

/// The number of tokens that an encoding holds inline.
const INLINE: usize = 3;
/// The number of words of an encoding.
pub(crate) const WORDS: usize = INLINE + 1;

/// The bits of a kind that hold the number of inline tokens.
const COUNT: u32 = 3;
/// It is an open unit, and superwords contain a boundary after it.
pub(crate) const BOUNDARY_AFTER: u32 = 4;
/// It is an open unit, and superwords contain a boundary before it.
pub(crate) const BOUNDARY_BEFORE: u32 = 8;
/// Its tokens are not inline.
pub(crate) const SPILLED: u32 = 16;
/// Its tokens are in the encoder's list.
pub(crate) const IN_MODEL: u32 = SPILLED | 32;
/// Its tokens are in the cache's list.
pub(crate) const IN_CACHE: u32 = SPILLED | 64;
/// It is an open unit that is not open from some step on for good.
const REOPENED: u32 = SPILLED | 128;

/// The encoding of a pretoken, in 16 bytes.
///
/// `data` holds up to three tokens; or the offset and the length of more in a list; or the fields of
/// an [`OpenUnit`], of which the first is its token.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct PretokenEncoding {
    pub(crate) data: [u32; INLINE],
    pub(crate) kind: u32,
}

impl PretokenEncoding {
    /// Creates the encoding of tokens that no supermerge joins. If they are many they go to the list
    /// `spilled`, which `spilled_kind` names.
    #[inline(always)]
    pub(crate) fn from_tokens(
        tokens: impl IntoIterator<Item = EncoderToken>,
        spilled_kind: u32,
        spilled: &mut Vec<u32>,
    ) -> PretokenEncoding {
        let mut tokens = tokens.into_iter().map(|token| token.0);
        let mut data = [0; INLINE];
        for (count, word) in (0..).zip(&mut data) {
            let Some(token) = tokens.next() else { return PretokenEncoding { data, kind: count } };
            *word = token;
        }
        let Some(token) = tokens.next() else {
            return PretokenEncoding { data, kind: INLINE as u32 };
        };
        let start = spilled.len();
        spilled.extend(data.into_iter().chain([token]).chain(tokens));
        let data = [start as u32, (spilled.len() - start) as u32, 0];
        PretokenEncoding { data, kind: spilled_kind }
    }

    /// Creates the encoding of an open unit with boundaries on these sides.
    pub(crate) fn from_open(unit: OpenUnit, sides: BoundarySides) -> PretokenEncoding {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let sides = flag(sides.after, BOUNDARY_AFTER) | flag(sides.before, BOUNDARY_BEFORE);
        let kind = 1 | sides | flag(unit.reopened != 0, REOPENED);
        PretokenEncoding { data: [unit.token.0, unit.opened_at, unit.reopened], kind }
    }

    /// Returns it with its index moved, if it has one in the list of tokens or of reopened pretokens.
    pub(crate) fn moved_by(mut self, spilled: u32, reopened: u32) -> PretokenEncoding {
        if self.kind == IN_MODEL {
            self.data[0] += spilled;
        } else if self.kind & REOPENED == REOPENED {
            self.data[2] += reopened;
        }
        self
    }

    /// Returns the open unit that it is.
    #[inline]
    pub(crate) fn unit(self) -> OpenUnit {
        let [_, opened_at, reopened] = self.data;
        OpenUnit { token: self.first_token(), opened_at, reopened }
    }

    /// Returns the token of an open unit.
    #[inline(always)]
    pub(crate) fn first_token(self) -> EncoderToken {
        EncoderToken(self.data[0])
    }

    /// Returns the step at which an open unit was opened.
    #[inline(always)]
    pub(crate) fn opened_at(self) -> u32 {
        self.data[1]
    }

    /// Returns all words, the inline tokens first.
    #[inline(always)]
    pub(crate) fn words(self) -> [u32; WORDS] {
        let [first, second, third] = self.data;
        [first, second, third, self.kind]
    }

    /// The inverse of `words`.
    #[inline(always)]
    pub(crate) fn from_words([first, second, third, kind]: [u32; WORDS]) -> PretokenEncoding {
        PretokenEncoding { data: [first, second, third], kind }
    }

    /// Returns 1 if superwords contain a boundary after it, else 0.
    #[inline]
    pub(crate) fn boundary_after(self) -> u64 {
        ((self.kind / BOUNDARY_AFTER) & 1).into()
    }

    /// Returns the number of inline tokens.
    #[inline]
    pub(crate) fn count(self) -> usize {
        (self.kind & COUNT) as usize
    }

    /// Returns its tokens in the list that holds them.
    pub(crate) fn tokens_in(self, spilled: &[u32]) -> &[u32] {
        &spilled[self.data[0] as usize..][..self.data[1] as usize]
    }
}

impl From<OpenUnit> for PretokenEncoding {
    /// Creates the encoding of a unit that no supermerge joins any more.
    #[inline]
    fn from(unit: OpenUnit) -> PretokenEncoding {
        PretokenEncoding::from_open(unit, BoundarySides { after: false, before: false })
    }
}
