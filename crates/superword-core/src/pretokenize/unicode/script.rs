//! The scripts of characters, as far as patterns distinguish them.

use std::sync::LazyLock;

use crate::pretokenize::unicode::class::Text;
use crate::pretokenize::unicode::generated_scripts::{LATIN_NUMBER, SCRIPT_RANGES};
use crate::pretokenize::unicode::table::CodePointTable;

/// The scripts of all code points, built on first use.
static TABLE: LazyLock<CodePointTable> = LazyLock::new(|| CodePointTable::new(&SCRIPT_RANGES, 8));

/// The number of a character's script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Script(u8);

impl Script {
    /// No script of its own: punctuation, digits, spaces, and characters that are not assigned.
    pub(crate) const WEAK: Script = Script(0);
    /// That of the character before: most combining marks.
    pub(crate) const INHERITED: Script = Script(1);
    /// Latin.
    pub(crate) const LATIN: Script = Script(LATIN_NUMBER);

    /// Letters without a script of their own that occur only in Han, Hiragana and Katakana: `ー`.
    const SHARED: Script = Script(2);
    /// Han, Hiragana, Katakana, Khmer, Lao, Myanmar, Thai.
    const UNSPACED: std::ops::RangeInclusive<u8> = 3..=9;

    /// Returns the script of a code point.
    #[inline]
    pub(crate) fn of(code_point: u32) -> Script {
        Script(TABLE.number_of(code_point))
    }

    /// Whether it is a script, not taken from a neighbour.
    #[inline]
    pub(crate) fn is_strong(self) -> bool {
        self.0 > Script::SHARED.0
    }

    /// Whether it is taken from the character after: neither a script nor inherited.
    #[inline]
    pub(crate) fn is_weak(self) -> bool {
        self == Script::WEAK || self == Script::SHARED
    }

    /// Whether words in this script have no spaces between them.
    #[inline]
    pub(crate) fn is_unspaced(self) -> bool {
        Script::UNSPACED.contains(&self.0)
    }

    /// Whether its letters occur only in scripts without spaces.
    pub(crate) fn occurs_unspaced(self) -> bool {
        self == Script::SHARED || self.is_unspaced()
    }
}

impl Text<'_> {
    /// Returns the script of the character at `at`, and its end; weak at the end of the text.
    #[inline]
    pub(crate) fn peek_script(&self, at: usize) -> (Script, usize) {
        match self.byte(at) {
            None => (Script::WEAK, at),
            Some(byte) if byte.is_ascii_alphabetic() => (Script::LATIN, at + 1),
            Some(byte) if byte < 128 => (Script::WEAK, at + 1),
            Some(_) => {
                let (code_point, end) = self.decode(at);
                (Script::of(code_point), end)
            }
        }
    }

    /// Finds the last character before `end`, but not before `start`, that has a script of its own.
    pub(crate) fn find_last_script(&self, start: usize, end: usize) -> Option<Script> {
        let mut at = end;
        while at > start {
            at = self.previous_start(at);
            let (script, _) = self.peek_script(at);
            if script.is_strong() {
                return Some(script);
            }
        }
        None
    }

    /// Finds the first character from `at` on that has a script of its own.
    pub(crate) fn find_first_script(&self, mut at: usize) -> Option<Script> {
        loop {
            let (script, end) = self.peek_script(at);
            if script.is_strong() || end == at {
                return script.is_strong().then_some(script);
            }
            at = end;
        }
    }

    /// Finds the first character from `at` on that is not weak; the end of the text if there is none.
    pub(crate) fn find_not_weak(&self, mut at: usize) -> usize {
        loop {
            let (script, end) = self.peek_script(at);
            if !script.is_weak() || end == at {
                return at;
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_latin_or_weak() {
        for code_point in 0..128_u8 {
            let text = String::from(code_point as char);
            assert_eq!(Text::new(&text).peek_script(0), (Script::of(code_point.into()), 1));
        }
    }

    #[test]
    fn each_of_the_scripts_without_spaces_is_one() {
        for character in "中あアกកກက".chars() {
            assert!(Script::of(character.into()).is_unspaced(), "{character}");
        }
        for character in "aéжא한1、ー\u{301}".chars() {
            assert!(!Script::of(character.into()).is_unspaced(), "{character}");
        }
        assert!(Script::of('ー'.into()).occurs_unspaced());
        assert!(Script::of('\u{301}'.into()) == Script::INHERITED);
        assert!(Script::of('1'.into()).is_weak() && Script::of('ー'.into()).is_weak());
    }
}
