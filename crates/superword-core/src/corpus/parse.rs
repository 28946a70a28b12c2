//! Parsing documents from a block of input.

use std::mem;
use std::ops::Range;
use std::str;

use memchr::memmem;
use simdutf8::basic::from_utf8;

use super::format::Format;
use super::json::{self, LineError};
use super::limits::Limits;
use super::stream::InputBlock;
use super::{BLOCK_SIZE, Batch, CorpusOptions, OnError};
use crate::Error;

/// The number of skipped items whose errors are kept. All skipped items are counted.
pub(super) const MAX_MESSAGES: usize = 10;

/// The number of keys of an object that an error names.
const MAX_KEYS: usize = 10;

/// The documents of some blocks, and the items that were skipped.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) batch: Batch,
    /// The number of skipped items.
    pub(super) skipped: u64,
    /// The block and the error of the first skipped items.
    pub(super) messages: Vec<(u64, String)>,
}

impl Sink {
    /// Records a skipped item, or returns its error if it is not to be skipped.
    pub(super) fn skip_or_fail(
        &mut self,
        error: Error,
        on_error: OnError,
        block: u64,
    ) -> Result<(), Error> {
        if on_error == OnError::Raise {
            return Err(error);
        }
        self.skipped += 1;
        if self.messages.len() < MAX_MESSAGES {
            self.messages.push((block, error.to_string()));
        }
        Ok(())
    }
}

/// Returns the errors of the first skipped items, in the order of the input.
pub(super) fn collect_first_skipped<'s>(sinks: impl Iterator<Item = &'s Sink>) -> Vec<String> {
    let mut all: Vec<_> = sinks.flat_map(|sink| &sink.messages).collect();
    all.sort_by_key(|(block, _)| *block);
    all.into_iter().take(MAX_MESSAGES).map(|(_, message)| message.clone()).collect()
}

/// Parses blocks of one file.
pub(super) struct Parser<'p> {
    pub(super) name: &'p str,
    pub(super) format: Format,
    pub(super) options: &'p CorpusOptions,
    /// The weight of the file's documents, unless a column has it.
    pub(super) weight: u64,
    /// The number of the block.
    pub(super) block: u64,
    pub(super) limits: &'p mut Limits,
    pub(super) sink: &'p mut Sink,
}

impl Parser<'_> {
    /// Adds the documents of the block to the sink, up to the limits.
    pub(super) fn parse(&mut self, block: &mut InputBlock) -> Result<(), Error> {
        match (self.format, &self.options.separator) {
            (Format::JsonLines, _) => self.parse_lines(block),
            (Format::Text, Some(separator)) => self.parse_separated(block, separator),
            (Format::Text, None) => self.parse_whole(block),
        }
    }

    fn parse_lines(&mut self, block: &InputBlock) -> Result<(), Error> {
        if let Ok(text) = from_utf8(&block.bytes) {
            return self.parse_valid_lines(text, block.line);
        }
        let lines = block.bytes.split_inclusive(|&byte| byte == b'\n');
        for (line, number) in lines.zip(block.line..) {
            match str::from_utf8(line) {
                Ok(line) => self.parse_valid_lines(line, number)?,
                Err(error) => {
                    let at = error.valid_up_to();
                    let message = format!("byte {at} of the line is not UTF-8; {FIX}");
                    self.skip_or_fail(Some(number), None, message)?;
                }
            }
            if self.limits.are_reached() {
                break;
            }
        }
        Ok(())
    }

    /// Parses lines that are UTF-8. The first of them has this number.
    fn parse_valid_lines(&mut self, text: &str, mut number: u64) -> Result<(), Error> {
        let column = &self.options.column;
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.limits.are_reached() {
            match bytes[at] {
                b'\n' => at += 1,
                b' ' | b'\t' | b'\r' if is_blank(&text[at..]) => at += line_length(&text[at..]),
                _ => {
                    let line = &text[at..];
                    match self.sink.batch.push_with(|into| json::read_line(line, column, into)) {
                        Ok(length) => {
                            at += length;
                            self.weigh_line(&line[..length], number)?;
                        }
                        Err(error) => {
                            let (column, message) = self.explain(error, line);
                            self.skip_or_fail(Some(number), column, message)?;
                            at += line_length(line);
                        }
                    }
                }
            }
            number += 1;
        }
        Ok(())
    }

    /// Sets the weight of the document of a line, which is the last of the batch, and admits or
    /// drops it.
    fn weigh_line(&mut self, line: &str, number: u64) -> Result<(), Error> {
        let weights = self.options.weights.as_deref();
        let weight = match weights.and_then(|weights| Some((weights, weights.column()?))) {
            None => self.weight,
            Some((weights, column)) => match json::read_source(line, column) {
                Ok(source) => weights.find_source(&source).map_err(|message| {
                    let (file, column) = (Some(self.name.to_owned()), Some(column.to_owned()));
                    Error::Corpus { file, line: Some(number), column, message }
                })?,
                Err(error) => {
                    self.sink.batch.pop();
                    let what = match error {
                        LineError::NoString(kind) => {
                            format!("{kind} instead of a string or an integer")
                        }
                        _ => "the line has no such column to weight it by".to_owned(),
                    };
                    let message = format!("{what}; {FIX}");
                    return self.skip_or_fail(Some(number), Some(column.to_owned()), message);
                }
            },
        };
        self.sink.batch.set_last_weight(weight);
        if !self.limits.admit(self.sink.batch.last_byte_len()) {
            self.sink.batch.pop();
        }
        Ok(())
    }

    fn parse_separated(&mut self, block: &InputBlock, separator: &str) -> Result<(), Error> {
        let mut start = 0;
        let ends = memmem::find_iter(&block.bytes, separator).chain([block.bytes.len()]);
        for end in ends {
            // Nothing between two separators in a row, or after the last, is no document.
            if start < end && !self.limits.are_reached() {
                match from_utf8(&block.bytes[start..end]) {
                    Ok(document) if self.limits.admit(document.len()) => {
                        self.sink.batch.push_weighted(document, self.weight);
                    }
                    Ok(_) => {}
                    Err(_) => self.skip_not_utf8(block, start..end)?,
                }
            }
            start = end + separator.len();
        }
        Ok(())
    }

    fn parse_whole(&mut self, block: &mut InputBlock) -> Result<(), Error> {
        if block.bytes.len() < BLOCK_SIZE {
            match from_utf8(&block.bytes) {
                Ok(document) if self.limits.admit(document.len()) => {
                    self.sink.batch.push_weighted(document, self.weight);
                }
                Ok(_) => {}
                Err(_) => self.skip_not_utf8(block, 0..block.bytes.len())?,
            }
        } else {
            // A large document is moved, not copied.
            match String::from_utf8(mem::take(&mut block.bytes)) {
                Ok(document) if self.limits.admit(document.len()) => {
                    self.sink.batch.push_owned(document);
                    self.sink.batch.set_last_weight(self.weight);
                }
                Ok(_) => {}
                Err(error) => {
                    block.bytes = error.into_bytes();
                    self.skip_not_utf8(block, 0..block.bytes.len())?;
                }
            }
        }
        if block.continues {
            self.sink.batch.set_continues();
        }
        Ok(())
    }

    fn skip_not_utf8(&mut self, block: &InputBlock, document: Range<usize>) -> Result<(), Error> {
        let start = document.start;
        let valid =
            str::from_utf8(&block.bytes[document]).map_or_else(|e| e.valid_up_to(), str::len);
        let at = block.offset + (start + valid) as u64;
        let message =
            format!("byte {at} is not UTF-8; convert the file, for example with iconv, or {SKIP}");
        self.skip_or_fail(None, None, message)
    }

    fn skip_or_fail(
        &mut self,
        line: Option<u64>,
        column: Option<String>,
        message: String,
    ) -> Result<(), Error> {
        let file = Some(self.name.to_owned());
        let error = Error::Corpus { file, line, column, message };
        self.sink.skip_or_fail(error, self.options.on_error, self.block)
    }

    /// Returns the column that an error is about, if any, and the message.
    fn explain(&self, error: LineError, line: &str) -> (Option<String>, String) {
        let column = Some(self.options.column.clone());
        match error {
            LineError::Syntax { expected, at } => {
                (None, format!("not JSON: expected {expected} at byte {at}; {FIX}"))
            }
            LineError::NoObject => {
                let column = &self.options.column;
                (None, format!("not a JSON object like {{\"{column}\": \"...\"}}; {FIX}"))
            }
            LineError::NoColumn => {
                let keys = json::read_keys(line);
                let more = if keys.len() > MAX_KEYS { ", ..." } else { "" };
                let listed: Vec<_> =
                    keys.iter().take(MAX_KEYS).map(|key| format!("'{key}'")).collect();
                let has = if listed.is_empty() {
                    "nothing".to_owned()
                } else {
                    format!("{}{more}", listed.join(", "))
                };
                let what = format!("the line has no such column; it has {has}");
                (column, format!("{what}; name the column that contains the text, or {SKIP}"))
            }
            LineError::NoString(kind) => (column, format!("{kind} instead of a string; {FIX}")),
            LineError::Surrogate { at } => {
                let what = "is a lone surrogate, which UTF-8 cannot encode";
                (column, format!("the escape at byte {at} {what}; {FIX}"))
            }
        }
    }
}

const SKIP: &str = "pass on_error='skip' (--on-error skip)";
const FIX: &str = "fix the line, or pass on_error='skip' (--on-error skip)";

/// Returns the length of the first line, with its newline.
fn line_length(text: &str) -> usize {
    memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |at| at + 1)
}

fn is_blank(text: &str) -> bool {
    text[..line_length(text)].bytes().all(|byte| byte.is_ascii_whitespace())
}
