//! Splitting a text into pretokens.
//!
//! The pretokens of a text, joined, are the text: nothing is dropped. In reading order:
//!
//! 1. `pattern`: [`Pattern`], a named pattern or a regex, and the names;
//! 2. `eligibility`: [`Eligibility`], the rule for which pretokens may take part in a supermerge;
//! 3. `forbidden`: [`ForbiddenText`], the rule for which tokens training may not make;
//! 4. `splitter`: [`Splitter`], a pattern and an eligibility together;
//! 5. `spans`: [`Spans`], the pretokens of one text;
//! 6. `scanners`: one hand-written scanner for each named pattern;
//! 7. `simd`: the bit masks that scanners work on;
//! 8. `unicode`: character classes, and the Unicode version;
//! 9. `regex`: other patterns, through a regex engine, `regex_sequence`: several of them in a row;
//! 10. `key`: pretokens as keys of hash tables.
//!
//! The scanners are written by hand for speed: one thread splits 586 to 944 MB of English a second,
//! 90 to 216 times as much as PyPI's `regex` (`benchmarks/results/pretokenize.md`). Their time is
//! linear in the length of any text.

mod eligibility;
mod forbidden;
pub(crate) mod key;
mod pattern;
mod regex;
mod regex_sequence;
mod scanners;
mod simd;
mod spans;
mod splitter;
mod unicode;

pub use crate::pretokenize::eligibility::{
    ELIGIBLE, Eligibility, SCRIPT_ELIGIBLE, is_unspaced_word,
};
pub use crate::pretokenize::forbidden::ForbiddenText;
pub use crate::pretokenize::pattern::{DEFAULT_PATTERN, NAMED, Pattern};
pub use crate::pretokenize::regex::BACKTRACK_LIMIT;
pub use crate::pretokenize::scanners::gpt4o_scripts::{
    SCRIPT_PATTERN, UNSPACED_REGEX, UNSPACED_SCRIPTS,
};
pub use crate::pretokenize::scanners::portable::REGEX as PORTABLE_PATTERN;
pub use crate::pretokenize::scanners::superbpe::REGEX as SECOND_PATTERN;
pub use crate::pretokenize::spans::Spans;
pub use crate::pretokenize::splitter::Splitter;
use crate::pretokenize::unicode::class::{ClassTable, LETTER};
pub use crate::pretokenize::unicode::generated::UNICODE_VERSION;
pub use crate::pretokenize::unicode::version::Tables;

/// Returns whether a character is a letter, `\p{L}`, by the tables of the scanners.
///
/// ```
/// use superword_core::pretokenize::is_letter;
/// // A Thai vowel sign is a mark, though Unicode calls it alphabetic.
/// assert_eq!(['a', 'é', '語', '1', '\u{e31}'].map(is_letter), [true, true, true, false, false]);
/// ```
#[must_use]
pub fn is_letter(character: char) -> bool {
    LETTER.contains(ClassTable::get().class_of(character.into()))
}
