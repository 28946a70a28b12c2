//! `gpt2`: the pattern of GPT-2.

use crate::pretokenize::scanners::gpt_rules::{
    find_wide_white_space, match_contraction, match_symbols, match_white_space,
};
use crate::pretokenize::scanners::scan::Grammar;
use crate::pretokenize::simd::block::{Block, REACH, Starts};
use crate::pretokenize::unicode::class::{BLANK, ClassSet, LETTER, NUMBER, Text};

/// The regex of this pattern.
pub(crate) const REGEX: &str =
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Equivalent regexes: that of the authors of GPT-2, of Hugging Face, and of tiktoken.
pub(crate) const SPELLINGS: [&str; 3] = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
];

/// The grammar of this pattern.
#[derive(Default)]
pub(crate) struct Gpt2;

impl Grammar for Gpt2 {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        if let Some(end) = match_contraction(|at| text.byte(at), at, false) {
            return end;
        }
        let start = at + usize::from(text.bytes[at] == b' ');
        match text.peek(start).0 {
            class if LETTER.contains(class) => text.skip_run(start, LETTER),
            NUMBER => text.skip_run(start, ClassSet::of(&[NUMBER])),
            _ => match_symbols(text, at).unwrap_or_else(|| match_white_space(text, at)),
        }
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.white_space();
        let letter = block.letters();
        let number = block.mask(NUMBER);
        let symbol = !(letter | number | space | block.tail);
        let unspaced = |class: u64| class & !block.after(class) & !(block.mask(BLANK) << 1);
        let mut starts = unspaced(letter) | unspaced(number) | unspaced(symbol);
        starts |= space & !(space << 1) | space & !(space >> 1);
        let mut quotes = block.quote & unspaced(symbol);
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            if let Some(end) =
                match_contraction(|at| block.bytes.get(at).copied(), at as usize, false)
            {
                starts = starts & !(2 << at) | 1_u64.checked_shl(end as u32).unwrap_or(0);
            }
            quotes &= quotes - 1;
        }
        Starts::decided(starts, REACH, find_wide_white_space(block))
    }
}
