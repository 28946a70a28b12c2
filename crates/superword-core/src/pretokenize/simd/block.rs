//! Sixty-four bytes of text as bit masks, one mask for each character class. A rule about
//! neighbouring characters is then a few operations on words instead of a loop with branches.
//!
//! Bit `i` of every mask is byte `i`. The class of a character is at its first byte; its other
//! bytes are in `tail`. A block starts at the start of a pretoken. Since no pattern looks back, the
//! text before the block does not matter.

use crate::pretokenize::simd::ascii_masks::AsciiMasks;
use crate::pretokenize::unicode::class::{
    BLANK, CLASS_LIMIT, CONTROL, Class, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCT, TITLE, Text,
    UPPER, WHITE,
};

/// The number of bytes in a block.
pub(crate) const WIDTH: usize = 64;

/// Starts at or past this byte stay undecided, because rules look up to four bytes ahead.
pub(crate) const REACH: u32 = 60;

/// The masks of one block.
pub(crate) struct Block<'t> {
    /// The text from the block on, for the few rules that name a particular letter.
    pub(crate) bytes: &'t [u8],
    class: [u64; CLASS_LIMIT],
    /// Bytes that are not the first of their character.
    pub(crate) tail: u64,
    /// First bytes of characters beyond ASCII.
    pub(crate) wide: u64,
    /// `'`
    pub(crate) quote: u64,
    /// `_`
    pub(crate) underscore: u64,
}

/// The pretokens that start in a block, other than the one at its first byte.
pub(crate) struct Starts {
    /// The starts that are certain.
    pub(crate) mask: u64,
    /// Whether the masks could not decide some byte before the end of the block.
    pub(crate) is_cut_short: bool,
}

impl Starts {
    /// Keeps the starts before `limit` and before the first undecided byte.
    #[inline(always)]
    pub(crate) fn decided(starts: u64, limit: u32, undecided: u64) -> Starts {
        let first_undecided = undecided.trailing_zeros();
        let end = limit.min(first_undecided);
        let mask = starts & !1 & ((1 << end) - 1);
        Starts { mask, is_cut_short: first_undecided < limit }
    }
}

impl<'t> Block<'t> {
    /// Creates a block of ASCII characters at the start of `bytes`.
    #[inline(always)]
    pub(crate) fn from_ascii(bytes: &'t [u8], ascii: &AsciiMasks) -> Block<'t> {
        let mut class = [0; CLASS_LIMIT];
        class[UPPER as usize] = ascii.upper;
        class[LOWER as usize] = ascii.lower;
        class[NUMBER as usize] = ascii.digit;
        class[BLANK as usize] = ascii.blank;
        class[NEWLINE as usize] = ascii.newline;
        class[WHITE as usize] = ascii.white & !ascii.newline;
        class[CONTROL as usize] = ascii.control & !ascii.white;
        let known = ascii.upper | ascii.lower | ascii.digit | ascii.blank | ascii.control;
        class[PUNCT as usize] = !known;
        let &AsciiMasks { quote, underscore, .. } = ascii;
        Block { bytes, class, tail: 0, wide: 0, quote, underscore }
    }

    /// Creates the block at the start of these bytes, which are at `at` in the text.
    #[inline(always)]
    pub(crate) fn new(
        bytes: &'t [u8],
        text: &Text<'_>,
        at: usize,
        ascii: &AsciiMasks,
    ) -> Block<'t> {
        let mut block = Block::from_ascii(bytes, ascii);
        block.class[PUNCT as usize] &= !ascii.high;
        block.tail = ascii.tail;
        block.wide = ascii.high & !ascii.tail;
        let mut leads = block.wide;
        while leads != 0 {
            let i = leads.trailing_zeros();
            let (class, _) = text.peek_wide(at + i as usize);
            block.class[class as usize % CLASS_LIMIT] |= 1 << i;
            leads &= leads - 1;
        }
        block
    }

    /// The characters of a class.
    #[inline(always)]
    pub(crate) fn mask(&self, class: Class) -> u64 {
        self.class[class as usize]
    }

    /// The characters of `\p{L}`.
    #[inline(always)]
    pub(crate) fn letters(&self) -> u64 {
        self.mask(UPPER) | self.mask(LOWER) | self.mask(TITLE) | self.mask(OTHER)
    }

    /// The characters of `\s`.
    #[inline(always)]
    pub(crate) fn white_space(&self) -> u64 {
        self.mask(BLANK) | self.mask(WHITE) | self.mask(NEWLINE)
    }

    /// Makes each mark a part of the character before it.
    #[inline(always)]
    pub(crate) fn join_marks(&mut self) {
        self.tail |= self.mask(MARK);
    }

    /// The characters that follow a character in `mask`.
    ///
    /// The bytes in between are a run in `tail`. Adding its first bit carries to its end.
    #[inline(always)]
    pub(crate) fn after(&self, mask: u64) -> u64 {
        let next = mask << 1;
        (self.tail.wrapping_add(next & self.tail) | next) & !self.tail
    }

    /// All bytes of the characters in `mask`.
    #[inline(always)]
    pub(crate) fn all_bytes(&self, mask: u64) -> u64 {
        let first = mask << 1 & self.tail;
        mask | (self.tail & !self.tail.wrapping_add(first))
    }
}

/// Returns the first byte of the run of ones in `mask` that ends before byte `end`.
#[inline(always)]
pub(crate) fn find_run_start(mask: u64, end: u32) -> u32 {
    u64::BITS - (!mask & ((1 << end) - 1)).leading_zeros()
}

/// Returns the end of the run of ones in `mask` that starts at byte `start`.
#[inline(always)]
pub(crate) fn find_run_end(mask: u64, start: u32) -> u32 {
    start + (!mask >> start).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_skips_the_rest_of_a_character() {
        let text = format!("aé语😀b{}", " ".repeat(WIDTH));
        let bytes = text.as_bytes().first_chunk().expect("a whole block");
        let block = Block::new(bytes, &Text::new(&text), 0, &AsciiMasks::new(bytes));
        let first = [0, 1, 3, 6, 10].map(|i| 1_u64 << i);
        for pair in first.windows(2) {
            assert_eq!(block.after(pair[0]), pair[1]);
        }
        assert_eq!(block.all_bytes(first[2]), 0b11_1000);
    }

    #[test]
    fn runs_are_found_from_both_ends() {
        assert_eq!(find_run_start(0b0111_0110, 7), 4);
        assert_eq!(find_run_start(0b111, 3), 0);
        assert_eq!(find_run_end(0b0111_0110, 4), 7);
        assert_eq!(find_run_end(0b0111_0110, 3), 3);
    }
}
