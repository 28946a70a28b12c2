//! `boundless`: the pattern of the paper (listing 3).

use crate::pretokenize::scanners::scan::{self, Grammar, skip_blank};
use crate::pretokenize::simd::block::{Block, REACH, Starts, find_run_end, find_run_start};
use crate::pretokenize::unicode::class::{
    BLANK, CONTROL, Class, ClassSet, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCT, TITLE,
    Text, UPPER, WHITE,
};

/// The regex of this pattern. Its branches, in order, are B-1 to B-11.
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

/// `(?:\p{L}\p{M}*)+` after its first letter; the others likewise.
const MARKED_LETTER: ClassSet = ClassSet::of(&[UPPER, LOWER, TITLE, OTHER, MARK]);
const MARKED_UPPER: ClassSet = ClassSet::of(&[UPPER, MARK]);
const MARKED_LOWER: ClassSet = ClassSet::of(&[LOWER, MARK]);
const MARKED_OTHER: ClassSet = ClassSet::of(&[TITLE, OTHER, MARK]);
const MARKED_PUNCT: ClassSet = ClassSet::of(&[PUNCT, MARK]);
const MARKED_CONTROL: ClassSet = ClassSet::of(&[CONTROL, BLANK, WHITE, NEWLINE, MARK]);

/// Bits 0, 3, 6 and so on.
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;

/// The grammar of this pattern. With `SPACED`, a space may precede punctuation (` ?` in B-8), as in
/// the paper. An earlier draft of the pattern does not allow it.
#[derive(Default)]
pub(crate) struct Boundless<const SPACED: bool> {
    /// Letters before this offset are in no contraction.
    plain_before: usize,
    numbers: NumberRun,
}

impl<const SPACED: bool> Grammar for Boundless<SPACED> {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        let (class, next) = text.peek(at);
        let start = if class == BLANK { next } else { at };
        match text.peek(start).0 {
            first if LETTER.contains(first) => self
                .match_contraction(text, start)
                .unwrap_or_else(|| match_word(text, start, first)),
            PUNCT if text.bytes[at] == b'_' && text.peek(next).0 == LOWER => {
                text.skip_run(next, MARKED_LOWER)
            }
            PUNCT if SPACED || start == at => text.skip_run(start, MARKED_PUNCT),
            _ => match class {
                NUMBER => self.numbers.find_group_end(text, at),
                CONTROL => text.skip_run(at, MARKED_CONTROL),
                MARK => text.skip_run(at, ClassSet::of(&[MARK])),
                _ => text.skip_run(
                    text.skip_run(at, ClassSet::of(&[BLANK, WHITE])),
                    ClassSet::of(&[NEWLINE]),
                ),
            },
        }
    }

    /// A capital and small letters, or letters without case.
    fn find_joined_end(text: &Text, at: usize) -> usize {
        let first = skip_blank(text, at);
        match text.peek(first) {
            (UPPER | LOWER, next) => text.skip_run(next, MARKED_LOWER),
            (TITLE | OTHER, next) => text.skip_run(next, MARKED_OTHER),
            _ => scan::find_run_end(text, at, if SPACED { first } else { at }),
        }
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, at: usize) -> Starts {
        if let Some(starts) = self.numbers.find_starts(at) {
            return starts;
        }
        let (letter, punct, number) = (block.letters(), block.mask(PUNCT), block.mask(NUMBER));
        let mark = block.mask(MARK);
        let mut undecided = mark & !block.after(letter | punct | mark);
        undecided |= block.mask(CONTROL) | block.wide & block.white_space();
        // If not all numbers of a run are one byte long, only its first start is certain.
        let uneven = number & block.wide | mark & block.after(number);
        if uneven != 0 {
            undecided |= 2 << find_run_start(block.all_bytes(number), uneven.trailing_zeros());
        }
        block.join_marks();

        let inline = block.mask(BLANK) | block.mask(WHITE);
        let spaced = (block.mask(BLANK) & !(inline << 1)) << 1;
        let words = letter & !block.after(letter) & !spaced;
        let puncts = punct & !block.after(punct) & if SPACED { !spaced } else { !0 };
        let snake = (block.underscore & puncts) << 1 & block.mask(LOWER);
        let white = inline & !(inline << 1) | block.mask(NEWLINE) & !(block.white_space() << 1);
        let mut starts = words & !snake | puncts | white | find_number_starts(number);

        let (case_starts, undecided_case) = find_case_starts(block);
        starts |= case_starts;
        undecided |= undecided_case;

        let letters = block.all_bytes(letter);
        let mut joined_to = 0;
        let mut quotes = find_apostrophes(block, letter);
        while quotes != 0 {
            let at = quotes.trailing_zeros();
            quotes &= quotes - 1;
            // The second apostrophe of `a'b'c` follows a contraction and joins nothing.
            if at == joined_to {
                continue;
            }
            let first = find_run_start(letters, at);
            // In `_foo's`, `_foo` is a pretoken, and no word is left for the apostrophe to join.
            undecided |= snake & 1 << first;
            joined_to = find_run_end(letters, at + if block.wide >> at & 1 == 0 { 1 } else { 3 });
            starts &= !(mask_below(joined_to) & !mask_below(first + 1));
        }

        // An apostrophe or more digits may follow the end of the block.
        let mut limit = REACH;
        if letters >> (REACH - 1) & 1 != 0 && at + REACH as usize >= self.plain_before {
            limit = find_run_start(letters, REACH) + 1;
        } else if number >> (REACH - 1) & 1 != 0 {
            limit = find_run_start(number, REACH) + 1;
        }
        if !self.numbers.are_bytes && at < self.numbers.end {
            limit = 0;
        }
        Starts::decided(starts, limit, undecided)
    }
}

impl<const SPACED: bool> Boundless<SPACED> {
    /// Matches B-1 at a word: `(?:\p{L}\p{M}*)+['\u2019](?:\p{L}\p{M}*)+`.
    fn match_contraction(&mut self, text: &Text, at: usize) -> Option<usize> {
        if at < self.plain_before {
            return None;
        }
        let end = text.skip_run(at, MARKED_LETTER);
        let next = match text.bytes[end..] {
            [b'\'', ..] => end + 1,
            [0xE2, 0x80, 0x99, ..] => end + 3,
            _ => end,
        };
        if next > end && text.is_in(next, LETTER) {
            return Some(text.skip_run(next, MARKED_LETTER));
        }
        self.plain_before = end;
        None
    }
}

/// Matches B-3 to B-6 at a word whose first letter has the class `first`.
fn match_word(text: &Text, at: usize, first: Class) -> usize {
    match first {
        UPPER => {
            let end = text.skip_run(at, MARKED_UPPER);
            if text.peek(end).0 != LOWER {
                return end;
            }
            let mut last = text.previous_start(end);
            while text.peek(last).0 == MARK {
                last = text.previous_start(last);
            }
            if last > at { last } else { text.skip_run(end, MARKED_LOWER) }
        }
        LOWER => text.skip_run(at, MARKED_LOWER),
        _ => text.skip_run(at, MARKED_OTHER),
    }
}

/// A run of numbers, for B-7: groups of three, counted from the end of the run.
///
/// A unit is a number with its marks. The regex tries three units, then two, then one, each first
/// with and then without its last mark. Its look-ahead needs whole groups of three units before
/// something that is no number. That may be the end of the run, or a mark left over.
#[derive(Default)]
struct NumberRun {
    end: usize,
    /// Whether each unit is one byte. Then only the end of the run matters.
    are_bytes: bool,
    /// The number of units.
    units: usize,
    /// The number of units before the current group.
    done: usize,
    /// For each remainder modulo three, one past the index of the last unit with marks.
    marked: [usize; 3],
}

impl NumberRun {
    /// Returns the end of the group at `at`. In a run, groups must be asked for in order.
    fn find_group_end(&mut self, text: &Text, at: usize) -> usize {
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
            end = text.skip_run(bare, ClassSet::of(&[MARK]));
            group[tried] = (bare, end);
            tried += 1;
        }
        for size in (1..=tried).rev() {
            let (bare, end) = group[size - 1];
            let whole = self.is_followed_by_threes(self.done + size);
            if whole || end > bare {
                self.done += size;
                return if whole { end } else { text.previous_start(end) };
            }
        }
        unreachable!("for one of the sizes 1 to 3, the units left are a multiple of three")
    }

    /// Returns the starts in a block that lies within the run.
    #[inline(always)]
    fn find_starts(&self, at: usize) -> Option<Starts> {
        let is_within = self.are_bytes && at + REACH as usize <= self.end;
        is_within.then(|| Starts::decided(EVERY_THIRD << ((self.end - at - 1) % 3 + 1), REACH, 0))
    }

    /// Counts the units of the run that starts at `at`.
    fn survey(&mut self, text: &Text, at: usize) {
        *self = NumberRun { end: at, ..NumberRun::default() };
        while text.peek(self.end).0 == NUMBER {
            let bare = text.peek(self.end).1;
            self.end = text.skip_run(bare, ClassSet::of(&[MARK]));
            self.units += 1;
            if self.end > bare {
                self.marked[(self.units - 1) % 3] = self.units;
            }
        }
        self.are_bytes = self.end - at == self.units;
    }

    /// Whether `(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))` matches before this unit.
    fn is_followed_by_threes(&self, unit: usize) -> bool {
        (self.units - unit).is_multiple_of(3) || self.marked[(unit + 2) % 3] >= unit + 3
    }
}

/// Returns a mask of the bits below `bit`.
#[inline(always)]
fn mask_below(bit: u32) -> u64 {
    1_u64.checked_shl(bit).unwrap_or(0).wrapping_sub(1)
}

/// Finds the starts of numbers, in groups of three from the right.
#[inline(always)]
fn find_number_starts(number: u64) -> u64 {
    let mut starts = number & !(number << 1);
    let mut group = number << 1 & !number;
    while group != 0 {
        group = group >> 3 & number & number >> 1 & number >> 2;
        starts |= group;
    }
    starts
}

/// Finds the starts of words inside letters, by case (B-3 to B-6), and the undecided letters.
#[inline(always)]
fn find_case_starts(block: &Block) -> (u64, u64) {
    let (upper, lower) = (block.mask(UPPER), block.mask(LOWER));
    let other = block.mask(TITLE) | block.mask(OTHER);
    let (tail1, tail2, tail3) = (block.tail >> 1, block.tail >> 2, block.tail >> 3);
    let before_lower = lower >> 1 | tail1 & lower >> 2 | tail1 & tail2 & lower >> 3;
    let starts = upper & (block.after(lower) | block.after(upper) & before_lower)
        | other & block.after(upper | lower)
        | (upper | lower) & block.after(other);
    (starts, upper & tail1 & tail2 & tail3)
}

/// Finds the apostrophes, `'` and U+2019, between letters.
#[inline(always)]
fn find_apostrophes(block: &Block, letter: u64) -> u64 {
    let after_letter = block.after(letter);
    let straight = block.quote & after_letter & letter >> 1;
    let mut found = straight;
    let mut wide = block.mask(PUNCT) & block.wide & after_letter & letter >> 3;
    while wide != 0 {
        let at = wide.trailing_zeros();
        if block.bytes[at as usize..].starts_with("’".as_bytes()) {
            found |= 1 << at;
        }
        wide &= wide - 1;
    }
    found
}
