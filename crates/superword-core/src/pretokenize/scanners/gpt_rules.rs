//! Rules that the GPT patterns share: contractions, groups of digits, symbols, white space.
//!
//! A `match_` function takes an offset and returns where the match ends. A `find_` function works
//! on the masks of a block.

use crate::pretokenize::scanners::scan::skip_blank;
use crate::pretokenize::simd::block::{Block, REACH, find_run_start};
use crate::pretokenize::unicode::class::{
    ClassSet, LETTER, NEWLINE, NUMBER, PUNCT, SPACE, SYMBOL, Text,
};

/// Matches `'(?:[sdmt]|ll|ve|re)`, with `any_case` under `(?i)`, where U+017F (the long s) is an
/// `s` too. `byte_at` reads the text, and no further than it has to.
#[inline(always)]
pub(crate) fn match_contraction(
    byte_at: impl Fn(usize) -> Option<u8>,
    at: usize,
    any_case: bool,
) -> Option<usize> {
    if byte_at(at) != Some(b'\'') {
        return None;
    }
    let fold = |i: usize| {
        let byte = byte_at(at + i)?;
        Some(if any_case { byte.to_ascii_lowercase() } else { byte })
    };
    match fold(1)? {
        b's' | b'd' | b'm' | b't' => Some(at + 2),
        b'l' if fold(2)? == b'l' => Some(at + 3),
        b'v' | b'r' if fold(2)? == b'e' => Some(at + 3),
        0xC5 if any_case && fold(2)? == 0xBF => Some(at + 3),
        _ => None,
    }
}

/// Skips what `[^\r\n\p{L}\p{N}]?` matches before a letter, if it is a space or punctuation. An
/// apostrophe may start a contraction.
pub(crate) fn skip_prefix(text: &Text, at: usize) -> usize {
    let (class, next) = text.peek(at);
    let is_prefix = class == PUNCT && text.bytes[at] != b'\'' && text.is_in(next, LETTER);
    if is_prefix { next } else { skip_blank(text, at) }
}

/// Matches `\p{N}{1,3}` at a number.
pub(crate) fn match_digits(text: &Text, at: usize) -> usize {
    let mut end = at;
    for _ in 0..3 {
        let (class, next) = text.peek(end);
        if class != NUMBER {
            break;
        }
        end = next;
    }
    end
}

/// Matches ` ?[^\s\p{L}\p{N}]+`.
pub(crate) fn match_symbols(text: &Text, at: usize) -> Option<usize> {
    let start = at + usize::from(text.byte(at) == Some(b' '));
    let end = text.skip_run(start, SYMBOL);
    (end > start).then_some(end)
}

/// Matches `[\r\n]*`.
pub(crate) fn match_newlines(text: &Text, at: usize) -> usize {
    text.skip_run(at, ClassSet::of(&[NEWLINE]))
}

/// Matches `\s+(?!\S)|\s+` at white space: all of it, except the last of several characters if
/// other text follows.
pub(crate) fn match_white_space(text: &Text, at: usize) -> usize {
    leave_last(text, at, text.skip_run(at, SPACE))
}

/// Matches `\s*[\r\n]+|\s+(?!\S)|\s+` at white space: up to its last newline, if it has one.
pub(crate) fn match_lines_or_white_space(text: &Text, at: usize) -> usize {
    let end = text.skip_run(at, SPACE);
    match text.bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(last) => at + last + 1,
        None => leave_last(text, at, end),
    }
}

/// Leaves the last of several characters to the text that follows.
fn leave_last(text: &Text, at: usize, end: usize) -> usize {
    let last = text.previous_start(end);
    if end < text.bytes.len() && last > at { last } else { end }
}

/// Finds the starts of numbers, in groups of up to three from the left.
#[inline(always)]
pub(crate) fn find_digit_starts(block: &Block) -> u64 {
    let number = block.mask(NUMBER);
    let mut group = number & !block.after(number);
    let mut starts = group;
    while group != 0 {
        for _ in 0..3 {
            group = block.after(group) & number;
        }
        starts |= group;
    }
    starts
}

/// Finds the starts of white space under `\s*[\r\n]+|\s+(?!\S)|\s+`, and the byte up to which they
/// are certain. `space` is the white space that belongs to no pretoken before it.
///
/// A pretoken starts at its first character, after its last newline, and at its last character
/// before other text.
#[inline(always)]
pub(crate) fn find_white_space_starts(block: &Block, space: u64) -> (u64, u32) {
    let newline = block.mask(NEWLINE) & space;
    let inline = space & !newline;
    let indents = newline << 1 & inline;
    let mut starts = space & !(space << 1) | indents | inline & !(block.white_space() >> 1);
    // An indent before another newline is part of the lines: `\n  \n` is one pretoken.
    let mut closed = inline.wrapping_add(indents) & newline;
    while closed != 0 {
        let end = closed.trailing_zeros();
        starts &= !(1 << find_run_start(inline, end));
        closed &= closed - 1;
    }
    // White space at the end of the block may continue to another newline.
    let is_open = block.white_space() >> (REACH - 1) & 1 != 0;
    (starts, if is_open { find_run_start(block.white_space(), REACH) + 1 } else { REACH })
}

/// Finds the newlines that belong to the symbols before them, under `[^\s\p{L}\p{N}]+[\r\n]*`.
#[inline(always)]
pub(crate) fn find_trailing_newlines(block: &Block, symbol: u64) -> u64 {
    let newline = block.mask(NEWLINE);
    newline & !newline.wrapping_add(block.after(symbol) & newline)
}

/// Finds white space with a character beyond ASCII, except for its first character. It is
/// undecided, because the rules on white space count bytes.
#[inline(always)]
pub(crate) fn find_wide_white_space(block: &Block) -> u64 {
    let wide = block.white_space() & block.wide;
    if wide == 0 {
        return 0;
    }
    2 << find_run_start(block.all_bytes(block.white_space()), wide.trailing_zeros())
}
