//! Splitting a text into pretokens.
//!
//! The five named patterns are scanners, written by hand: linear in the text, whatever it holds,
//! with no regex engine. Each is written out twice, as the branches of its regex and as rules on
//! the masks of a block of 64 bytes; see `scan`. So is the default of `SuperBPE`'s second stage, with
//! no masks. Any other pattern is a regex.
//!
//! Nothing is dropped: the pretokens of a text, put together, are the text.

mod eligible;
pub(crate) mod key;
mod regex;
mod scan;
mod scanners;
mod seam;
mod simd;
mod unicode;

use std::borrow::Cow;
use std::ops::Range;

use self::scanners::{boundless, gpt2, gpt4, gpt4o, punct, superbpe};
use crate::Error;
use crate::pretokenize::regex::{Matches, Regex};
use crate::pretokenize::scan::Scan;
use crate::pretokenize::scanners::boundless::Boundless;
use crate::pretokenize::scanners::gpt2::Gpt2;
use crate::pretokenize::scanners::gpt4::Gpt4;
use crate::pretokenize::scanners::gpt4o::Gpt4o;
use crate::pretokenize::scanners::punct::Punct;
use crate::pretokenize::unicode::class::{LETTER, Table};

pub use crate::pretokenize::eligible::{ELIGIBLE, Eligibility};
pub use crate::pretokenize::regex::BACKTRACK_LIMIT;
pub use crate::pretokenize::scanners::superbpe::REGEX as SECOND_PATTERN;
pub(crate) use crate::pretokenize::seam::{last_seam, pieces};
pub use crate::pretokenize::unicode::generated::UNICODE_VERSION;
pub use crate::pretokenize::unicode::version::{Tables, tables_digest};

/// The named patterns and the regexes that they stand for.
pub const NAMED: [(&str, &str); 5] = [
    ("gpt2", gpt2::REGEX),
    ("gpt4", gpt4::REGEX),
    ("gpt4o", gpt4o::REGEX),
    ("punct", punct::REGEX),
    ("boundless", boundless::REGEX),
];

/// A pattern that splits texts into pretokens.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    splitter: Splitter,
}

#[derive(Clone, Debug)]
enum Splitter {
    Gpt2,
    Gpt4,
    Cl100k,
    Qwen,
    Gpt4o,
    Punct,
    Boundless,
    BoundlessDraft,
    SuperBpe,
    Regex(Regex),
}

impl Pattern {
    /// The pattern with this name, or else the pattern that is this regex.
    ///
    /// A regex that a named pattern stands for gets that pattern's scanner, and so do other
    /// spellings of it in common tokenizers. Those of `cl100k_base` and of Qwen have scanners too.
    ///
    /// # Errors
    /// When it is neither a name nor a well-formed regex.
    pub fn new(source: &str) -> Result<Pattern, Error> {
        let spelled = spelled_out(source);
        let catch_all = format!("{}|.+", boundless::REGEX);
        let draft = catch_all.replace(r"| ?(?:[\p{P}\p{S}]", r"|(?:[\p{P}\p{S}]");
        let splitter = match spelled.as_ref() {
            "gpt2" | gpt2::REGEX => Splitter::Gpt2,
            other if gpt2::SPELLINGS.contains(&other) => Splitter::Gpt2,
            "gpt4" | gpt4::REGEX | gpt4::SPELLING => Splitter::Gpt4,
            gpt4::CL100K => Splitter::Cl100k,
            gpt4::QWEN => Splitter::Qwen,
            "gpt4o" | gpt4o::REGEX => Splitter::Gpt4o,
            "punct" | punct::REGEX => Splitter::Punct,
            "boundless" | boundless::REGEX => Splitter::Boundless,
            // Every character is in some branch, so the authors' catch-all never gets one.
            other if other == catch_all => Splitter::Boundless,
            other if other == draft => Splitter::BoundlessDraft,
            superbpe::REGEX => Splitter::SuperBpe,
            _ => Splitter::Regex(Regex::new(source)?),
        };
        Ok(Pattern { source: source.to_owned(), splitter })
    }

    /// The name or the regex that was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of the pattern that splits as it does, if one was given or its regex.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        match self.splitter {
            Splitter::Gpt2 => Some("gpt2"),
            Splitter::Gpt4 => Some("gpt4"),
            Splitter::Gpt4o => Some("gpt4o"),
            Splitter::Punct => Some("punct"),
            Splitter::Boundless => Some("boundless"),
            Splitter::Cl100k
            | Splitter::Qwen
            | Splitter::BoundlessDraft
            | Splitter::SuperBpe
            | Splitter::Regex(_) => None,
        }
    }

    /// The regex that it stands for: a name's own, or else what was given.
    #[must_use]
    pub fn regex(&self) -> &str {
        let named = NAMED.iter().find(|(name, _)| *name == self.source);
        named.map_or(&self.source, |(_, regex)| regex)
    }

    /// The Unicode tables that it splits by.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        match self.splitter {
            Splitter::Regex(_) => Tables::of_regexes(),
            _ => Tables::of_scanners(),
        }
    }

    /// Whether matches leave nothing between them, whatever the text; of a regex that has no
    /// scanner it is not known.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        self.has_seams()
    }

    /// Whether texts may be cut at their seams.
    pub(crate) fn has_seams(&self) -> bool {
        !matches!(self.splitter, Splitter::SuperBpe | Splitter::Regex(_))
    }

    /// The spans, in bytes, of the pretokens of a text, in order. They leave no gaps.
    #[must_use]
    pub fn spans<'t>(&'t self, text: &'t str) -> Spans<'t> {
        Spans(match &self.splitter {
            Splitter::Gpt2 => Walk::Gpt2(Scan::new(text)),
            Splitter::Gpt4 => Walk::Gpt4(Scan::new(text)),
            Splitter::Cl100k => Walk::Cl100k(Scan::new(text)),
            Splitter::Qwen => Walk::Qwen(Scan::new(text)),
            Splitter::Gpt4o => Walk::Gpt4o(Scan::new(text)),
            Splitter::Punct => Walk::Punct(Scan::new(text)),
            Splitter::Boundless => Walk::Boundless(Scan::new(text)),
            Splitter::BoundlessDraft => Walk::BoundlessDraft(Scan::new(text)),
            Splitter::SuperBpe => Walk::SuperBpe(superbpe::Matches::new(text)),
            Splitter::Regex(regex) => Walk::Regex(Matches::new(regex, text)),
        })
    }
}

/// Whether a character is a letter, `\p{L}`, by the tables of the scanners.
///
/// ```
/// use superword_core::pretokenize::is_letter;
/// // A Thai vowel sign is a mark, though Unicode calls it alphabetic.
/// assert_eq!(['a', 'é', '語', '1', '\u{e31}'].map(is_letter), [true, true, true, false, false]);
/// ```
#[must_use]
pub fn is_letter(character: char) -> bool {
    LETTER.has(Table::get().of(character.into()))
}

/// The regex with the one escape written out in which the listings of the paper and the authors'
/// model files differ.
fn spelled_out(source: &str) -> Cow<'_, str> {
    if source.contains(r"\u2019") {
        Cow::Owned(source.replace(r"\u2019", "’"))
    } else {
        Cow::Borrowed(source)
    }
}

/// The spans of the pretokens of one text.
///
/// With a named pattern every item is `Ok`; a regex may give up, and then nothing follows.
pub struct Spans<'t>(Walk<'t>);

enum Walk<'t> {
    Gpt2(Scan<'t, Gpt2>),
    Gpt4(Scan<'t, Gpt4<true, false>>),
    Cl100k(Scan<'t, Gpt4<true, true>>),
    Qwen(Scan<'t, Gpt4<false, false>>),
    Gpt4o(Scan<'t, Gpt4o>),
    Punct(Scan<'t, Punct>),
    Boundless(Scan<'t, Boundless<true>>),
    BoundlessDraft(Scan<'t, Boundless<false>>),
    SuperBpe(superbpe::Matches<'t>),
    Regex(Matches<'t>),
}

impl Spans<'_> {
    /// Calls `each` with a place in the text, and where pretokens end from there on: bit `i` stands
    /// for `i` bytes further.
    ///
    /// # Errors
    /// When a regex gives up.
    pub(crate) fn for_each_block(self, mut each: impl FnMut(usize, u64)) -> Result<(), Error> {
        match self.0 {
            Walk::Gpt2(scan) => scan.for_each_block(each),
            Walk::Gpt4(scan) => scan.for_each_block(each),
            Walk::Cl100k(scan) => scan.for_each_block(each),
            Walk::Qwen(scan) => scan.for_each_block(each),
            Walk::Gpt4o(scan) => scan.for_each_block(each),
            Walk::Punct(scan) => scan.for_each_block(each),
            Walk::Boundless(scan) => scan.for_each_block(each),
            Walk::BoundlessDraft(scan) => scan.for_each_block(each),
            Walk::SuperBpe(matches) => matches.for_each(|span| each(span.end, 1)),
            Walk::Regex(matches) => {
                for span in matches {
                    each(span?.end, 1);
                }
            }
        }
        Ok(())
    }
}

impl Iterator for Spans<'_> {
    type Item = Result<Range<usize>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Gpt2(scan) => scan.next().map(Ok),
            Walk::Gpt4(scan) => scan.next().map(Ok),
            Walk::Cl100k(scan) => scan.next().map(Ok),
            Walk::Qwen(scan) => scan.next().map(Ok),
            Walk::Gpt4o(scan) => scan.next().map(Ok),
            Walk::Punct(scan) => scan.next().map(Ok),
            Walk::Boundless(scan) => scan.next().map(Ok),
            Walk::BoundlessDraft(scan) => scan.next().map(Ok),
            Walk::SuperBpe(matches) => matches.next().map(Ok),
            Walk::Regex(matches) => matches.next(),
        }
    }

    /// What `for_each` and the like run on: one loop a pattern, with nothing to choose inside.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        match self.0 {
            Walk::Gpt2(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Gpt4(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Cl100k(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Qwen(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Gpt4o(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Punct(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::Boundless(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::BoundlessDraft(scan) => scan.fold(init, |b, span| f(b, Ok(span))),
            Walk::SuperBpe(matches) => matches.fold(init, |b, span| f(b, Ok(span))),
            Walk::Regex(matches) => matches.fold(init, f),
        }
    }
}
