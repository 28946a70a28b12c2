//! `gpt2`: the pattern of GPT-2.

use crate::pretokenize::scan::Grammar;
use crate::pretokenize::scanners::gpt::{contraction, symbols, white, wide_space};
use crate::pretokenize::simd::block::{Block, REACH, Starts, known};
use crate::pretokenize::unicode::class::{BLANK, LETTER, NUMBER, Set, Text};

/// The regex that the scanner stands for.
pub(crate) const REGEX: &str =
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Other spellings that give the same: of its authors, of Hugging Face, and of tiktoken.
pub(crate) const SPELLINGS: [&str; 3] = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
];

#[derive(Default)]
pub(crate) struct Gpt2;

impl Grammar for Gpt2 {
    fn end(&mut self, text: Text, at: usize) -> usize {
        if let Some(end) = contraction(text.bytes, at, false) {
            return end;
        }
        let start = at + usize::from(text.bytes[at] == b' ');
        match text.peek(start).0 {
            class if LETTER.has(class) => text.run(start, LETTER),
            NUMBER => text.run(start, Set::of(&[NUMBER])),
            _ => symbols(text, at).unwrap_or_else(|| white(text, at)),
        }
    }

    #[inline(always)]
    fn starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.space();
        let letter = block.letter();
        let number = block.of(NUMBER);
        let symbol = !(letter | number | space | block.tail);
        let free = |class: u64| class & !block.after(class) & !(block.of(BLANK) << 1);
        let mut starts = free(letter) | free(number) | free(symbol);
        starts |= space & !(space << 1) | space & !(space >> 1);
        let mut quotes = block.quote & free(symbol);
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            if let Some(end) = contraction(block.bytes, at as usize, false) {
                starts = starts & !(2 << at) | 1_u64.checked_shl(end as u32).unwrap_or(0);
            }
            quotes &= quotes - 1;
        }
        known(starts, REACH, wide_space(block))
    }
}
