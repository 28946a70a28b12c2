//! `gpt4`: the pattern of GPT-4, and two that are nearly the same.

use crate::pretokenize::scan::Grammar;
use crate::pretokenize::scanners::gpt::{
    contraction, digit_starts, digits, line_starts, newlines, symbols, trailing_newlines,
    white_or_lines, wide_space,
};
use crate::pretokenize::simd::block::{Block, Starts, known};
use crate::pretokenize::unicode::class::{BLANK, LETTER, NEWLINE, NUMBER, SPACE, Set, Text};

/// The regex that the scanner stands for.
pub(crate) const REGEX: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|",
    r"\s*[\r\n]|\s+(?!\S)|\s+"
);

/// Another spelling that gives the same, of Llama 3.
pub(crate) const SPELLING: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// As tiktoken spells it for `cl100k_base`: white space at the end of a text is one pretoken.
pub(crate) const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);

/// As Qwen 2 and 3 have it: each digit is a pretoken.
pub(crate) const QWEN: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// What no `[^\r\n\p{L}\p{N}]?` before a word takes, beside letters.
const BARE: Set = Set::of(&[NEWLINE, NUMBER]);

/// The scanner. `DIGITS`: whether up to three digits are one pretoken. `END`: whether all white space
/// at the end of the text is.
#[derive(Default)]
pub(crate) struct Gpt4<const DIGITS: bool, const END: bool>;

impl<const DIGITS: bool, const END: bool> Grammar for Gpt4<DIGITS, END> {
    fn end(&mut self, text: Text, at: usize) -> usize {
        if let Some(end) = contraction(text.bytes, at, true) {
            return end;
        }
        let (class, next) = text.peek(at);
        let word = if LETTER.has(class) || BARE.has(class) { at } else { next };
        if text.is(word, LETTER) {
            return text.run(word, LETTER);
        }
        if class == NUMBER {
            return if DIGITS { digits(text, at) } else { next };
        }
        match symbols(text, at) {
            Some(end) => newlines(text, end),
            None if END && text.run(at, SPACE) == text.bytes.len() => text.bytes.len(),
            None => white_or_lines(text, at),
        }
    }

    #[inline(always)]
    fn starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.space();
        let letter = block.letter();
        let symbol = !(letter | block.of(NUMBER) | space | block.tail);
        let symbols = symbol & !block.after(symbol) & !(block.of(BLANK) << 1);
        let inline = space & !block.of(NEWLINE);
        let words = letter & !block.after(letter | symbols) & !(inline << 1);
        let (lines, limit) = line_starts(block, space & !trailing_newlines(block, symbol));
        let digits = if DIGITS { digit_starts(block) } else { block.of(NUMBER) };
        let mut starts = words | symbols | digits | lines;
        let mut quotes = block.quote & symbols;
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            if let Some(end) = contraction(block.bytes, at as usize, true) {
                starts |= 1_u64.checked_shl(end as u32).unwrap_or(0);
            }
            quotes &= quotes - 1;
        }
        known(starts, limit, wide_space(block))
    }
}
