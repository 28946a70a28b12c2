//! `boundless`: the pattern of the paper, its listing 3.

use crate::pretokenize::scan::Grammar;
use crate::pretokenize::simd::block::{Block, REACH, Starts, known, run_end, run_start};
use crate::pretokenize::unicode::class::{
    BLANK, CONTROL, Class, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCT, Set, TITLE, Text,
    UPPER, WHITE,
};

/// The regex that the scanner stands for; its branches B-1 to B-11.
pub(crate) const REGEX: &str = concat!(
    r" ?(?:\p{L}\p{M}*)+['’](?:\p{L}\p{M}*)+",
    r"|_(?:\p{Ll}\p{M}*)+",
    r"| ?(?:\p{Lu}\p{M}*)+(?=(?:\p{Lu}\p{M}*)(?:\p{Ll}\p{M}*))",
    r"| ?(?:\p{Lu}\p{M}*)?(?:\p{Ll}\p{M}*)+",
    r"| ?(?:\p{Lu}\p{M}*)+",
    r"| ?(?:[\p{Lt}\p{Lm}\p{Lo}]\p{M}*)+",
    r"|(?:\p{N}\p{M}*){1,3}(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))",
    r"| ?(?:[\p{P}\p{S}]\p{M}*)+",
    r"|[^\S\r\n]*[\n\r]+|[^\S\r\n]+",
    r"|(?:[\p{Z}\p{C}]\p{M}*)+",
    r"|\p{M}+",
);

/// Letters with their marks: `(?:\p{L}\p{M}*)+` after a letter, and so on.
const MARKED_LETTER: Set = Set::of(&[UPPER, LOWER, TITLE, OTHER, MARK]);
const MARKED_UPPER: Set = Set::of(&[UPPER, MARK]);
const MARKED_LOWER: Set = Set::of(&[LOWER, MARK]);
const MARKED_OTHER: Set = Set::of(&[TITLE, OTHER, MARK]);
const MARKED_PUNCT: Set = Set::of(&[PUNCT, MARK]);
const MARKED_CONTROL: Set = Set::of(&[CONTROL, BLANK, WHITE, NEWLINE, MARK]);

/// Bits 0, 3, 6 and so on.
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;

/// The scanner. `SPACED` says whether a space may go before punctuation (` ?` in B-8), as it may
/// in the paper; in an earlier draft of the pattern it may not.
#[derive(Default)]
pub(crate) struct Boundless<const SPACED: bool> {
    /// Letters before this place are known to be in no contraction.
    plain_before: usize,
    numbers: Numbers,
}

impl<const SPACED: bool> Grammar for Boundless<SPACED> {
    fn end(&mut self, text: Text, at: usize) -> usize {
        let (class, next) = text.peek(at);
        let start = if class == BLANK { next } else { at };
        match text.peek(start).0 {
            first if LETTER.has(first) => {
                self.contraction(text, start).unwrap_or_else(|| word(text, start, first))
            }
            PUNCT if text.bytes[at] == b'_' && text.peek(next).0 == LOWER => {
                text.run(next, MARKED_LOWER)
            }
            PUNCT if SPACED || start == at => text.run(start, MARKED_PUNCT),
            _ => match class {
                NUMBER => self.numbers.end(text, at),
                CONTROL => text.run(at, MARKED_CONTROL),
                MARK => text.run(at, Set::of(&[MARK])),
                _ => text.run(text.run(at, Set::of(&[BLANK, WHITE])), Set::of(&[NEWLINE])),
            },
        }
    }

    #[inline(always)]
    fn starts(&self, block: &mut Block, at: usize) -> Starts {
        if let Some(starts) = self.numbers.starts(at) {
            return starts;
        }
        let (letter, punct, number) = (block.letter(), block.of(PUNCT), block.of(NUMBER));
        let mark = block.of(MARK);
        let mut odd = mark & !block.after(letter | punct | mark);
        odd |= block.of(CONTROL) | block.wide & block.space();
        // Of numbers that are not all one byte, only the first is known to start a pretoken.
        let unclear = number & block.wide | mark & block.after(number);
        if unclear != 0 {
            odd |= 2 << run_start(block.whole(number), unclear.trailing_zeros());
        }
        block.join_marks();

        let inline = block.of(BLANK) | block.of(WHITE);
        let spaced = (block.of(BLANK) & !(inline << 1)) << 1;
        let words = letter & !block.after(letter) & !spaced;
        let puncts = punct & !block.after(punct) & if SPACED { !spaced } else { !0 };
        let snake = (block.underscore & puncts) << 1 & block.of(LOWER);
        let white = inline & !(inline << 1) | block.of(NEWLINE) & !(block.space() << 1);
        let mut starts = words & !snake | puncts | white | number_starts(number);

        let (splits, unclear) = case_starts(block);
        starts |= splits;
        odd |= unclear;

        let letters = block.whole(letter);
        let mut joined_to = 0;
        let mut quotes = apostrophes(block, letter);
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            quotes &= quotes - 1;
            // In `a'b'c` the second apostrophe follows a contraction, so it joins nothing.
            if at == joined_to {
                continue;
            }
            let first = run_start(letters, at);
            // After `_foo` in `_foo's` no word is left that the apostrophe could join.
            odd |= snake & 1 << first;
            joined_to = run_end(letters, at + if block.wide >> at & 1 == 0 { 1 } else { 3 });
            starts &= !(below(joined_to) & !below(first + 1));
        }

        // An apostrophe, or more digits, may follow what the block ends in.
        let mut limit = REACH;
        if letters >> (REACH - 1) & 1 != 0 && at + REACH as usize >= self.plain_before {
            limit = run_start(letters, REACH) + 1;
        } else if number >> (REACH - 1) & 1 != 0 {
            limit = run_start(number, REACH) + 1;
        }
        if !self.numbers.are_bytes && at < self.numbers.end {
            limit = 0;
        }
        known(starts, limit, odd)
    }
}

impl<const SPACED: bool> Boundless<SPACED> {
    /// B-1 for the word at `at`: `(?:\p{L}\p{M}*)+['\u2019](?:\p{L}\p{M}*)+`.
    fn contraction(&mut self, text: Text, at: usize) -> Option<usize> {
        if at < self.plain_before {
            return None;
        }
        let end = text.run(at, MARKED_LETTER);
        let next = match text.bytes[end..] {
            [b'\'', ..] => end + 1,
            [0xE2, 0x80, 0x99, ..] => end + 3,
            _ => end,
        };
        if next > end && text.is(next, LETTER) {
            return Some(text.run(next, MARKED_LETTER));
        }
        self.plain_before = end;
        None
    }
}

/// B-3 to B-6 for the word at `at`, where a letter of class `first` stands.
fn word(text: Text, at: usize, first: Class) -> usize {
    match first {
        UPPER => {
            let end = text.run(at, MARKED_UPPER);
            if text.peek(end).0 != LOWER {
                return end;
            }
            let mut last = text.before(end);
            while text.peek(last).0 == MARK {
                last = text.before(last);
            }
            if last > at { last } else { text.run(end, MARKED_LOWER) }
        }
        LOWER => text.run(at, MARKED_LOWER),
        _ => text.run(at, MARKED_OTHER),
    }
}

/// Numbers that follow each other, for B-7: groups of three, counted from their end.
///
/// A number with its marks is a unit. The regex tries three units, then two, then one: each as it
/// is, then without its last mark. It looks ahead for whole groups of three units up to something
/// that is no number, which the units' end is, and a mark that is left over.
#[derive(Default)]
struct Numbers {
    /// Where the units end.
    end: usize,
    /// Whether each of them is one byte; then only their end matters.
    are_bytes: bool,
    /// How many there are.
    units: usize,
    /// How many of them are behind.
    done: usize,
    /// By index modulo three: one past the last unit that has marks.
    marked: [usize; 3],
}

impl Numbers {
    /// The group that starts at `at`, which must follow the one asked for before in these units.
    fn end(&mut self, text: Text, at: usize) -> usize {
        if at >= self.end {
            self.survey(text, at);
        }
        if self.are_bytes {
            return at + (self.end - at - 1) % 3 + 1;
        }
        let mut group = [(at, at); 3];
        let mut tried = 0;
        let mut end = at;
        while tried < 3 && text.peek(end).0 == NUMBER {
            let bare = text.peek(end).1;
            end = text.run(bare, Set::of(&[MARK]));
            group[tried] = (bare, end);
            tried += 1;
        }
        for size in (1..=tried).rev() {
            let (bare, end) = group[size - 1];
            let whole = self.is_followed_by_threes(self.done + size);
            if whole || end > bare {
                self.done += size;
                return if whole { end } else { text.before(end) };
            }
        }
        unreachable!("one to three units less, their number is a multiple of three")
    }

    /// The starts in a block at `at` that lies within the numbers, when their end is known.
    #[inline(always)]
    fn starts(&self, at: usize) -> Option<Starts> {
        let is_within = self.are_bytes && at + REACH as usize <= self.end;
        is_within.then(|| known(EVERY_THIRD << ((self.end - at - 1) % 3 + 1), REACH, 0))
    }

    /// Counts the units from `at` on.
    fn survey(&mut self, text: Text, at: usize) {
        *self = Numbers { end: at, ..Numbers::default() };
        while text.peek(self.end).0 == NUMBER {
            let bare = text.peek(self.end).1;
            self.end = text.run(bare, Set::of(&[MARK]));
            self.units += 1;
            if self.end > bare {
                self.marked[(self.units - 1) % 3] = self.units;
            }
        }
        self.are_bytes = self.end - at == self.units;
    }

    /// `(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))` before the unit with this index.
    fn is_followed_by_threes(&self, unit: usize) -> bool {
        (self.units - unit).is_multiple_of(3) || self.marked[(unit + 2) % 3] >= unit + 3
    }
}

/// The bits below `bit`.
#[inline(always)]
fn below(bit: u32) -> u64 {
    1_u64.checked_shl(bit).unwrap_or(0).wrapping_sub(1)
}

/// Where numbers start, in groups of three from the right.
#[inline(always)]
fn number_starts(number: u64) -> u64 {
    let mut starts = number & !(number << 1);
    let mut group = number << 1 & !number;
    while group != 0 {
        group = group >> 3 & number & number >> 1 & number >> 2;
        starts |= group;
    }
    starts
}

/// Where words start inside letters, by case (B-3 to B-6), and where that is not clear.
#[inline(always)]
fn case_starts(block: &Block) -> (u64, u64) {
    let (upper, lower) = (block.of(UPPER), block.of(LOWER));
    let other = block.of(TITLE) | block.of(OTHER);
    let (tail1, tail2, tail3) = (block.tail >> 1, block.tail >> 2, block.tail >> 3);
    let before_lower = lower >> 1 | tail1 & lower >> 2 | tail1 & tail2 & lower >> 3;
    let starts = upper & (block.after(lower) | block.after(upper) & before_lower)
        | other & block.after(upper | lower)
        | (upper | lower) & block.after(other);
    (starts, upper & tail1 & tail2 & tail3)
}

/// Apostrophes, `'` and U+2019, between letters.
#[inline(always)]
fn apostrophes(block: &Block, letter: u64) -> u64 {
    let after_letter = block.after(letter);
    let straight = block.quote & after_letter & letter >> 1;
    let mut found = straight;
    let mut wide = block.of(PUNCT) & block.wide & after_letter & letter >> 3;
    while wide != 0 {
        let at = wide.trailing_zeros();
        if block.bytes[at as usize..].starts_with("’".as_bytes()) {
            found |= 1 << at;
        }
        wide &= wide - 1;
    }
    found
}
