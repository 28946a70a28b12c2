//! The character classes that the named patterns distinguish, and the text that they read.

use std::cell::Cell;
use std::sync::LazyLock;

use crate::pretokenize::unicode::generated::RANGES;
use crate::pretokenize::unicode::table::CodePointTable;

/// The class of a character; every character has exactly one.
pub(crate) type Class = u8;

/// `\p{Lu}`
pub(crate) const UPPER: Class = 0;
/// `\p{Ll}`
pub(crate) const LOWER: Class = 1;
/// `\p{Lt}`
pub(crate) const TITLE: Class = 2;
/// `[\p{Lm}\p{Lo}]`
pub(crate) const OTHER: Class = 3;
/// `\p{M}`
pub(crate) const MARK: Class = 4;
/// `\p{N}`
pub(crate) const NUMBER: Class = 5;
/// `[\p{P}\p{S}]`
pub(crate) const PUNCT: Class = 6;
/// `[\p{Z}\p{C}]` that is not `\s`
pub(crate) const CONTROL: Class = 7;
/// The space, U+0020
pub(crate) const BLANK: Class = 8;
/// `\s` that is neither the space nor a newline
pub(crate) const WHITE: Class = 9;
/// `[\r\n]`
pub(crate) const NEWLINE: Class = 10;
/// The end of the text: no character
pub(crate) const END: Class = 11;
/// A power of two, no smaller than the number of classes
pub(crate) const CLASS_LIMIT: usize = 16;

/// A set of classes, as one bit each.
#[derive(Clone, Copy)]
pub(crate) struct ClassSet(u16);

impl ClassSet {
    /// Creates the set of the given classes.
    pub(crate) const fn of(classes: &[Class]) -> ClassSet {
        let mut bits = 0;
        let mut i = 0;
        while i < classes.len() {
            bits |= 1 << classes[i];
            i += 1;
        }
        ClassSet(bits)
    }

    /// Whether the class is in the set.
    pub(crate) const fn contains(self, class: Class) -> bool {
        self.0 >> class & 1 != 0
    }
}

/// `\p{L}`
pub(crate) const LETTER: ClassSet = ClassSet::of(&[UPPER, LOWER, TITLE, OTHER]);
/// `[^\s\p{L}\p{N}]`
pub(crate) const SYMBOL: ClassSet = ClassSet::of(&[MARK, PUNCT, CONTROL]);
/// `\s`
pub(crate) const SPACE: ClassSet = ClassSet::of(&[BLANK, WHITE, NEWLINE]);

/// The classes of all code points.
pub(crate) struct ClassTable(CodePointTable);

static TABLE: LazyLock<ClassTable> = LazyLock::new(|| ClassTable(CodePointTable::new(&RANGES, 4)));

impl ClassTable {
    /// Returns the table, which is built on first use.
    pub(crate) fn get() -> &'static ClassTable {
        &TABLE
    }

    /// Returns the class of a code point.
    #[inline(always)]
    pub(crate) fn class_of(&self, code_point: u32) -> Class {
        self.0.number_of(code_point)
    }
}

/// The classes of ASCII, which most text is.
static ASCII: [Class; 128] = {
    let mut classes = [0; 128];
    let mut range = 0;
    let mut byte = 0;
    while byte < 128 {
        while RANGES[range + 1] >> 4 <= byte {
            range += 1;
        }
        classes[byte as usize] = (RANGES[range] & 15) as Class;
        byte += 1;
    }
    classes
};

/// A text that scanners read by the classes of its characters. It notices when they read its end.
pub(crate) struct Text<'t> {
    /// UTF-8.
    pub(crate) bytes: &'t [u8],
    table: &'static ClassTable,
    is_end_read: Cell<bool>,
}

impl<'t> Text<'t> {
    /// Wraps a string.
    pub(crate) fn new(text: &'t str) -> Text<'t> {
        let (bytes, table) = (text.as_bytes(), ClassTable::get());
        Text { bytes, table, is_end_read: Cell::new(false) }
    }

    /// Returns the text before `end`, as a text of its own.
    pub(crate) fn before(&self, end: usize) -> Text<'t> {
        Text { bytes: &self.bytes[..end], table: self.table, is_end_read: Cell::new(false) }
    }

    /// Returns the boundary between characters at or before an offset; the end of the text if that is
    /// before the offset.
    pub(crate) fn find_boundary(&self, offset: usize) -> usize {
        let mut at = offset.min(self.bytes.len());
        while self.bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
            at -= 1;
        }
        at
    }

    /// Whether something has depended on where the text ends: what was decided before is the same
    /// for every text that starts with this one.
    pub(crate) fn is_end_read(&self) -> bool {
        self.is_end_read.get()
    }

    #[cold]
    fn read_end(&self) {
        self.is_end_read.set(true);
    }

    /// Returns the byte at `at`; `None` at the end of the text.
    #[inline(always)]
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.bytes.get(at);
        if byte.is_none() {
            self.read_end();
        }
        byte.copied()
    }

    /// Returns the class of the character at `at`, and its end; `END` at the end of the text.
    #[inline(always)]
    pub(crate) fn peek(&self, at: usize) -> (Class, usize) {
        match self.bytes.get(at) {
            None => {
                self.read_end();
                (END, at)
            }

            Some(&byte) if byte < 128 => (ASCII[byte as usize], at + 1),
            Some(_) => self.peek_wide(at),
        }
    }

    /// Returns the class of the character at `at`, which is not ASCII, and its end.
    #[inline(always)]
    pub(crate) fn peek_wide(&self, at: usize) -> (Class, usize) {
        let (code_point, end) = self.decode(at);
        (self.table.class_of(code_point), end)
    }

    /// Decodes the character at `at`, which is not ASCII; returns its code point and its end.
    #[inline(always)]
    pub(crate) fn decode(&self, at: usize) -> (u32, usize) {
        decode(self.bytes, at)
    }

    /// Whether the character at `at` is in the set; false at the end of the text.
    #[inline]
    pub(crate) fn is_in(&self, at: usize, set: ClassSet) -> bool {
        set.contains(self.peek(at).0)
    }

    /// Skips the characters from `at` on that are in the set; returns the end of the run.
    #[inline]
    pub(crate) fn skip_run(&self, mut at: usize, set: ClassSet) -> usize {
        loop {
            let (class, end) = self.peek(at);
            if !set.contains(class) {
                return at;
            }
            at = end;
        }
    }

    /// Returns the start of the character that ends at `end`.
    #[inline]
    pub(crate) fn previous_start(&self, end: usize) -> usize {
        let mut start = end - 1;
        while self.bytes[start] & 0xC0 == 0x80 {
            start -= 1;
        }
        start
    }
}

/// Decodes the character at `at`, which is not ASCII, of UTF-8; returns its code point and its end.
#[inline(always)]
pub(crate) fn decode(bytes: &[u8], at: usize) -> (u32, usize) {
    let rest = &bytes[at..];
    let (code_point, len) = match rest.first_chunk() {
        Some(chunk) => decode_chunk(*chunk),
        None => decode_end(rest),
    };
    (code_point, at + len)
}

/// Decodes the first character of four bytes. It is not ASCII.
#[inline(always)]
fn decode_chunk(chunk: [u8; 4]) -> (u32, usize) {
    let word = u32::from_be_bytes(chunk);
    let tail = |end: u32| word >> (32 - end) & 0x3F;
    match chunk[0] {
        lead if lead < 0xE0 => ((word >> 24 & 0x1F) << 6 | tail(16), 2),
        lead if lead < 0xF0 => ((word >> 24 & 0x0F) << 12 | tail(16) << 6 | tail(24), 3),
        _ => ((word >> 24 & 0x07) << 18 | tail(16) << 12 | tail(24) << 6 | tail(32), 4),
    }
}

/// Decodes the character that starts up to three bytes before the end of a text.
#[cold]
fn decode_end(rest: &[u8]) -> (u32, usize) {
    let mut chunk = [0; 4];
    chunk[..rest.len()].copy_from_slice(rest);
    decode_chunk(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peek_returns_the_class_and_the_end() {
        for (text, class) in
            [("A", UPPER), ("é", LOWER), ("ǅ", TITLE), ("语", OTHER), ("😀", PUNCT)]
        {
            assert_eq!(Text::new(text).peek(0), (class, text.len()));
            assert_eq!(Text::new(text).peek(text.len()), (END, text.len()));
        }
    }
}
