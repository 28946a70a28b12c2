//! The classes of characters that the named patterns tell apart.

use std::sync::LazyLock;

use crate::pretokenize::unicode::generated::RANGES;

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
/// `\s` that is neither the space nor a line end
pub(crate) const WHITE: Class = 9;
/// `[\r\n]`
pub(crate) const NEWLINE: Class = 10;
/// How many classes characters have
pub(crate) const CLASSES: usize = 11;
/// No character: the end of the text
pub(crate) const END: Class = 11;

/// A set of classes, as one bit each.
#[derive(Clone, Copy)]
pub(crate) struct Set(u16);

impl Set {
    /// The set of the classes given.
    pub(crate) const fn of(classes: &[Class]) -> Set {
        let mut bits = 0;
        let mut i = 0;
        while i < classes.len() {
            bits |= 1 << classes[i];
            i += 1;
        }
        Set(bits)
    }

    /// Whether the class is in the set.
    pub(crate) const fn has(self, class: Class) -> bool {
        self.0 >> class & 1 != 0
    }
}

/// `\p{L}`
pub(crate) const LETTER: Set = Set::of(&[UPPER, LOWER, TITLE, OTHER]);
/// `[^\s\p{L}\p{N}]`
pub(crate) const SYMBOL: Set = Set::of(&[MARK, PUNCT, CONTROL]);
/// `\s`
pub(crate) const SPACE: Set = Set::of(&[BLANK, WHITE, NEWLINE]);

/// The classes of all code points, in two stages: equal blocks of 256 are stored once.
pub(crate) struct Table {
    block: Vec<u8>,
    class: Vec<[Class; 256]>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { block: Vec::new(), class: Vec::new() };
    let mut range = 0;
    for first in (0..0x0011_0000_u32).step_by(256) {
        let mut classes = [0; 256];
        for (code_point, class) in (first..).zip(&mut classes) {
            while RANGES.get(range + 1).is_some_and(|next| next >> 4 <= code_point) {
                range += 1;
            }
            *class = (RANGES[range] & 15) as Class;
        }
        let known = table.class.iter().position(|other| *other == classes);
        let index = known.unwrap_or_else(|| {
            table.class.push(classes);
            table.class.len() - 1
        });
        table.block.push(u8::try_from(index).expect("far fewer than 256 distinct blocks"));
    }
    table
});

impl Table {
    /// The one table, made on first use.
    pub(crate) fn get() -> &'static Table {
        &TABLE
    }

    /// The class of a code point.
    #[inline]
    pub(crate) fn of(&self, code_point: u32) -> Class {
        let block = self.block[(code_point >> 8) as usize];
        self.class[block as usize][(code_point & 255) as usize]
    }
}

/// The classes of ASCII, where most text is.
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

/// A text with its characters' classes: what the scanners read.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    /// UTF-8.
    pub(crate) bytes: &'t [u8],
    table: &'static Table,
}

impl<'t> Text<'t> {
    /// The text of a string.
    pub(crate) fn new(text: &'t str) -> Text<'t> {
        Text { bytes: text.as_bytes(), table: Table::get() }
    }

    /// The class of the character at `at`, and where it ends; `END` at the end of the text.
    #[inline(always)]
    pub(crate) fn peek(&self, at: usize) -> (Class, usize) {
        match self.bytes.get(at) {
            None => (END, at),
            Some(&byte) if byte < 128 => (ASCII[byte as usize], at + 1),
            Some(_) => {
                let (code_point, end) = self.decode(at);
                (self.table.of(code_point), end)
            }
        }
    }

    /// The code point of the character at `at`, which is not ASCII, and where it ends.
    #[inline]
    pub(crate) fn decode(&self, at: usize) -> (u32, usize) {
        let rest = &self.bytes[at..];
        let tail = |i: usize| u32::from(rest[i] & 0x3F);
        match rest[0] {
            lead if lead < 0xE0 => (u32::from(lead & 0x1F) << 6 | tail(1), at + 2),
            lead if lead < 0xF0 => (u32::from(lead & 0x0F) << 12 | tail(1) << 6 | tail(2), at + 3),
            lead => {
                let code_point = u32::from(lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6;
                (code_point | tail(3), at + 4)
            }
        }
    }

    /// Whether the character at `at` is in the set; not at the end.
    #[inline]
    pub(crate) fn is(&self, at: usize, set: Set) -> bool {
        set.has(self.peek(at).0)
    }

    /// Where the characters in the set that start at `at` end.
    #[inline]
    pub(crate) fn run(&self, mut at: usize, set: Set) -> usize {
        loop {
            let (class, end) = self.peek(at);
            if !set.has(class) {
                return at;
            }
            at = end;
        }
    }

    /// Where the character that ends at `end` starts.
    #[inline]
    pub(crate) fn before(&self, end: usize) -> usize {
        let mut start = end - 1;
        while self.bytes[start] & 0xC0 == 0x80 {
            start -= 1;
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_agree_with_the_ranges_they_were_made_from() {
        let table = Table::get();
        let mut range = 0;
        for code_point in 0..0x0011_0000 {
            if RANGES.get(range + 1).is_some_and(|next| next >> 4 == code_point) {
                range += 1;
            }
            assert_eq!(u32::from(table.of(code_point)), RANGES[range] & 15, "{code_point:x}");
        }
    }

    #[test]
    fn a_character_is_peeked_at_whole() {
        for (text, class) in
            [("A", UPPER), ("é", LOWER), ("ǅ", TITLE), ("语", OTHER), ("😀", PUNCT)]
        {
            assert_eq!(Text::new(text).peek(0), (class, text.len()));
            assert_eq!(Text::new(text).peek(text.len()), (END, text.len()));
        }
    }
}
