//! The split of llama.cpp that lets words merge: runs of numbers, and the text between them.
//!
//! Digits are in groups of three, counted from the right. Other numbers, such as `½`, end no group: a
//! pretoken goes on through them, and through the one or two digits before the next groups.

use std::ops::Range;

use crate::pretokenize::spans::StableEnd;
use crate::pretokenize::unicode::class::{
    BLANK, CONTROL, ClassSet, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCT, TITLE, Text, UPPER, WHITE,
};

/// The regex of this pattern.
pub const REGEX: &str = concat!(
    r"(?:(?<=[0-9])[0-9]{3}|[0-9]{1,2}(?=(?:[0-9]{3})*+(?![0-9]))|[0-9]{3}",
    r"|[^\P{N}0-9]++(?:[0-9]{1,2}(?=(?:[0-9]{3})*+(?![0-9])))?)",
    r"(?:[^\P{N}0-9]++(?:[0-9]{1,2}(?=(?:[0-9]{3})*+(?![0-9])))?)*+|\P{N}++",
);

/// `\P{N}`
const NO_NUMBER: ClassSet =
    ClassSet::of(&[UPPER, LOWER, TITLE, OTHER, MARK, PUNCT, CONTROL, BLANK, WHITE, NEWLINE]);

/// The spans of the pretokens of one text.
pub(crate) struct PortableScan<'t> {
    text: Text<'t>,
    /// The start of the next pretoken.
    at: usize,
    /// The end of the last run of digits that was looked at.
    digits_end: usize,
}

impl<'t> PortableScan<'t> {
    /// Starts at the beginning of the text.
    pub(crate) fn new(text: &'t str) -> PortableScan<'t> {
        PortableScan { text: Text::new(text), at: 0, digits_end: 0 }
    }

    /// Calls `each` with the pretokens that are the same in every text that starts with this one, and
    /// returns where they end.
    pub(crate) fn for_each_stable(mut self, mut each: impl FnMut(Range<usize>)) -> StableEnd {
        loop {
            let end = self.at;
            let next = self.next();
            if self.text.is_end_read() {
                let is_divisible = self.text.is_in(end, NO_NUMBER);
                let joined = if is_divisible { self.at } else { end };
                return StableEnd { end, joined, is_divisible };
            }
            let Some(span) = next else {
                return StableEnd { end, joined: end, is_divisible: false };
            };
            each(span);
        }
    }

    /// Returns the number of digits from `at` on.
    fn count_digits(&mut self, at: usize) -> usize {
        if self.digits_end <= at {
            let mut end = at;
            while self.text.byte(end).is_some_and(|byte| byte.is_ascii_digit()) {
                end += 1;
            }
            self.digits_end = end;
        }
        self.digits_end - at
    }

    /// Skips numbers that are no digits, each time with the digits before the next groups of three.
    fn skip_others(&mut self, mut at: usize) -> usize {
        loop {
            let start = at;
            while let (NUMBER, next) = self.text.peek(at) {
                if self.text.bytes[at].is_ascii_digit() {
                    break;
                }
                at = next;
            }
            if at == start {
                return at;
            }
            at += self.count_digits(at) % 3;
        }
    }
}

impl Iterator for PortableScan<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if start == self.text.bytes.len() {
            return None;
        }
        self.at = if self.text.bytes[start].is_ascii_digit() {
            let group = self.count_digits(start).wrapping_sub(1) % 3 + 1;
            self.skip_others(start + group)
        } else if self.text.peek(start).0 == NUMBER {
            self.skip_others(start)
        } else {
            self.text.skip_run(start, NO_NUMBER)
        };
        Some(start..self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::pretokenize::regex::{Regex, RegexSpans};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
        #[test]
        fn it_splits_as_its_regex_does(text in "[0-9½²Ⅷ٣a .\n中]{0,40}|[0-9]{0,40}|[0-9½]{0,30}") {
            static COMPILED: LazyLock<Regex> = LazyLock::new(|| Regex::new(REGEX).expect("a regex"));
            let expected: Result<Vec<_>, _> = RegexSpans::new(&COMPILED, &text).collect();
            prop_assert_eq!(PortableScan::new(&text).collect::<Vec<_>>(), expected.expect("spans"));
        }
    }
}
