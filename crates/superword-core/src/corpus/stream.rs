//! Input in blocks that end where documents end.

use std::io::{self, Read};
use std::mem;

use memchr::memmem::Finder;

use super::BLOCK;
use super::format::Format;
use super::split_points::last_split_point;

/// A byte order mark, which some programs put before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A block of unpacked input: whole lines, whole documents with their separators, a whole
/// file, or a piece of one.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The number of its first line, counted from 1, when it is read by lines.
    pub(super) line: u64,
    /// Where it starts in the unpacked input.
    pub(super) offset: u64,
    /// Whether it ends at a seam of a document, and not at its end.
    pub(super) continues: bool,
}

impl Block {
    /// Gives back the room of an unusually large document, which would be held beside its copy.
    pub(super) fn release(&mut self) {
        if self.bytes.capacity() > 4 * BLOCK {
            self.bytes = Vec::new();
        }
    }
}

/// Where input may be cut.
enum Cut {
    Line,
    Separator(Box<Finder<'static>>),
    Seam,
    Nowhere,
}

/// Unpacked input, read in blocks.
pub(super) struct Stream {
    input: Box<dyn Read + Send>,
    cut: Cut,
    /// What was read past the end of the last block.
    carry: Vec<u8>,
    /// Where the next block starts.
    line: u64,
    offset: u64,
    /// How many bytes of input there are, if known: how much room to make.
    size: Option<u64>,
    started: bool,
    /// What ended the input, if it has ended.
    end: Option<io::Result<()>>,
}

impl Stream {
    /// The input in this format.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        format: Format,
        separator: Option<&str>,
        in_pieces: bool,
        size: Option<u64>,
    ) -> Stream {
        let cut = match (format, separator) {
            (Format::JsonLines, _) => Cut::Line,
            (Format::Text, Some(separator)) => {
                Cut::Separator(Box::new(Finder::new(separator.as_bytes()).into_owned()))
            }
            (Format::Text, None) if in_pieces => Cut::Seam,
            (Format::Text, None) => Cut::Nowhere,
        };
        let carry = Vec::new();
        Stream { input, cut, carry, line: 1, offset: 0, size, started: false, end: None }
    }

    /// Reads the next block; false at the end.
    ///
    /// When the input breaks off, the documents before the break come first, then the error; the
    /// document that is broken does not come.
    pub(super) fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        self.start();
        block.bytes.clear();
        block.bytes.append(&mut self.carry);
        (block.line, block.offset) = (self.line, self.offset);
        let mut looked = 0;
        let mut cut = 0;
        while self.end.is_none() && (block.bytes.len() < BLOCK || cut == 0) {
            self.fill(&mut block.bytes);
            cut = self.last_cut(&block.bytes, &mut looked).unwrap_or(cut);
        }
        if matches!(self.end, Some(Ok(()))) {
            cut = block.bytes.len();
        }
        if cut == 0 {
            // What is left when the input broke off is half a document, and is let go.
            block.bytes.clear();
            return self.end.replace(Ok(())).unwrap_or(Ok(())).map(|()| false);
        }
        block.continues = cut < block.bytes.len() && matches!(self.cut, Cut::Seam);
        self.carry.extend_from_slice(&block.bytes[cut..]);
        block.bytes.truncate(cut);
        self.offset += cut as u64;
        if matches!(self.cut, Cut::Line) {
            self.line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        }
        Ok(true)
    }

    /// Leaves out a byte order mark at the start.
    fn start(&mut self) {
        if mem::replace(&mut self.started, true) {
            return;
        }
        if let Err(error) = self.input.by_ref().take(MARK.len() as u64).read_to_end(&mut self.carry)
        {
            self.end = Some(Err(error));
        }
        if self.carry == MARK {
            self.carry.clear();
            self.offset = MARK.len() as u64;
        }
    }

    /// Reads on: a block more, or all there is if it is one document.
    fn fill(&mut self, bytes: &mut Vec<u8>) {
        if matches!(self.cut, Cut::Nowhere) {
            // One more than there is, so that the end is seen without growing.
            bytes.reserve(self.size.map_or(0, |size| size as usize + 1));
            self.end = Some(self.input.read_to_end(bytes).map(|_| ()));
            return;
        }
        let mut filled = bytes.len();
        bytes.resize((filled + 1).next_multiple_of(BLOCK), 0);
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

    /// Where the last document ends that is whole; all before `looked` has been looked at.
    fn last_cut(&self, bytes: &[u8], looked: &mut usize) -> Option<usize> {
        match &self.cut {
            Cut::Nowhere => None,
            Cut::Seam => {
                // A seam may lie on both sides of where the last look ended.
                let from = looked.saturating_sub(2);
                *looked = bytes.len();
                last_split_point(&bytes[from..]).map(|at| from + at)
            }
            Cut::Line => {
                let found = memchr::memrchr(b'\n', &bytes[*looked..]).map(|at| *looked + at + 1);
                *looked = bytes.len();
                found
            }
            // From the left, since separators might overlap: the documents may not depend on
            // where blocks end.
            Cut::Separator(separator) => {
                let length = separator.needle().len();
                let last = separator.find_iter(&bytes[*looked..]).last();
                let found = last.map(|at| *looked + at + length);
                *looked = found.unwrap_or(*looked).max((bytes.len() + 1).saturating_sub(length));
                found
            }
        }
    }
}
