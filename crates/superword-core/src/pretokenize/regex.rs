//! Patterns without a scanner: regexes in the dialect of the `fancy-regex` crate.

use std::ops::Range;

use fancy_regex::{CompileError, Error as RegexError, RegexBuilder};
use regex_syntax::Error as SyntaxError;

use crate::Error;

/// The largest number of backtracking steps in one search.
pub const BACKTRACK_LIMIT: usize = 1_000_000;

/// A compiled regex.
#[derive(Clone, Debug)]
pub(super) struct Regex(fancy_regex::Regex);

impl Regex {
    /// Compiles a regex.
    pub(super) fn new(source: &str) -> Result<Regex, Error> {
        let compiled = RegexBuilder::new(source).backtrack_limit(BACKTRACK_LIMIT).build();
        compiled.map(Regex).map_err(|error| explain_refusal(source, &error))
    }

    /// Compiles a regex that must match a whole text.
    pub(super) fn anchored(source: &str) -> Result<Regex, Error> {
        Regex::new(source)?;
        Regex::new(&format!(r"\A(?:{source})\z"))
    }

    /// Returns whether the regex matches anywhere in the text.
    pub(super) fn matches(&self, text: &str) -> Result<bool, Error> {
        self.0.is_match(text).map_err(|_| give_up(0))
    }

    /// Finds the first non-empty match at or after `at`.
    fn find(&self, text: &str, mut at: usize) -> Result<Option<Range<usize>>, Error> {
        loop {
            let found = self.0.find_from_pos(text, at).map_err(|_| give_up(at))?;
            match found {
                Some(found) if found.start() == found.end() => {
                    match text[found.end()..].chars().next() {
                        Some(skipped) => at = found.end() + skipped.len_utf8(),
                        None => return Ok(None),
                    }
                }
                found => return Ok(found.map(|found| found.range())),
            }
        }
    }
}

/// Says what is wrong with the regex, and at which character.
fn explain_refusal(source: &str, error: &RegexError) -> Error {
    let (byte, reason) = match error {
        RegexError::ParseError(byte, reason) => (Some(*byte), reason.to_string()),
        RegexError::CompileError(inner) => match &**inner {
            CompileError::InnerError(inner) => inner
                .syntax_error()
                .and_then(|error| locate_in_whole(source, error))
                .map_or_else(|| (None, inner.to_string()), |(at, reason)| (Some(at), reason)),
            other => (None, other.to_string()),
        },
        other => (None, other.to_string()),
    };
    match byte {
        Some(byte) => Error::PatternSyntax {
            position: source.char_indices().take_while(|&(at, _)| at < byte).count(),
            reason,
        },
        None => Error::PatternUnusable { reason },
    }
}

/// Finds an error's offset in the whole regex. The engine compiles parts without look-around
/// separately, lowercases the names of classes, and gives the offset in the part.
fn locate_in_whole(source: &str, error: &SyntaxError) -> Option<(usize, String)> {
    let (part, span, reason) = match error {
        SyntaxError::Parse(error) => (error.pattern(), error.span(), error.kind().to_string()),
        SyntaxError::Translate(error) => (error.pattern(), error.span(), error.kind().to_string()),
        _ => return None,
    };
    let refused = part.get(span.start.offset..span.end.offset)?.to_ascii_lowercase();
    Some((source.to_ascii_lowercase().find(&refused)?, reason))
}

fn give_up(at: usize) -> Error {
    Error::PatternGaveUp { at, limit: BACKTRACK_LIMIT }
}

/// The spans of a regex in a text: the matches, and the text between them.
pub(super) struct RegexSpans<'t> {
    regex: &'t Regex,
    text: &'t str,
    /// The start of the next pretoken.
    at: usize,
    /// A match that was found after `at`.
    next: Option<Range<usize>>,
}

impl<'t> RegexSpans<'t> {
    pub(super) fn new(regex: &'t Regex, text: &'t str) -> RegexSpans<'t> {
        RegexSpans { regex, text, at: 0, next: None }
    }
}

impl Iterator for RegexSpans<'_> {
    type Item = Result<Range<usize>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        if start == self.text.len() {
            return None;
        }
        let found = match self.next.take() {
            Some(found) => Some(found),
            None => match self.regex.find(self.text, start) {
                Ok(found) => found,
                Err(error) => {
                    self.at = self.text.len();
                    return Some(Err(error));
                }
            },
        };
        self.at = match found {
            Some(found) if found.start == start => found.end,
            Some(found) => {
                let gap = found.start;
                self.next = Some(found);
                gap
            }
            None => self.text.len(),
        };
        Some(Ok(start..self.at))
    }
}
