//! `punct`: words with an optional space before them, split from symbols (Dagan et al., 2024).

use crate::pretokenize::scanners::gpt_rules::{
    find_digit_starts, find_trailing_newlines, find_white_space_starts, find_wide_white_space,
    match_digits, match_lines_or_white_space, match_newlines, match_symbols,
};
use crate::pretokenize::scanners::scan::Grammar;
use crate::pretokenize::simd::block::{Block, Starts};
use crate::pretokenize::unicode::class::{BLANK, LETTER, NUMBER, Text};

/// The regex of this pattern.
pub(crate) const REGEX: &str =
    r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The grammar of this pattern.
#[derive(Default)]
pub(crate) struct Punct;

impl Grammar for Punct {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        let word = at + usize::from(text.bytes[at] == b' ');
        if text.is_in(word, LETTER) {
            return text.skip_run(word, LETTER);
        }
        if text.peek(at).0 == NUMBER {
            return match_digits(text, at);
        }
        match match_symbols(text, at) {
            Some(end) => match_newlines(text, end),
            None => match_lines_or_white_space(text, at),
        }
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.white_space();
        let letter = block.letters();
        let symbol = !(letter | block.mask(NUMBER) | space | block.tail);
        let unspaced = |class: u64| class & !block.after(class) & !(block.mask(BLANK) << 1);
        let (lines, limit) =
            find_white_space_starts(block, space & !find_trailing_newlines(block, symbol));
        let starts = unspaced(letter) | unspaced(symbol) | find_digit_starts(block) | lines;
        Starts::decided(starts, limit, find_wide_white_space(block))
    }
}
