//! `punct`: words with at most a space before them, symbols apart (Dagan et al., 2024).

use crate::pretokenize::scan::Grammar;
use crate::pretokenize::scanners::gpt::{
    digit_starts, digits, line_starts, newlines, symbols, trailing_newlines, white_or_lines,
    wide_space,
};
use crate::pretokenize::simd::block::{Block, Starts, known};
use crate::pretokenize::unicode::class::{BLANK, LETTER, NUMBER, Text};

/// The regex that the scanner stands for.
pub(crate) const REGEX: &str =
    r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

#[derive(Default)]
pub(crate) struct Punct;

impl Grammar for Punct {
    fn end(&mut self, text: Text, at: usize) -> usize {
        let word = at + usize::from(text.bytes[at] == b' ');
        if text.is(word, LETTER) {
            return text.run(word, LETTER);
        }
        if text.peek(at).0 == NUMBER {
            return digits(text, at);
        }
        match symbols(text, at) {
            Some(end) => newlines(text, end),
            None => white_or_lines(text, at),
        }
    }

    #[inline(always)]
    fn starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.space();
        let letter = block.letter();
        let symbol = !(letter | block.of(NUMBER) | space | block.tail);
        let free = |class: u64| class & !block.after(class) & !(block.of(BLANK) << 1);
        let (lines, limit) = line_starts(block, space & !trailing_newlines(block, symbol));
        let starts = free(letter) | free(symbol) | digit_starts(block) | lines;
        known(starts, limit, wide_space(block))
    }
}
