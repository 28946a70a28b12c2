//! Regexes of the user's own, in the dialect of the `fancy-regex` crate.

use std::ops::Range;

use fancy_regex::{CompileError, Error as RegexError, RegexBuilder};
use regex_syntax::Error as SyntaxError;

use crate::Error;

/// How many steps of backtracking one search may take.
pub const BACKTRACK_LIMIT: usize = 1_000_000;

/// A compiled regex.
#[derive(Clone, Debug)]
pub(super) struct Regex(fancy_regex::Regex);

impl Regex {
    /// Compiles a regex.
    pub(super) fn new(source: &str) -> Result<Regex, Error> {
        let compiled = RegexBuilder::new(source).backtrack_limit(BACKTRACK_LIMIT).build();
        compiled.map(Regex).map_err(|error| refusal(source, &error))
    }

    /// Compiles a regex that has to match the whole of a text.
    pub(super) fn whole(source: &str) -> Result<Regex, Error> {
        Regex::new(source)?;
        Regex::new(&format!(r"\A(?:{source})\z"))
    }

    /// Whether the regex matches somewhere in the text.
    pub(super) fn matches(&self, text: &str) -> Result<bool, Error> {
        self.0.is_match(text).map_err(|_| gave_up(0))
    }

    /// The first match at or after `at` that is not empty.
    fn find(&self, text: &str, mut at: usize) -> Result<Option<Range<usize>>, Error> {
        loop {
            let found = self.0.find_from_pos(text, at).map_err(|_| gave_up(at))?;
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

/// What is wrong with the regex, and at which of its characters.
fn refusal(source: &str, error: &RegexError) -> Error {
    let (byte, reason) = match error {
        RegexError::ParseError(byte, reason) => (Some(*byte), reason.to_string()),
        RegexError::CompileError(inner) => match &**inner {
            CompileError::InnerError(inner) => inner
                .syntax_error()
                .and_then(|error| part_refused(source, error))
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

/// Parts without look-around are compiled apart, and an error's place is its place in the part:
/// what stands there is looked up in the whole, in which names of classes may be capitalized.
fn part_refused(source: &str, error: &SyntaxError) -> Option<(usize, String)> {
    let (part, span, reason) = match error {
        SyntaxError::Parse(error) => (error.pattern(), error.span(), error.kind().to_string()),
        SyntaxError::Translate(error) => (error.pattern(), error.span(), error.kind().to_string()),
        _ => return None,
    };
    let refused = part.get(span.start.offset..span.end.offset)?.to_ascii_lowercase();
    Some((source.to_ascii_lowercase().find(&refused)?, reason))
}

fn gave_up(at: usize) -> Error {
    Error::PatternGaveUp { at, limit: BACKTRACK_LIMIT }
}

/// The spans of the pretokens of one text: the matches, and what lies between them.
pub(super) struct Matches<'t> {
    regex: &'t Regex,
    text: &'t str,
    /// Where the next pretoken starts.
    at: usize,
    /// A match that was found beyond `at`.
    next: Option<Range<usize>>,
}

impl<'t> Matches<'t> {
    pub(super) fn new(regex: &'t Regex, text: &'t str) -> Matches<'t> {
        Matches { regex, text, at: 0, next: None }
    }
}

impl Iterator for Matches<'_> {
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
