//! Patterns: the named ones, which have scanners, and regexes.

use std::borrow::Cow;

use crate::Error;
use crate::pretokenize::regex_sequence::RegexSequence;
use crate::pretokenize::scanners::{boundless, gpt2, gpt4, gpt4o, punct, superbpe};
use crate::pretokenize::spans::Spans;
use crate::pretokenize::unicode::version::Tables;

/// The named patterns and their regexes.
pub const NAMED: [(&str, &str); 5] = [
    ("gpt2", gpt2::REGEX),
    ("gpt4", gpt4::REGEX),
    ("gpt4o", gpt4o::REGEX),
    ("punct", punct::REGEX),
    ("boundless", boundless::REGEX),
];

/// The pattern of training, unless another is named.
pub const DEFAULT_PATTERN: &str = "gpt4o";

/// A pattern that splits texts into pretokens.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    scanner: Scanner,
}

/// The scanner of a pattern, or its regexes.
#[derive(Clone, Debug)]
pub(super) enum Scanner {
    Gpt2,
    Gpt4,
    Cl100k,
    Qwen,
    Gpt4o,
    Punct,
    Boundless,
    BoundlessDraft,
    SuperBpe,
    Regex(RegexSequence),
}

impl Pattern {
    /// Creates the pattern with this name or this regex.
    ///
    /// Several regexes, joined by `(?then)`, split one after the other: each splits the pieces of the
    /// one before it.
    ///
    /// The regex of a named pattern gets that pattern's scanner, and so do equivalent regexes of
    /// common tokenizers. The regexes of `cl100k_base` and of Qwen have scanners too.
    ///
    /// # Errors
    /// When the source is neither a name nor a well-formed regex.
    pub fn new(source: &str) -> Result<Pattern, Error> {
        let expanded = expand_escapes(source);
        let catch_all = format!("{}|.+", boundless::REGEX);
        let draft = catch_all.replace(r"| ?(?:[\p{P}\p{S}]", r"|(?:[\p{P}\p{S}]");
        let scanner = match expanded.as_ref() {
            "gpt2" | gpt2::REGEX => Scanner::Gpt2,
            other if gpt2::SPELLINGS.contains(&other) => Scanner::Gpt2,
            "gpt4" | gpt4::REGEX | gpt4::SPELLING => Scanner::Gpt4,
            gpt4::CL100K => Scanner::Cl100k,
            gpt4::QWEN => Scanner::Qwen,
            "gpt4o" | gpt4o::REGEX => Scanner::Gpt4o,
            "punct" | punct::REGEX => Scanner::Punct,
            "boundless" | boundless::REGEX => Scanner::Boundless,
            // The branches cover every character, so the authors' catch-all never matches.
            other if other == catch_all => Scanner::Boundless,
            other if other == draft => Scanner::BoundlessDraft,
            superbpe::REGEX => Scanner::SuperBpe,
            _ => Scanner::Regex(RegexSequence::new(source)?),
        };
        Ok(Pattern { source: source.to_owned(), scanner })
    }

    /// The name or the regex that the pattern was created from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of the pattern, if it has one, even if it was created from the regex.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        match self.scanner {
            Scanner::Gpt2 => Some("gpt2"),
            Scanner::Gpt4 => Some("gpt4"),
            Scanner::Gpt4o => Some("gpt4o"),
            Scanner::Punct => Some("punct"),
            Scanner::Boundless => Some("boundless"),
            Scanner::Cl100k
            | Scanner::Qwen
            | Scanner::BoundlessDraft
            | Scanner::SuperBpe
            | Scanner::Regex(_) => None,
        }
    }

    /// The regex of the pattern.
    #[must_use]
    pub fn regex(&self) -> &str {
        let named = NAMED.iter().find(|(name, _)| *name == self.source);
        named.map_or(&self.source, |(_, regex)| regex)
    }

    /// The Unicode tables that the pattern uses.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        match self.scanner {
            Scanner::Regex(_) => Tables::of_regexes(),
            _ => Tables::of_scanners(),
        }
    }

    /// Whether the matches of the regex leave no gaps in any text. This is not known of a regex
    /// without a scanner.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        self.may_split_documents()
    }

    /// Whether the pieces of a document have the same pretokens as the whole.
    pub(crate) fn may_split_documents(&self) -> bool {
        !matches!(self.scanner, Scanner::SuperBpe | Scanner::Regex(_))
    }

    /// Returns the spans, in bytes, of the pretokens of a text, in order and without gaps.
    #[must_use]
    pub fn spans<'t>(&'t self, text: &'t str) -> Spans<'t> {
        Spans::new(&self.scanner, text)
    }
}

/// Expands the one escape that the paper's listings and the authors' model files spell differently.
pub(super) fn expand_escapes(source: &str) -> Cow<'_, str> {
    if source.contains(r"\u2019") {
        Cow::Owned(source.replace(r"\u2019", "’"))
    } else {
        Cow::Borrowed(source)
    }
}
