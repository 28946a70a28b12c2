//! `gpt4o`: the pattern of GPT-4o.

use crate::pretokenize::scan::Grammar;
use crate::pretokenize::scanners::gpt::{
    contraction, digit_starts, digits, line_starts, symbols, trailing_newlines, white_or_lines,
    wide_space,
};
use crate::pretokenize::simd::block::{Block, Starts, known};
use crate::pretokenize::unicode::class::{
    BLANK, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, Set, TITLE, Text, UPPER,
};

/// The regex that the scanner stands for.
pub(crate) const REGEX: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// `[\p{Lu}\p{Lt}]`: only in the first part of a word.
const HEAD: Set = Set::of(&[UPPER, TITLE]);
/// `[\p{Lm}\p{Lo}\p{M}]`: in either part.
const BOTH: Set = Set::of(&[OTHER, MARK]);
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`: the second part.
const BODY: Set = Set::of(&[LOWER, OTHER, MARK]);
/// What no `[^\r\n\p{L}\p{N}]?` before a word takes, beside letters.
const BARE: Set = Set::of(&[NEWLINE, NUMBER]);

#[derive(Default)]
pub(crate) struct Gpt4o;

/// `[HEAD BOTH]*[BODY]+` at `at`: where it ends.
///
/// The first part takes all it can. If no lower case letter follows, it must give back as far as
/// the last character that the second part may have, which is then all that the second part gets.
fn lower_word(text: Text, at: usize) -> Option<usize> {
    let mut place = at;
    let mut given_back = None;
    loop {
        let (class, next) = text.peek(place);
        if class == LOWER {
            return Some(text.run(place, BODY));
        }
        if BOTH.has(class) {
            given_back = Some(next);
        } else if !HEAD.has(class) {
            return given_back;
        }
        place = next;
    }
}

/// `[HEAD BOTH]+[BODY]*` at `at`, where `lower_word` does not match, so that only `HEAD` is left.
fn upper_word(text: Text, at: usize) -> Option<usize> {
    let end = text.run(at, HEAD);
    (end > at).then_some(end)
}

/// Either kind of word at `at`, with any one character before it that is no letter, number or
/// line end. A mark may be that character or the word's own first.
fn word(text: Text, at: usize) -> Option<usize> {
    let (class, next) = text.peek(at);
    if LETTER.has(class) {
        return lower_word(text, at).or_else(|| upper_word(text, at));
    }
    if BARE.has(class) {
        return None;
    }
    let bare = || if class == MARK { lower_word(text, at) } else { None };
    lower_word(text, next).or_else(bare).or_else(|| upper_word(text, next))
}

impl Grammar for Gpt4o {
    fn end(&mut self, text: Text, at: usize) -> usize {
        if let Some(end) = word(text, at) {
            return contraction(text.bytes, end, true).unwrap_or(end);
        }
        if text.peek(at).0 == NUMBER {
            return digits(text, at);
        }
        match symbols(text, at) {
            Some(end) => {
                let tail = &text.bytes[end..];
                let closing = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'/');
                end + tail.iter().position(|byte| !closing(byte)).unwrap_or(tail.len())
            }
            None => white_or_lines(text, at),
        }
    }

    #[inline(always)]
    fn starts(&self, block: &mut Block, _at: usize) -> Starts {
        let space = block.space();
        let both = block.of(OTHER) | block.of(MARK);
        let head = block.of(UPPER) | block.of(TITLE);
        let letter = head | both | block.of(LOWER);
        let symbol = !(letter | block.of(NUMBER) | space | block.tail);
        let symbols = symbol & !block.after(symbol) & !(block.of(BLANK) << 1);
        let inline = space & !block.of(NEWLINE);
        let mut words = letter & !block.after(letter | symbols) & !(inline << 1);
        words |= head & block.after(block.of(LOWER));
        let trailing = trailing_newlines(block, symbol);
        let (lines, limit) = line_starts(block, space & !trailing);
        let mut starts = words | symbols | digit_starts(block) | lines;
        let mut quotes = block.quote & block.after(letter);
        let mut last_end = 0;
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            quotes &= quotes - 1;
            // A word takes one contraction: in `a's's` the second apostrophe starts a pretoken.
            if at == last_end {
                continue;
            }
            if let Some(end) = contraction(block.bytes, at as usize, true) {
                last_end = end as u32;
                let past = 1_u64.checked_shl(last_end).unwrap_or(0);
                starts = starts & !(past.wrapping_sub(1 << at)) | past;
            }
        }
        // A mark that follows no word may be a symbol or the start of a word; a capital after a
        // letter without case may belong to either side.
        let mut odd = block.of(MARK) & !block.after(letter) | head & block.after(both);
        // So may `/` after the line ends that symbols have taken.
        let mut candidates = trailing << 1 & symbol;
        while candidates != 0 {
            let at = candidates.trailing_zeros();
            odd |= u64::from(block.bytes[at as usize] == b'/') << at;
            candidates &= candidates - 1;
        }
        known(starts, limit, wide_space(block) | odd)
    }
}
