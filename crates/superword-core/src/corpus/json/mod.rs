//! One line of JSON lines: the string under one key of an object.
//!
//! The line is checked to be JSON from end to end, and only the wanted string is unescaped. What
//! is taken and what is refused is what `serde_json` takes and refuses; of a key that occurs more
//! than once, the last counts, as in Python.

mod escape;
mod skip;

use self::escape::unescape;
use self::skip::{skip_string, skip_value};

/// Why a line was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Something other than JSON at this byte of the line, counted from 0.
    Syntax {
        /// What was expected there.
        expected: &'static str,
        /// Where.
        at: usize,
    },
    /// A JSON value that is no object.
    NoObject,
    /// The object has no such key.
    NoColumn,
    /// What is under the key, which is no string.
    NoString(&'static str),
    /// Half a surrogate pair, which no UTF-8 can hold, at this byte of the line.
    Surrogate {
        /// Where.
        at: usize,
    },
}

/// A line, and how far it has been read.
struct Cursor<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

/// Appends the string under the key `column` of the object on the first line of `text` to `into`,
/// and returns how many bytes the line has, with its end.
///
/// After an error some of the string may have been appended.
pub(super) fn read_line(text: &str, column: &str, into: &mut String) -> Result<usize, Flaw> {
    let mut line = Cursor { text, bytes: text.as_bytes(), at: 0 };
    let start = into.len();
    let mut value = Err(Flaw::NoColumn);
    each_key(&mut line, |line, key| {
        if !key.is(column)? {
            return skip_value(line);
        }
        into.truncate(start);
        value = match line.peek() {
            b'"' => {
                line.at += 1;
                unescape(line, into)?;
                value = Ok(());
                return Ok(());
            }
            other => Err(Flaw::NoString(kind(other))),
        };
        skip_value(line)
    })?;
    value.map(|()| line.at)
}

/// The keys of the object on the first line, which has been read before.
pub(super) fn keys(text: &str) -> Vec<String> {
    let mut line = Cursor { text, bytes: text.as_bytes(), at: 0 };
    let mut keys = Vec::new();
    let walked = each_key(&mut line, |line, key| {
        keys.push(key.spelled()?);
        skip_value(line)
    });
    walked.map_or_else(|_| Vec::new(), |()| keys)
}

/// A key as it stands on the line.
struct Key<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    has_escapes: bool,
}

impl Key<'_> {
    fn is(&self, column: &str) -> Result<bool, Flaw> {
        if self.has_escapes {
            return Ok(self.spelled()? == column);
        }
        Ok(&self.text[self.start..self.end] == column)
    }

    fn spelled(&self) -> Result<String, Flaw> {
        let mut cursor = Cursor { text: self.text, bytes: self.text.as_bytes(), at: self.start };
        let mut spelled = String::new();
        unescape(&mut cursor, &mut spelled)?;
        Ok(spelled)
    }
}

/// Reads the object of a line to the end of the line; `value` reads what follows each key.
#[inline]
fn each_key<'t>(
    line: &mut Cursor<'t>,
    mut value: impl FnMut(&mut Cursor<'t>, Key<'t>) -> Result<(), Flaw>,
) -> Result<(), Flaw> {
    line.skip_blanks();
    if line.peek() != b'{' {
        skip_value(line)?;
        line.end()?;
        return Err(Flaw::NoObject);
    }
    line.at += 1;
    line.skip_blanks();
    if line.peek() == b'}' {
        line.at += 1;
        return line.end();
    }
    loop {
        line.take(b'"', "a key in quotes")?;
        let start = line.at;
        let has_escapes = skip_string(line)?;
        let key = Key { text: line.text, start, end: line.at - 1, has_escapes };
        line.skip_blanks();
        line.take(b':', "':' after the key")?;
        line.skip_blanks();
        value(line, key)?;
        line.skip_blanks();
        match line.peek() {
            b',' => line.at += 1,
            b'}' => break,
            _ => return Err(line.expected("',' or '}' after a value")),
        }
        line.skip_blanks();
    }
    line.at += 1;
    line.end()
}

fn kind(first: u8) -> &'static str {
    match first {
        b'n' => "null",
        b't' | b'f' => "a truth value",
        b'[' => "an array",
        b'{' => "an object",
        _ => "a number",
    }
}

impl Cursor<'_> {
    /// The next byte; the text ends as if with the end of a line.
    #[inline(always)]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'\n')
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn take(&mut self, byte: u8, expected: &'static str) -> Result<(), Flaw> {
        if self.peek() == byte {
            self.at += 1;
            return Ok(());
        }
        Err(self.expected(expected))
    }

    /// The end of the line, which is read over.
    fn end(&mut self) -> Result<(), Flaw> {
        self.skip_blanks();
        if self.peek() != b'\n' {
            return Err(self.expected("the end of the line"));
        }
        self.at = self.bytes.len().min(self.at + 1);
        Ok(())
    }

    #[cold]
    fn expected(&self, expected: &'static str) -> Flaw {
        Flaw::Syntax { expected, at: self.at }
    }
}

#[cfg(test)]
mod tests;
