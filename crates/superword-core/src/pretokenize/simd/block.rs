//! Sixty-four bytes of text as bit masks, one mask a class, so that a rule about neighbouring
//! characters is a few operations on words instead of a walk with branches.
//!
//! Bit `i` of every mask stands for byte `i`. A character's class is at its first byte; the bytes
//! after it are in `tail`. A block starts where a pretoken starts, and since no pattern looks
//! back, what comes before it plays no role.

use crate::pretokenize::simd::ascii::Ascii;
use crate::pretokenize::unicode::class::{
    BLANK, CLASSES, CONTROL, Class, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCT, TITLE, Text, UPPER,
    WHITE,
};

/// How many bytes a block has.
pub(crate) const WIDTH: usize = 64;

/// Starts of pretokens at or past this byte stay undecided: rules look up to four bytes ahead.
pub(crate) const REACH: u32 = 60;

/// The masks of one block.
pub(crate) struct Block<'t> {
    /// The text, for the few rules that ask for a particular letter.
    pub(crate) bytes: &'t [u8],
    class: [u64; CLASSES],
    /// Bytes that are not the first of their character.
    pub(crate) tail: u64,
    /// First bytes of characters beyond ASCII.
    pub(crate) wide: u64,
    /// `'`
    pub(crate) quote: u64,
    /// `_`
    pub(crate) underscore: u64,
}

/// Where pretokens start in a block, beside its first byte.
pub(crate) struct Starts {
    /// The starts, as far as they are known.
    pub(crate) mask: u64,
    /// Whether something that the masks cannot decide limited them, and not the block's end.
    pub(crate) odd: bool,
}

impl<'t> Block<'t> {
    /// A block of which the first bytes are given, and of which all characters are ASCII.
    #[inline(always)]
    pub(crate) fn ascii(bytes: &'t [u8], ascii: &Ascii) -> Block<'t> {
        let mut class = [0; CLASSES];
        class[UPPER as usize] = ascii.upper;
        class[LOWER as usize] = ascii.lower;
        class[NUMBER as usize] = ascii.digit;
        class[BLANK as usize] = ascii.blank;
        class[NEWLINE as usize] = ascii.newline;
        class[WHITE as usize] = ascii.white & !ascii.newline;
        class[CONTROL as usize] = ascii.control & !ascii.white;
        let known = ascii.upper | ascii.lower | ascii.digit | ascii.blank | ascii.control;
        class[PUNCT as usize] = !known;
        let &Ascii { quote, underscore, .. } = ascii;
        Block { bytes, class, tail: 0, wide: 0, quote, underscore }
    }

    /// The block of the text that begins at `at`.
    #[inline(always)]
    pub(crate) fn new(text: Text<'t>, at: usize, ascii: &Ascii) -> Block<'t> {
        let mut block = Block::ascii(&text.bytes[at..], ascii);
        block.class[PUNCT as usize] &= !ascii.high;
        block.tail = ascii.tail;
        block.wide = ascii.high & !ascii.tail;
        let mut leads = block.wide;
        while leads != 0 {
            let i = leads.trailing_zeros();
            block.class[text.peek(at + i as usize).0 as usize] |= 1 << i;
            leads &= leads - 1;
        }
        block
    }

    /// Where characters of a class start.
    #[inline(always)]
    pub(crate) fn of(&self, class: Class) -> u64 {
        self.class[class as usize]
    }

    /// Where characters of `\p{L}` start.
    #[inline(always)]
    pub(crate) fn letter(&self) -> u64 {
        self.of(UPPER) | self.of(LOWER) | self.of(TITLE) | self.of(OTHER)
    }

    /// Where characters of `\s` start.
    #[inline(always)]
    pub(crate) fn space(&self) -> u64 {
        self.of(BLANK) | self.of(WHITE) | self.of(NEWLINE)
    }

    /// From here on, a mark is part of the character before it.
    #[inline(always)]
    pub(crate) fn join_marks(&mut self) {
        self.tail |= self.of(MARK);
    }

    /// Where characters come right after one of those that start in `mask`.
    ///
    /// The bytes between are a run in `tail`; adding its first bit carries through to its end.
    #[inline(always)]
    pub(crate) fn after(&self, mask: u64) -> u64 {
        let next = mask << 1;
        (self.tail.wrapping_add(next & self.tail) | next) & !self.tail
    }

    /// Every byte of the characters that start in `mask`.
    #[inline(always)]
    pub(crate) fn whole(&self, mask: u64) -> u64 {
        let first = mask << 1 & self.tail;
        mask | (self.tail & !self.tail.wrapping_add(first))
    }
}

/// Which of `starts` are known: those before `limit` and before the first odd byte.
#[inline(always)]
pub(crate) fn known(starts: u64, limit: u32, odd: u64) -> Starts {
    let first_odd = odd.trailing_zeros();
    let known = limit.min(first_odd);
    let mask = starts & !1 & ((1 << known) - 1);
    Starts { mask, odd: first_odd < limit }
}

/// The first byte of the run of ones in `mask` that reaches up to byte `end` (not included).
#[inline(always)]
pub(crate) fn run_start(mask: u64, end: u32) -> u32 {
    u64::BITS - (!mask & ((1 << end) - 1)).leading_zeros()
}

/// The end of the run of ones in `mask` that begins at byte `start`.
#[inline(always)]
pub(crate) fn run_end(mask: u64, start: u32) -> u32 {
    start + (!mask >> start).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_skips_the_rest_of_a_character() {
        let text = format!("aé语😀b{}", " ".repeat(WIDTH));
        let ascii = Ascii::of(text.as_bytes().first_chunk().expect("a whole block"));
        let block = Block::new(Text::new(&text), 0, &ascii);
        let starts = 0b0100_0100_1011;
        let first = [0, 1, 3, 6, 10].map(|i| 1_u64 << i);
        assert_eq!(starts | 1 << 10, first.iter().sum::<u64>());
        for pair in first.windows(2) {
            assert_eq!(block.after(pair[0]), pair[1]);
        }
        assert_eq!(block.whole(first[2]), 0b11_1000);
    }

    #[test]
    fn runs_are_found_from_both_ends() {
        assert_eq!(run_start(0b0111_0110, 7), 4);
        assert_eq!(run_start(0b111, 3), 0);
        assert_eq!(run_end(0b0111_0110, 4), 7);
        assert_eq!(run_end(0b0111_0110, 3), 3);
    }
}
