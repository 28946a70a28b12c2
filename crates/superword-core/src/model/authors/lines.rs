//! The lines of both formats: counts, and rows of words.

use std::fmt;

use super::at_line;
use crate::Error;
use crate::model::token_interner::quote_token;

/// The unread lines of a file.
pub(super) struct Lines<'a> {
    rest: std::str::Lines<'a>,
    /// The number of the last line that was read, from 1.
    number: usize,
}

/// A line of a section.
pub(super) struct TableRow<'a, const N: usize> {
    /// The number of the line.
    pub(super) line: usize,
    /// The words. The last one is the rest of the line.
    pub(super) words: [&'a str; N],
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Lines<'a> {
        Lines { rest: text.lines(), number: 0 }
    }

    /// Reads the next line and its number. It is an error if there is none.
    pub(super) fn next(&mut self, wanted: impl fmt::Display) -> Result<(usize, &'a str), Error> {
        self.number += 1;
        let line = self.rest.next();
        let line =
            line.ok_or_else(|| at_line(self.number, &format!("the file ends; expected {wanted}")))?;
        Ok((self.number, line))
    }

    /// Reads a line that names the next section.
    pub(super) fn expect_heading(&mut self, heading: &str) -> Result<(), Error> {
        let (number, line) = self.next(format_args!("the line {heading:?}"))?;
        if line.trim_end() != heading {
            let line = quote_token(line.as_bytes());
            let problem = format!("expected the line {heading:?}, not {line}");
            return Err(at_line(number, &problem));
        }
        Ok(())
    }

    /// Reads a line with a count, and that many rows.
    pub(super) fn read_rows<const N: usize>(
        &mut self,
        words: &str,
    ) -> Result<Vec<TableRow<'a, N>>, Error> {
        let (number, line) = self.next(format_args!("the number of rows `{words}`"))?;
        let count: usize = parse_number(number, line.trim_end(), "a number of rows")?;
        // The count is not trusted, so it reserves no memory.
        let mut rows = Vec::new();
        for row_number in 1..=count {
            let (line, text) = self.next(format_args!("row {row_number} of {count}, `{words}`"))?;
            let mut found = text.splitn(N, ' ');
            let row = std::array::from_fn(|_| found.next().unwrap_or_default());
            if row[N - 1].is_empty() {
                let text = quote_token(text.as_bytes());
                let problem =
                    format!("expected row {row_number} of {count}, `{words}`, not {text}");
                return Err(at_line(line, &problem));
            }
            rows.push(TableRow { line, words: row });
        }
        Ok(rows)
    }

    /// Checks that only blank lines are left.
    pub(super) fn expect_end(&mut self) -> Result<(), Error> {
        for line in self.rest.by_ref() {
            self.number += 1;
            if !line.trim().is_empty() {
                let line = quote_token(line.as_bytes());
                return Err(at_line(
                    self.number,
                    &format!("expected the end of the file, not {line}"),
                ));
            }
        }
        Ok(())
    }
}

/// Parses a number.
pub(super) fn parse_number<T: std::str::FromStr>(
    line: usize,
    word: &str,
    wanted: &str,
) -> Result<T, Error> {
    word.parse().map_err(|_| {
        at_line(line, &format!("expected {wanted}, not {}", quote_token(word.as_bytes())))
    })
}

/// Parses a token in the characters with which GPT-2 writes bytes: `Ġof` -> ` of`.
pub(super) fn parse_token(line: usize, word: &str) -> Result<Vec<u8>, Error> {
    let bytes: Option<Vec<u8>> = word.chars().map(byte_of).collect();
    bytes.filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        let word = quote_token(word.as_bytes());
        at_line(line, &format!("{word} is not a token in the characters of GPT-2"))
    })
}

/// The byte of a character. A visible byte is its own character; the others are numbered from
/// U+0100.
fn byte_of(character: char) -> Option<u8> {
    let code = u32::from(character);
    match code {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => Some(code as u8),
        0x100..=0x120 => Some((code - 0x100) as u8),
        0x121..=0x142 => Some((code - 0x121 + 0x7F) as u8),
        0x143 => Some(0xAD),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_character() {
        let mut bytes: Vec<u8> = ('\0'..='\u{200}').filter_map(byte_of).collect();
        assert_eq!(bytes.len(), 256);
        bytes.sort_unstable();
        assert!(bytes.into_iter().eq(0..=u8::MAX));
        assert_eq!(byte_of('Ġ'), Some(b' '));
        assert_eq!(byte_of('Ċ'), Some(b'\n'));
        assert_eq!(byte_of('Ń'), Some(0xAD));
    }
}
