//! What the GPT patterns share: contractions, groups of digits, symbols, white space.

use crate::pretokenize::simd::block::{Block, REACH, run_start};
use crate::pretokenize::unicode::class::{NEWLINE, NUMBER, SPACE, SYMBOL, Set, Text};

/// `'(?:[sdmt]|ll|ve|re)` at `at`: where it ends. With `any_case`, under `(?i)`, where U+017F (the
/// long s) is an `s` too.
#[inline(always)]
pub(crate) fn contraction(bytes: &[u8], at: usize, any_case: bool) -> Option<usize> {
    if bytes.get(at) != Some(&b'\'') {
        return None;
    }
    let fold = |i: usize| {
        let byte = bytes.get(at + i).copied().unwrap_or(0);
        if any_case { byte.to_ascii_lowercase() } else { byte }
    };
    match (fold(1), fold(2)) {
        (b's' | b'd' | b'm' | b't', _) => Some(at + 2),
        (b'l', b'l') | (b'v' | b'r', b'e') => Some(at + 3),
        (0xC5, 0xBF) if any_case => Some(at + 3),
        _ => None,
    }
}

/// `\p{N}{1,3}` at a number: where it ends.
pub(crate) fn digits(text: Text, at: usize) -> usize {
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

/// ` ?[^\s\p{L}\p{N}]+`: where it ends, if it matches at `at`.
pub(crate) fn symbols(text: Text, at: usize) -> Option<usize> {
    let start = at + usize::from(text.bytes.get(at) == Some(&b' '));
    let end = text.run(start, SYMBOL);
    (end > start).then_some(end)
}

/// `[\r\n]*`: where it ends.
pub(crate) fn newlines(text: Text, at: usize) -> usize {
    text.run(at, Set::of(&[NEWLINE]))
}

/// `\s+(?!\S)|\s+` at white space: all of it, but for the last character if another one follows
/// the white space and it is not alone.
pub(crate) fn white(text: Text, at: usize) -> usize {
    all_but_last(text, at, text.run(at, SPACE))
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` at white space: up to its last line end, if it has one.
pub(crate) fn white_or_lines(text: Text, at: usize) -> usize {
    let end = text.run(at, SPACE);
    match text.bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(last) => at + last + 1,
        None => all_but_last(text, at, end),
    }
}

fn all_but_last(text: Text, at: usize, end: usize) -> usize {
    let last = text.before(end);
    if end < text.bytes.len() && last > at { last } else { end }
}

/// Where numbers start, in groups of up to three from the left.
#[inline(always)]
pub(crate) fn digit_starts(block: &Block) -> u64 {
    let number = block.of(NUMBER);
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

/// White space that may start a pretoken, under `\s*[\r\n]+|\s+(?!\S)|\s+` for `space`, the white
/// space that is not part of something before it; and the limit to which that is known.
///
/// A start is the first of it, what follows its last line end, and its last character before
/// something else.
#[inline(always)]
pub(crate) fn line_starts(block: &Block, space: u64) -> (u64, u32) {
    let newline = block.of(NEWLINE) & space;
    let inline = space & !newline;
    let indents = newline << 1 & inline;
    let mut starts = space & !(space << 1) | indents | inline & !(block.space() >> 1);
    // An indent that ends in another line end is part of the lines: `\n  \n` is one pretoken.
    let mut closed = inline.wrapping_add(indents) & newline;
    while closed != 0 {
        let end = closed.trailing_zeros();
        starts &= !(1 << run_start(inline, end));
        closed &= closed - 1;
    }
    // Whether the white space at the end of the block goes on to another line end is not known.
    let open = block.space() >> (REACH - 1) & 1 != 0;
    (starts, if open { run_start(block.space(), REACH) + 1 } else { REACH })
}

/// Line ends right after symbols, under `[^\s\p{L}\p{N}]+[\r\n]*`.
#[inline(always)]
pub(crate) fn trailing_newlines(block: &Block, symbol: u64) -> u64 {
    let newline = block.of(NEWLINE);
    newline & !newline.wrapping_add(block.after(symbol) & newline)
}

/// White space that holds a character beyond ASCII, but for its first character: the rules on
/// white space count bytes.
#[inline(always)]
pub(crate) fn wide_space(block: &Block) -> u64 {
    let wide = block.space() & block.wide;
    if wide == 0 {
        return 0;
    }
    2 << run_start(block.whole(block.space()), wide.trailing_zeros())
}
