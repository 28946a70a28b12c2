//! The pattern of `SuperBPE`'s second stage, which splits off numbers, symbols and wide gaps.
//!
//! The text between its matches is long: clauses and sentences. Masks would gain nothing, so it
//! reads one character at a time.

use std::ops::Range;

use crate::pretokenize::scanners::gpt_rules::match_digits;
use crate::pretokenize::scanners::scan::{find_run_end, skip_blank};
use crate::pretokenize::spans::StableEnd;
use crate::pretokenize::unicode::class::{BLANK, END, NEWLINE, NUMBER, SPACE, SYMBOL, Text};

/// The regex of this pattern.
pub const REGEX: &str = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)";

/// The spans of the pretokens of one text: the matches, and the text between them.
pub(crate) struct SuperBpeScan<'t> {
    text: Text<'t>,
    /// The start of the next pretoken.
    at: usize,
    /// The end of a match that was found to start at `at`.
    match_end: Option<usize>,
}

impl<'t> SuperBpeScan<'t> {
    /// Starts at the beginning of the text.
    pub(crate) fn new(text: &'t str) -> SuperBpeScan<'t> {
        SuperBpeScan { text: Text::new(text), at: 0, match_end: None }
    }

    /// Calls `each` with the pretokens that are the same in every text that starts with this one, and
    /// returns where they end.
    pub(crate) fn for_each_stable(self, mut each: impl FnMut(Range<usize>)) -> StableEnd {
        let length = self.text.bytes.len();
        let (mut end, mut at) = (0, 0);
        while at < length {
            let found = self.match_at(at);
            let is_end_read = self.text.is_end_read();
            // A single space at the end may turn out to be part of what follows. Any other match stays
            // one, however it goes on.
            let is_match =
                found.is_ok() && !(is_end_read && at + 1 == length && self.text.bytes[at] == b' ');
            if is_match && end < at {
                each(end..at);
                end = at;
            }
            if is_end_read {
                let first = skip_blank(&self.text, at);
                let joined = if is_match { find_run_end(&self.text, at, first) } else { at };
                return StableEnd { end, joined, is_divisible: !is_match };
            }
            at = found.unwrap_or_else(|next| next);
            if found.is_ok() {
                each(end..at);
                end = at;
            }
        }
        StableEnd { end, joined: at, is_divisible: true }
    }

    /// Returns where the match at `at` ends. Without a match, the error is where to try next.
    #[inline]
    fn match_at(&self, at: usize) -> Result<usize, usize> {
        let text = &self.text;
        let (class, next) = text.peek(at);
        match class {
            NUMBER => Ok(match_digits(text, at)),
            BLANK => {
                if let Some(end) = self.match_symbols(next) {
                    return Ok(end);
                }
                let mut end = next;
                while text.byte(end) == Some(b' ') {
                    end += 1;
                }
                // All blanks, or all but the last if a visible character follows.
                let (follower, _) = text.peek(end);
                if follower == END || SPACE.contains(follower) {
                    Ok(end)
                } else if end - at > 1 {
                    Ok(end - 1)
                } else {
                    Err(end)
                }
            }
            class if SYMBOL.contains(class) => self.match_symbols(at).ok_or(next),
            _ => Err(next),
        }
    }

    /// Matches `[^\s\p{L}\p{N}]{2,}[\r\n/]*`.
    #[inline]
    fn match_symbols(&self, at: usize) -> Option<usize> {
        let text = &self.text;
        let (first, second) = text.peek(at);
        let (next, end) = text.peek(second);
        if !(SYMBOL.contains(first) && SYMBOL.contains(next)) {
            return None;
        }
        let mut end = text.skip_run(end, SYMBOL);
        while text.peek(end).0 == NEWLINE || text.byte(end) == Some(b'/') {
            end += 1;
        }
        Some(end)
    }
}

impl Iterator for SuperBpeScan<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.text.bytes.len();
        if start == length {
            return None;
        }
        if let Some(end) = self.match_end.take() {
            self.at = end;
            return Some(start..end);
        }
        let mut at = start;
        while at < length {
            match self.match_at(at) {
                Ok(end) if at == start => {
                    self.at = end;
                    return Some(start..end);
                }
                Ok(end) => {
                    self.match_end = Some(end);
                    break;
                }
                Err(next) => at = next,
            }
        }
        self.at = at;
        Some(start..at)
    }
}
