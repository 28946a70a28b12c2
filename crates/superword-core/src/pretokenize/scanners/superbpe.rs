//! The pattern of `SuperBPE`'s second stage, which splits off numbers, symbols and wide gaps.
//!
//! What lies between its matches is long: clauses, and whole sentences. So there is nothing to gain
//! from masks, and it walks from character to character.

use std::ops::Range;

use crate::pretokenize::scanners::gpt::digits;
use crate::pretokenize::unicode::class::{BLANK, END, NEWLINE, NUMBER, SPACE, SYMBOL, Text};

/// The regex that the scanner stands for.
pub const REGEX: &str = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)";

/// The spans of the pretokens of one text: the matches, and what lies between them.
pub(crate) struct Matches<'t> {
    text: Text<'t>,
    /// Where the next pretoken starts.
    at: usize,
    /// Where the match ends that starts there, if it has been found.
    end: Option<usize>,
}

impl<'t> Matches<'t> {
    pub(crate) fn new(text: &'t str) -> Matches<'t> {
        Matches { text: Text::new(text), at: 0, end: None }
    }

    /// Where the match at `at` ends, or what has been looked at in vain.
    #[inline]
    fn look(&self, at: usize) -> Result<usize, usize> {
        let text = self.text;
        let (class, next) = text.peek(at);
        match class {
            NUMBER => Ok(digits(text, at)),
            BLANK => {
                if let Some(end) = self.symbols(next) {
                    return Ok(end);
                }
                let mut end = next;
                while text.bytes.get(end) == Some(&b' ') {
                    end += 1;
                }
                // All blanks, or all but the last if something visible follows.
                let (follower, _) = text.peek(end);
                if follower == END || SPACE.has(follower) {
                    Ok(end)
                } else if end - at > 1 {
                    Ok(end - 1)
                } else {
                    Err(end)
                }
            }
            class if SYMBOL.has(class) => self.symbols(at).ok_or(next),
            _ => Err(next),
        }
    }

    /// `[^\s\p{L}\p{N}]{2,}[\r\n/]*`: where it ends, if it matches at `at`.
    #[inline]
    fn symbols(&self, at: usize) -> Option<usize> {
        let text = self.text;
        let (first, second) = text.peek(at);
        let (next, end) = text.peek(second);
        if !(SYMBOL.has(first) && SYMBOL.has(next)) {
            return None;
        }
        let mut end = text.run(end, SYMBOL);
        while text.peek(end).0 == NEWLINE || text.bytes.get(end) == Some(&b'/') {
            end += 1;
        }
        Some(end)
    }
}

impl Iterator for Matches<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.text.bytes.len();
        if start == length {
            return None;
        }
        if let Some(end) = self.end.take() {
            self.at = end;
            return Some(start..end);
        }
        let mut at = start;
        while at < length {
            match self.look(at) {
                Ok(end) if at == start => {
                    self.at = end;
                    return Some(start..end);
                }
                Ok(end) => {
                    self.end = Some(end);
                    break;
                }
                Err(next) => at = next,
            }
        }
        self.at = at;
        Some(start..at)
    }
}
