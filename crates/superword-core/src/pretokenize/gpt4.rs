//! `gpt4`: the pattern of GPT-4.

use super::block::{Block, Starts, known};
use super::class::{BLANK, LETTER, NEWLINE, NUMBER, Set, Text};
use super::gpt::{
    contraction, digit_starts, digits, line_starts, newlines, symbols, trailing_newlines,
    white_or_lines, wide_space,
};
use super::scan::Grammar;

/// The regex that the scanner stands for.
pub(super) const REGEX: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|",
    r"\s*[\r\n]|\s+(?!\S)|\s+"
);

/// What no `[^\r\n\p{L}\p{N}]?` before a word takes, beside letters.
const BARE: Set = Set::of(&[NEWLINE, NUMBER]);

#[derive(Default)]
pub(super) struct Gpt4;

impl Grammar for Gpt4 {
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
            return digits(text, at);
        }
        match symbols(text, at) {
            Some(end) => newlines(text, end),
            None => white_or_lines(text, at),
        }
    }

    #[inline]
    fn starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.space();
        let letter = block.letter();
        let symbol = !(letter | block.of(NUMBER) | space | block.tail);
        let symbols = symbol & !block.after(symbol) & !(block.of(BLANK) << 1);
        let inline = space & !block.of(NEWLINE);
        let words = letter & !block.after(letter | symbols) & !(inline << 1);
        let (lines, limit) = line_starts(block, space & !trailing_newlines(block, symbol));
        let mut starts = words | symbols | digit_starts(block) | lines;
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
