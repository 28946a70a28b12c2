//! Input in blocks that end where documents end.

use std::io::{self, Read};
use std::mem;

use memchr::memmem::Finder;

use super::format::Format;
use super::split_points::last_split_point;
use super::{BLOCK_SIZE, ReadOptions};
use crate::Error;

/// After so many blocks of a document that is skipped, the caller may stop.
const MAX_SKIPPED_BLOCKS: usize = 64;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A block of decompressed input: whole lines, whole documents with their separators, a whole file,
/// or a piece of one.
#[derive(Debug, Default)]
pub(super) struct InputBlock {
    pub(super) bytes: Vec<u8>,
    /// The number of its first line, counted from 1, if the input is read by lines.
    pub(super) line: u64,
    /// Its offset in the decompressed input.
    pub(super) offset: u64,
    /// Whether its last document continues in the next block.
    pub(super) continues: bool,
}

impl InputBlock {
    /// Frees the memory of an unusually large document, of which the batch has a copy.
    pub(super) fn shrink(&mut self) {
        if self.bytes.capacity() > 4 * BLOCK_SIZE {
            self.bytes = Vec::new();
        }
    }
}

/// Why input could not be read on.
#[derive(Debug)]
pub(super) enum StreamError {
    Io(io::Error),
    /// A document is larger than the limit.
    TooLarge(LargeDocument),
}

/// A document that is larger than the limit.
#[derive(Debug)]
pub(super) struct LargeDocument {
    /// Its line, if the input is read by lines, or its offset.
    line: Option<u64>,
    offset: u64,
    limit: u64,
}

impl LargeDocument {
    /// Returns the error for a document of this file.
    pub(super) fn explain(&self, file: &str) -> Error {
        let place = match (self.line, self.offset) {
            (None, 1..) => format!(" at byte {}", self.offset),
            _ => String::new(),
        };
        let message = format!(
            "the document{place} has more than {} bytes, the largest that is read with this \
             memory_limit, or 4 GiB without one; split it, raise the limit, or pass \
             on_error='skip' (--on-error skip)",
            self.limit
        );
        Error::Corpus { file: Some(file.to_owned()), line: self.line, column: None, message }
    }
}

/// Where a block may end.
enum BlockEnd {
    Line,
    Separator(Box<Finder<'static>>),
    SplitPoint,
    EndOfInput,
}

/// Decompressed input, read in blocks.
pub(super) struct Stream {
    input: Box<dyn Read + Send>,
    block_end: BlockEnd,
    /// Input that was read past the end of the last block.
    carry: Vec<u8>,
    /// The line and the offset of the next block.
    line: u64,
    offset: u64,
    /// The size of the input in bytes, if known.
    size: Option<u64>,
    /// The largest document, in bytes.
    max_document_bytes: u64,
    /// Whether the rest of a document that is too large comes next.
    skips: bool,
    has_started: bool,
    /// How the input ended, once it has.
    end: Option<io::Result<()>>,
}

impl Stream {
    /// Reads input of this format.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        format: Format,
        separator: Option<&str>,
        options: ReadOptions,
        size: Option<u64>,
    ) -> Stream {
        let block_end = match (format, separator) {
            (Format::JsonLines, _) => BlockEnd::Line,
            (Format::Text, Some(separator)) => {
                BlockEnd::Separator(Box::new(Finder::new(separator.as_bytes()).into_owned()))
            }
            (Format::Text, None) if options.split_documents => BlockEnd::SplitPoint,
            (Format::Text, None) => BlockEnd::EndOfInput,
        };
        Stream {
            input,
            block_end,
            carry: Vec::new(),
            line: 1,
            offset: 0,
            size,
            max_document_bytes: options.max_document_bytes,
            skips: false,
            has_started: false,
            end: None,
        }
    }

    /// Reads the next block; returns false at the end.
    ///
    /// A block may be empty: after a part of a document that is too large, so that the caller can stop.
    ///
    /// When the input breaks off, the complete documents come first, then the error. The incomplete
    /// document is dropped. After the error of a document that is too large, reading goes on behind it.
    pub(super) fn read_block(&mut self, block: &mut InputBlock) -> Result<bool, StreamError> {
        self.skip_byte_order_mark();
        block.bytes.clear();
        block.bytes.append(&mut self.carry);
        if self.skips && !self.skip_document(&mut block.bytes) {
            self.carry.append(&mut block.bytes);
            block.continues = false;
            return Ok(true);
        }
        self.skips = false;
        (block.line, block.offset) = (self.line, self.offset);
        let mut searched = 0;
        let mut end = 0;
        while self.end.is_none() && (block.bytes.len() < BLOCK_SIZE || end == 0) {
            self.fill(&mut block.bytes);
            let before = searched;
            let found = self.find_last_end(&block.bytes, &mut searched);
            if end == 0 && block.bytes.len() as u64 > self.max_document_bytes {
                let may_end = found.is_some() && matches!(self.block_end, BlockEnd::SplitPoint);
                if !may_end {
                    self.check_first_document(block, before)?;
                }
            }
            end = found.unwrap_or(end);
        }
        if matches!(self.end, Some(Ok(()))) {
            end = block.bytes.len();
        }
        if end == 0 {
            block.bytes.clear();
            let ended = self.end.replace(Ok(())).unwrap_or(Ok(()));
            return ended.map(|()| false).map_err(StreamError::Io);
        }
        block.continues = end < block.bytes.len() && matches!(self.block_end, BlockEnd::SplitPoint);
        self.carry.extend_from_slice(&block.bytes[end..]);
        block.bytes.truncate(end);
        self.offset += end as u64;
        if matches!(self.block_end, BlockEnd::Line) {
            self.line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        }
        Ok(true)
    }

    /// Rejects a first document that is too large. None ends before `searched`.
    fn check_first_document(
        &mut self,
        block: &mut InputBlock,
        searched: usize,
    ) -> Result<(), StreamError> {
        let end = self.find_first_end(&block.bytes, searched).unwrap_or(block.bytes.len());
        if end as u64 <= self.max_document_bytes {
            return Ok(());
        }
        let line = matches!(self.block_end, BlockEnd::Line).then_some(self.line);
        let (offset, limit) = (self.offset, self.max_document_bytes);
        self.skips = true;
        if !matches!(self.block_end, BlockEnd::EndOfInput) {
            self.carry.extend_from_slice(&block.bytes[searched..]);
        }
        self.offset += searched as u64;
        block.bytes = Vec::new();
        Err(StreamError::TooLarge(LargeDocument { line, offset, limit }))
    }

    /// Skips the rest of a document, whose input so far is given, and its end; or only a part of the
    /// rest, and returns false.
    fn skip_document(&mut self, bytes: &mut Vec<u8>) -> bool {
        for _ in 0..MAX_SKIPPED_BLOCKS {
            if let Some(end) = self.find_first_end(bytes, 0) {
                bytes.drain(..end);
                self.offset += end as u64;
                self.line += 1;
                return true;
            }
            // The start of a separator may be there.
            let kept = match &self.block_end {
                BlockEnd::Separator(separator) => separator.needle().len() - 1,
                _ => 0,
            };
            let dropped = bytes.len().saturating_sub(kept);
            if self.end.is_some() {
                bytes.clear();
                return true;
            }
            bytes.drain(..dropped);
            self.offset += dropped as u64;
            self.fill(bytes);
        }
        false
    }

    /// Skips a byte order mark at the start of the input.
    fn skip_byte_order_mark(&mut self) {
        if mem::replace(&mut self.has_started, true) {
            return;
        }
        let length = BYTE_ORDER_MARK.len() as u64;
        if let Err(error) = self.input.by_ref().take(length).read_to_end(&mut self.carry) {
            self.end = Some(Err(error));
        }
        if self.carry == BYTE_ORDER_MARK {
            self.carry.clear();
            self.offset = length;
        }
    }

    /// Reads a block more, or all input if it is one document.
    fn fill(&mut self, bytes: &mut Vec<u8>) {
        if matches!(self.block_end, BlockEnd::EndOfInput) {
            // One byte more than the size, so that the end is seen without growing.
            let most = self.max_document_bytes.saturating_add(1);
            let size = self.size.map_or(0, |size| (size + 1).min(most) as usize);
            if bytes.try_reserve(size).is_err() {
                self.end = Some(Err(io::ErrorKind::OutOfMemory.into()));
                return;
            }
            self.end = Some(self.input.by_ref().take(most).read_to_end(bytes).map(|_| ()));
            return;
        }
        let mut filled = bytes.len();
        if bytes.try_reserve(2 * BLOCK_SIZE).is_err() {
            self.end = Some(Err(io::ErrorKind::OutOfMemory.into()));
            return;
        }
        bytes.resize((filled + 1).next_multiple_of(BLOCK_SIZE), 0);
        while self.end.is_none() && filled < bytes.len() {
            match self.input.read(&mut bytes[filled..]) {
                Ok(0) => self.end = Some(Ok(())),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.end = Some(Err(error)),
            }
        }
        bytes.truncate(filled);
    }

    /// Finds the first offset at which a document ends. None ends before `searched`.
    fn find_first_end(&self, bytes: &[u8], searched: usize) -> Option<usize> {
        let rest = &bytes[searched..];
        match &self.block_end {
            BlockEnd::EndOfInput | BlockEnd::SplitPoint => None,
            BlockEnd::Line => memchr::memchr(b'\n', rest).map(|at| searched + at + 1),
            BlockEnd::Separator(separator) => {
                separator.find(rest).map(|at| searched + at + separator.needle().len())
            }
        }
    }

    /// Finds the last offset at which a block may end. All bytes before `searched` were searched
    /// before.
    fn find_last_end(&self, bytes: &[u8], searched: &mut usize) -> Option<usize> {
        match &self.block_end {
            BlockEnd::EndOfInput => None,
            BlockEnd::SplitPoint => {
                // A split point needs two bytes before it.
                let from = searched.saturating_sub(2);
                *searched = bytes.len();
                last_split_point(&bytes[from..]).map(|at| from + at)
            }
            BlockEnd::Line => {
                let found =
                    memchr::memrchr(b'\n', &bytes[*searched..]).map(|at| *searched + at + 1);
                *searched = bytes.len();
                found
            }
            // Separators might overlap. Searching from the left makes the documents independent of
            // where blocks end.
            BlockEnd::Separator(separator) => {
                let length = separator.needle().len();
                let last = separator.find_iter(&bytes[*searched..]).last();
                let found = last.map(|at| *searched + at + length);
                *searched =
                    found.unwrap_or(*searched).max((bytes.len() + 1).saturating_sub(length));
                found
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 4 << 20;

    /// Reads all blocks, and counts the documents that were too large.
    fn read_all(input: &[u8], format: Format, separator: Option<&str>) -> (Vec<u8>, Vec<String>) {
        let options =
            ReadOptions { max_document_bytes: LIMIT as u64, ..ReadOptions::whole_documents(1) };
        let input = Box::new(io::Cursor::new(input.to_vec()));
        let mut stream = Stream::new(input, format, separator, options, None);
        let mut block = InputBlock::default();
        let (mut read, mut refused) = (Vec::new(), Vec::new());
        loop {
            match stream.read_block(&mut block) {
                Ok(true) => {
                    let before = read.len() + refused.len();
                    assert!(before == 0 || block.offset > 0);
                    read.extend_from_slice(&block.bytes);
                }
                Ok(false) => return (read, refused),
                Err(StreamError::TooLarge(document)) => {
                    assert!(block.bytes.capacity() == 0, "the document is not kept");
                    refused.push(document.explain("a.jsonl").to_string());
                }
                Err(StreamError::Io(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_line_that_is_too_large_is_refused_by_its_number_and_can_be_skipped() {
        for size in [LIMIT - 1, LIMIT, LIMIT + 1, 3 * LIMIT] {
            let small = "small\n".repeat(300_000);
            let input = format!("{small}{}\n{small}", "a".repeat(size));
            let (read, refused) = read_all(input.as_bytes(), Format::JsonLines, None);
            // The newline belongs to the line.
            if size < LIMIT {
                assert!(read == input.as_bytes() && refused.is_empty(), "{size}");
            } else {
                assert!(read == small.repeat(2).as_bytes(), "{size}");
                let [message] = &refused[..] else { panic!("{refused:?}") };
                assert!(message.starts_with("a.jsonl, line 300001: "), "{message}");
                assert!(message.contains("more than 4194304 bytes"), "{message}");
            }
        }
    }

    #[test]
    fn lines_are_counted_behind_one_that_is_too_large() {
        let large = "a".repeat(2 * LIMIT);
        let input = format!("{large}\nb\n{large}\n{large}");
        let (read, refused) = read_all(input.as_bytes(), Format::JsonLines, None);
        assert_eq!(read, b"b\n");
        let lines: Vec<_> = refused.iter().map(|message| &message[..15]).collect();
        assert_eq!(lines, ["a.jsonl, line 1", "a.jsonl, line 3", "a.jsonl, line 4"]);
    }

    #[test]
    fn a_document_of_a_text_file_that_is_too_large_is_refused() {
        let large = "a".repeat(LIMIT + 2);
        let (read, refused) = read_all(large.as_bytes(), Format::Text, None);
        assert!(read.is_empty() && refused.len() == 1);
        let input = format!("one<|end|>{large}<|end|>two");
        let (read, refused) = read_all(input.as_bytes(), Format::Text, Some("<|end|>"));
        assert_eq!(read, b"one<|end|>two");
        assert!(refused[0].contains("the document at byte 10 has more than"), "{refused:?}");
    }
}
