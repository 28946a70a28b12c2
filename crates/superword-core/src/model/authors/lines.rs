//! The lines that both of the authors' formats are made of: counts, and rows of words.

use std::fmt;

use super::at_line;
use crate::Error;
use crate::model::tokens::shown;

/// The lines of a file that are still to be read.
pub(super) struct Lines<'a> {
    rest: std::str::Lines<'a>,
    /// The number of the line that was read last, counted from 1.
    number: usize,
}

/// A line of a section.
pub(super) struct Row<'a, const N: usize> {
    /// The number of the line.
    pub(super) line: usize,
    /// Its words; the last one is whatever follows the others.
    pub(super) words: [&'a str; N],
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Lines<'a> {
        Lines { rest: text.lines(), number: 0 }
    }

    /// The next line and its number; it is an error if there is none.
    pub(super) fn next(&mut self, wanted: impl fmt::Display) -> Result<(usize, &'a str), Error> {
        self.number += 1;
        let line = self.rest.next();
        let line = line.ok_or_else(|| {
            at_line(self.number, &format!("the file ends where it should have {wanted}"))
        })?;
        Ok((self.number, line))
    }

    /// A line that says what comes next.
    pub(super) fn heading(&mut self, heading: &str) -> Result<(), Error> {
        let (number, line) = self.next(format_args!("the line {heading:?}"))?;
        if line.trim_end() != heading {
            let line = shown(line.as_bytes());
            let problem = format!("expected the line {heading:?}, not {line}");
            return Err(at_line(number, &problem));
        }
        Ok(())
    }

    /// A line with a count, and that many rows, each of these words.
    pub(super) fn rows<const N: usize>(&mut self, words: &str) -> Result<Vec<Row<'a, N>>, Error> {
        let (number, line) = self.next(format_args!("the number of rows `{words}`"))?;
        let count: usize = parsed(number, line.trim_end(), "a number of rows")?;
        // Room is made as rows come: a count may say anything.
        let mut rows = Vec::new();
        for place in 1..=count {
            let (line, text) = self.next(format_args!("row {place} of {count}, `{words}`"))?;
            let mut found = text.splitn(N, ' ');
            let row = std::array::from_fn(|_| found.next().unwrap_or_default());
            if row[N - 1].is_empty() {
                let text = shown(text.as_bytes());
                let problem = format!("expected row {place} of {count}, `{words}`, not {text}");
                return Err(at_line(line, &problem));
            }
            rows.push(Row { line, words: row });
        }
        Ok(rows)
    }

    /// Only blank lines may be left.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        for line in self.rest.by_ref() {
            self.number += 1;
            if !line.trim().is_empty() {
                let line = shown(line.as_bytes());
                return Err(at_line(self.number, &format!("the model ends before {line}")));
            }
        }
        Ok(())
    }
}

/// A word that is a number.
pub(super) fn parsed<T: std::str::FromStr>(
    line: usize,
    word: &str,
    wanted: &str,
) -> Result<T, Error> {
    word.parse()
        .map_err(|_| at_line(line, &format!("expected {wanted}, not {}", shown(word.as_bytes()))))
}

/// A word that is a token, in the characters that GPT-2 writes bytes with: `Ġof` -> ` of`.
pub(super) fn token(line: usize, word: &str) -> Result<Vec<u8>, Error> {
    let bytes: Option<Vec<u8>> = word.chars().map(byte_of).collect();
    bytes.filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        let word = shown(word.as_bytes());
        at_line(line, &format!("{word} is no token in the characters of GPT-2"))
    })
}

/// The byte that a character stands for: itself if it is visible, and else its place among the
/// bytes that are not, counted from U+0100.
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
