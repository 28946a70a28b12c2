//! `gpt4o`: the pattern of GPT-4o.

use crate::pretokenize::scanners::gpt_rules::{
    find_digit_starts, find_trailing_newlines, find_white_space_starts, find_wide_white_space,
    match_contraction, match_digits, match_lines_or_white_space, match_symbols, skip_prefix,
};
use crate::pretokenize::scanners::scan::{Grammar, find_run_end};
use crate::pretokenize::simd::block::{Block, Starts};
use crate::pretokenize::unicode::class::{
    BLANK, ClassSet, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, TITLE, Text, UPPER,
};

/// The regex of this pattern.
pub(crate) const REGEX: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// `[\p{Lu}\p{Lt}]`: only the head of a word.
const HEAD: ClassSet = ClassSet::of(&[UPPER, TITLE]);
/// `[\p{Lm}\p{Lo}\p{M}]`: the head or the body.
const BOTH: ClassSet = ClassSet::of(&[OTHER, MARK]);
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`: the body.
const BODY: ClassSet = ClassSet::of(&[LOWER, OTHER, MARK]);
/// The classes that `[^\r\n\p{L}\p{N}]?` excludes, apart from letters.
const BARE: ClassSet = ClassSet::of(&[NEWLINE, NUMBER]);

/// The grammar of this pattern.
#[derive(Default)]
pub(crate) struct Gpt4o;

/// Matches `[HEAD BOTH]*[BODY]+`.
///
/// The head is greedy. If no lower case letter follows, the regex backtracks to the last character
/// that may be a body, and that character is the whole body.
fn match_lower_word(text: &Text, start: usize) -> Option<usize> {
    let mut at = start;
    let mut backtracked = None;
    loop {
        let (class, next) = text.peek(at);
        if class == LOWER {
            return Some(text.skip_run(at, BODY));
        }
        if BOTH.contains(class) {
            backtracked = Some(next);
        } else if !HEAD.contains(class) {
            return backtracked;
        }
        at = next;
    }
}

/// Matches `[HEAD BOTH]+[BODY]*` where `match_lower_word` does not: then only `HEAD` is left.
fn match_upper_word(text: &Text, at: usize) -> Option<usize> {
    let end = text.skip_run(at, HEAD);
    (end > at).then_some(end)
}

/// Matches either kind of word, after at most one character that is no letter, number or newline.
/// A mark may be that character or the first of the word.
fn match_word(text: &Text, at: usize) -> Option<usize> {
    let (class, next) = text.peek(at);
    if LETTER.contains(class) {
        return match_lower_word(text, at).or_else(|| match_upper_word(text, at));
    }
    if BARE.contains(class) {
        return None;
    }
    let bare = || if class == MARK { match_lower_word(text, at) } else { None };
    match_lower_word(text, next).or_else(bare).or_else(|| match_upper_word(text, next))
}

/// Matches the branches of the regex after those of words.
pub(crate) fn match_other_than_word(text: &Text, at: usize) -> usize {
    if text.peek(at).0 == NUMBER {
        return match_digits(text, at);
    }
    match match_symbols(text, at) {
        Some(mut end) => {
            while matches!(text.byte(end), Some(b'\r' | b'\n' | b'/')) {
                end += 1;
            }
            end
        }
        None => match_lines_or_white_space(text, at),
    }
}

/// What scripts change in a block.
#[derive(Default)]
pub(crate) struct ScriptMasks {
    /// Characters that start a pretoken, whatever is before them.
    pub(crate) starts: u64,
    /// Letters of scripts without spaces.
    pub(crate) unspaced: u64,
    /// Letters after which no contraction follows.
    pub(crate) not_contracted: u64,
    /// Characters that the masks cannot decide.
    pub(crate) undecided: u64,
}

impl Grammar for Gpt4o {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        match match_word(text, at) {
            Some(end) => match_contraction(|at| text.byte(at), end, true).unwrap_or(end),
            None => match_other_than_word(text, at),
        }
    }

    /// Capitals, then letters and marks that are no capitals. A capital after these may belong to
    /// either side.
    fn find_joined_end(text: &Text, at: usize) -> usize {
        let first = skip_prefix(text, at);
        if !text.is_in(first, LETTER) {
            return find_run_end(text, at, first);
        }
        text.skip_run(text.skip_run(first, HEAD), BODY)
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, _at: usize) -> Starts {
        find_starts_by_script(block, &ScriptMasks::default())
    }
}

/// Finds the starts of pretokens in a block, given what its scripts change.
#[inline(always)]
pub(crate) fn find_starts_by_script(block: &Block, scripts: &ScriptMasks) -> Starts {
    let space = block.white_space();
    let both = block.mask(OTHER) | block.mask(MARK);
    let head = block.mask(UPPER) | block.mask(TITLE);
    let letter = head | both | block.mask(LOWER);
    let symbol = !(letter | block.mask(NUMBER) | space | block.tail);
    let symbols = symbol & !block.after(symbol) & !(block.mask(BLANK) << 1);
    let inline = space & !block.mask(NEWLINE);
    let mut words = letter & !block.after(letter | symbols) & !(inline << 1);
    words |= head & block.after(block.mask(LOWER));
    words |= scripts.starts | scripts.unspaced & !(block.mask(BLANK) << 1);
    let trailing = find_trailing_newlines(block, symbol);
    let (lines, limit) = find_white_space_starts(block, space & !trailing);
    let mut starts = words | symbols | find_digit_starts(block) | lines;
    let mut quotes = block.quote & block.after(letter & !scripts.not_contracted);
    let mut last_end = 0;
    while quotes != 0 {
        let at = quotes.trailing_zeros();
        quotes &= quotes - 1;
        // A word takes one contraction: in `a's's` the second apostrophe starts a pretoken.
        if at == last_end {
            continue;
        }
        if let Some(end) = match_contraction(|at| block.bytes.get(at).copied(), at as usize, true) {
            last_end = end as u32;
            let past = 1_u64.checked_shl(last_end).unwrap_or(0);
            starts = starts & !(past.wrapping_sub(1 << at)) | past;
        }
    }
    // A mark that follows no word may be a symbol or the start of a word. A capital after a
    // letter without case may belong to either side.
    let mut undecided = block.mask(MARK) & !block.after(letter) | head & block.after(both);
    undecided = undecided & !scripts.starts | scripts.undecided;
    // So may `/` after the newlines of symbols.
    let mut candidates = trailing << 1 & symbol;
    while candidates != 0 {
        let at = candidates.trailing_zeros();
        undecided |= u64::from(block.bytes[at as usize] == b'/') << at;
        candidates &= candidates - 1;
    }
    Starts::decided(starts, limit, find_wide_white_space(block) | undecided)
}
