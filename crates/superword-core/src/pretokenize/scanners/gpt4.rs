//! `gpt4`: the pattern of GPT-4, and two that are nearly the same.

use crate::pretokenize::scanners::gpt_rules::{
    find_digit_starts, find_trailing_newlines, find_white_space_starts, find_wide_white_space,
    match_contraction, match_digits, match_lines_or_white_space, match_newlines, match_symbols,
    skip_prefix,
};
use crate::pretokenize::scanners::scan::{Grammar, find_run_end};
use crate::pretokenize::simd::block::{Block, Starts};
use crate::pretokenize::unicode::class::{BLANK, ClassSet, LETTER, NEWLINE, NUMBER, SPACE, Text};

/// The regex of this pattern.
pub(crate) const REGEX: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|",
    r"\s*[\r\n]|\s+(?!\S)|\s+"
);

/// The equivalent regex of Llama 3.
pub(crate) const SPELLING: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// The variant of tiktoken's `cl100k_base`: white space at the end of a text is one pretoken.
pub(crate) const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);

/// The variant of Qwen 2 and 3: each digit is a pretoken.
pub(crate) const QWEN: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// The classes that `[^\r\n\p{L}\p{N}]?` excludes, apart from letters.
const BARE: ClassSet = ClassSet::of(&[NEWLINE, NUMBER]);

/// The grammar of this pattern. With `DIGITS`, up to three digits are one pretoken. With `END`, all
/// white space at the end of the text is one pretoken.
#[derive(Default)]
pub(crate) struct Gpt4<const DIGITS: bool, const END: bool>;

impl<const DIGITS: bool, const END: bool> Grammar for Gpt4<DIGITS, END> {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        if let Some(end) = match_contraction(|at| text.byte(at), at, true) {
            return end;
        }
        let (class, next) = text.peek(at);
        let word = if LETTER.contains(class) || BARE.contains(class) { at } else { next };
        if text.is_in(word, LETTER) {
            return text.skip_run(word, LETTER);
        }
        if class == NUMBER {
            return if DIGITS { match_digits(text, at) } else { next };
        }
        match match_symbols(text, at) {
            Some(end) => match_newlines(text, end),
            None if END && text.skip_run(at, SPACE) == text.bytes.len() => text.bytes.len(),
            None => match_lines_or_white_space(text, at),
        }
    }

    fn find_joined_end(text: &Text, at: usize) -> usize {
        let first = skip_prefix(text, at);
        let end = text.skip_run(first, LETTER);
        if end > first { end } else { find_run_end(text, at, first) }
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.white_space();
        let letter = block.letters();
        let symbol = !(letter | block.mask(NUMBER) | space | block.tail);
        let symbols = symbol & !block.after(symbol) & !(block.mask(BLANK) << 1);
        let inline = space & !block.mask(NEWLINE);
        let words = letter & !block.after(letter | symbols) & !(inline << 1);
        let (lines, limit) =
            find_white_space_starts(block, space & !find_trailing_newlines(block, symbol));
        let digits = if DIGITS { find_digit_starts(block) } else { block.mask(NUMBER) };
        let mut starts = words | symbols | digits | lines;
        let mut quotes = block.quote & symbols;
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            if let Some(end) =
                match_contraction(|at| block.bytes.get(at).copied(), at as usize, true)
            {
                starts |= 1_u64.checked_shl(end as u32).unwrap_or(0);
            }
            quotes &= quotes - 1;
        }
        Starts::decided(starts, limit, find_wide_white_space(block))
    }
}
