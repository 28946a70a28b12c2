//! Input in blocks that end where documents end.

use std::io::{self, Read};
use std::mem;

use memchr::memmem::Finder;

use super::BLOCK_SIZE;
use super::format::Format;
use super::split_points::last_split_point;

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
        split_documents: bool,
        size: Option<u64>,
    ) -> Stream {
        let block_end = match (format, separator) {
            (Format::JsonLines, _) => BlockEnd::Line,
            (Format::Text, Some(separator)) => {
                BlockEnd::Separator(Box::new(Finder::new(separator.as_bytes()).into_owned()))
            }
            (Format::Text, None) if split_documents => BlockEnd::SplitPoint,
            (Format::Text, None) => BlockEnd::EndOfInput,
        };
        let carry = Vec::new();
        let (line, offset) = (1, 0);
        Stream { input, block_end, carry, line, offset, size, has_started: false, end: None }
    }

    /// Reads the next block; returns false at the end.
    ///
    /// When the input breaks off, the complete documents come first, then the error. The incomplete
    /// document is dropped.
    pub(super) fn read_block(&mut self, block: &mut InputBlock) -> io::Result<bool> {
        self.skip_byte_order_mark();
        block.bytes.clear();
        block.bytes.append(&mut self.carry);
        (block.line, block.offset) = (self.line, self.offset);
        let mut searched = 0;
        let mut end = 0;
        while self.end.is_none() && (block.bytes.len() < BLOCK_SIZE || end == 0) {
            self.fill(&mut block.bytes);
            end = self.find_last_end(&block.bytes, &mut searched).unwrap_or(end);
        }
        if matches!(self.end, Some(Ok(()))) {
            end = block.bytes.len();
        }
        if end == 0 {
            block.bytes.clear();
            return self.end.replace(Ok(())).unwrap_or(Ok(())).map(|()| false);
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
            bytes.reserve(self.size.map_or(0, |size| size as usize + 1));
            self.end = Some(self.input.read_to_end(bytes).map(|_| ()));
            return;
        }
        let mut filled = bytes.len();
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
