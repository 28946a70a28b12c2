//! A block of input becomes documents.

use std::mem;
use std::ops::Range;
use std::str;

use memchr::memmem;
use simdutf8::basic::from_utf8;

use super::format::Format;
use super::json::{self, Flaw};
use super::limits::Limits;
use super::stream::Block;
use super::{BLOCK, Batch, OnError, Options};
use crate::Error;

/// How many refused items are remembered with what is wrong with them; all are counted.
pub(super) const REMEMBERED: usize = 10;

/// How many keys of an object an error names.
const KEYS: usize = 10;

/// Where documents go, and what was refused on the way.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) batch: Batch,
    /// How many items were skipped.
    pub(super) skipped: u64,
    /// The first of them: the number of the block, and what is wrong.
    pub(super) refused: Vec<(u64, String)>,
}

impl Sink {
    /// Skips what is wrong, if that is wanted.
    pub(super) fn refuse(&mut self, error: Error, on: OnError, number: u64) -> Result<(), Error> {
        if on == OnError::Raise {
            return Err(error);
        }
        self.skipped += 1;
        if self.refused.len() < REMEMBERED {
            self.refused.push((number, error.to_string()));
        }
        Ok(())
    }
}

/// The messages of the first items refused, in the order of the input.
pub(super) fn first_refused<'s>(sinks: impl Iterator<Item = &'s Sink>) -> Vec<String> {
    let mut all: Vec<_> = sinks.flat_map(|sink| &sink.refused).collect();
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().take(REMEMBERED).map(|(_, message)| message.clone()).collect()
}

/// What a parser has to know beside the block.
pub(super) struct Parser<'p> {
    pub(super) name: &'p str,
    pub(super) format: Format,
    pub(super) options: &'p Options,
    /// The number of the block.
    pub(super) number: u64,
}

impl Parser<'_> {
    /// Adds the documents of the block to the sink, as far as the limits go.
    pub(super) fn parse(
        &self,
        block: &mut Block,
        limits: &mut Limits,
        sink: &mut Sink,
    ) -> Result<(), Error> {
        match (self.format, &self.options.separator) {
            (Format::JsonLines, _) => self.lines(block, limits, sink),
            (Format::Text, Some(separator)) => self.separated(block, separator, limits, sink),
            (Format::Text, None) => self.whole(block, limits, sink),
        }
    }

    fn lines(&self, block: &Block, limits: &mut Limits, sink: &mut Sink) -> Result<(), Error> {
        if let Ok(text) = from_utf8(&block.bytes) {
            return self.valid_lines(text, block.line, limits, sink);
        }
        for (number, line) in block.bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let number = block.line + number as u64;
            match str::from_utf8(line) {
                Ok(line) => self.valid_lines(line, number, limits, sink)?,
                Err(error) => {
                    let at = error.valid_up_to();
                    let message = format!("byte {at} of the line is not UTF-8; {FIX}");
                    self.refuse(sink, Some(number), None, message)?;
                }
            }
            if limits.reached() {
                break;
            }
        }
        Ok(())
    }

    fn valid_lines(
        &self,
        text: &str,
        first: u64,
        limits: &mut Limits,
        sink: &mut Sink,
    ) -> Result<(), Error> {
        let column = &self.options.column;
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut number = first;
        while at < bytes.len() && !limits.reached() {
            match bytes[at] {
                b'\n' => at += 1,
                b' ' | b'\t' | b'\r' if is_blank(&text[at..]) => at += line_length(&text[at..]),
                _ => {
                    let line = &text[at..];
                    match sink.batch.push_with(|into| json::read_line(line, column, into)) {
                        Ok(length) => {
                            at += length;
                            if !limits.admit(sink.batch.last_bytes()) {
                                sink.batch.pop();
                            }
                        }
                        Err(flaw) => {
                            let (of, message) = self.flaw(flaw, line);
                            self.refuse(sink, Some(number), of, message)?;
                            at += line_length(line);
                        }
                    }
                }
            }
            number += 1;
        }
        Ok(())
    }

    fn separated(
        &self,
        block: &Block,
        separator: &str,
        limits: &mut Limits,
        sink: &mut Sink,
    ) -> Result<(), Error> {
        let mut start = 0;
        let ends = memmem::find_iter(&block.bytes, separator).chain([block.bytes.len()]);
        for end in ends {
            // What is between two separators in a row, or after the last, is no document.
            if start < end && !limits.reached() {
                match from_utf8(&block.bytes[start..end]) {
                    Ok(document) if limits.admit(document.len()) => sink.batch.push(document),
                    Ok(_) => {}
                    Err(_) => self.not_utf8(block, start..end, sink)?,
                }
            }
            start = end + separator.len();
        }
        Ok(())
    }

    fn whole(&self, block: &mut Block, limits: &mut Limits, sink: &mut Sink) -> Result<(), Error> {
        self.document(block, limits, sink)?;
        if block.continues {
            sink.batch.set_continues();
        }
        Ok(())
    }

    fn document(
        &self,
        block: &mut Block,
        limits: &mut Limits,
        sink: &mut Sink,
    ) -> Result<(), Error> {
        if block.bytes.len() < BLOCK {
            match from_utf8(&block.bytes) {
                Ok(document) if limits.admit(document.len()) => sink.batch.push(document),
                Ok(_) => {}
                Err(_) => self.not_utf8(block, 0..block.bytes.len(), sink)?,
            }
            return Ok(());
        }
        // Large, so it is moved and not copied.
        match String::from_utf8(mem::take(&mut block.bytes)) {
            Ok(document) if limits.admit(document.len()) => sink.batch.push_owned(document),
            Ok(_) => {}
            Err(error) => {
                block.bytes = error.into_bytes();
                self.not_utf8(block, 0..block.bytes.len(), sink)?;
            }
        }
        Ok(())
    }

    fn not_utf8(
        &self,
        block: &Block,
        document: Range<usize>,
        sink: &mut Sink,
    ) -> Result<(), Error> {
        let start = document.start;
        let valid =
            str::from_utf8(&block.bytes[document]).map_or_else(|e| e.valid_up_to(), str::len);
        let at = block.offset + (start + valid) as u64;
        let what = "is not UTF-8; convert the file, with iconv for one, or pass on_error='skip' (--on-error skip)";
        self.refuse(sink, None, None, format!("byte {at} {what}"))
    }

    fn refuse(
        &self,
        sink: &mut Sink,
        line: Option<u64>,
        column: Option<String>,
        message: String,
    ) -> Result<(), Error> {
        let file = Some(self.name.to_owned());
        let error = Error::Corpus { file, line, column, message };
        sink.refuse(error, self.options.on_error, self.number)
    }

    /// What to say about a line; and about which column, if it is about one.
    fn flaw(&self, flaw: Flaw, line: &str) -> (Option<String>, String) {
        let column = Some(self.options.column.clone());
        match flaw {
            Flaw::Syntax { expected, at } => {
                (None, format!("not JSON: byte {at} should be {expected}; {FIX}"))
            }
            Flaw::NoObject => {
                let what = "no JSON object; a line is one, with the text under a key";
                (None, format!("{what}: {{\"{}\": \"...\"}}; {FIX}", self.options.column))
            }
            Flaw::NoColumn => {
                let keys = json::keys(line);
                let more = if keys.len() > KEYS { ", ..." } else { "" };
                let listed: Vec<_> = keys.iter().take(KEYS).map(|key| format!("'{key}'")).collect();
                let has = if listed.is_empty() {
                    "nothing".to_owned()
                } else {
                    format!("{}{more}", listed.join(", "))
                };
                let what = format!("the line has no such column; it has {has}");
                (column, format!("{what}; name the column that holds the text, or {SKIP}"))
            }
            Flaw::NoString(kind) => (column, format!("{kind} instead of a string; {FIX}")),
            Flaw::Surrogate { at } => {
                let what = "is half of a surrogate pair, which no UTF-8 can hold";
                (column, format!("the escape at byte {at} {what}; {FIX}"))
            }
        }
    }
}

const SKIP: &str = "pass on_error='skip' (--on-error skip)";
const FIX: &str = "fix the line, or pass on_error='skip' (--on-error skip)";

/// How many bytes the first line has, with its end.
fn line_length(text: &str) -> usize {
    memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |at| at + 1)
}

fn is_blank(text: &str) -> bool {
    text[..line_length(text)].bytes().all(|byte| byte.is_ascii_whitespace())
}
