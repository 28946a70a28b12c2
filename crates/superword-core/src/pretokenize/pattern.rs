//! Patterns: the named ones, which have scanners, and regexes.

use std::borrow::Cow;

use crate::Error;
use crate::pretokenize::regex_sequence::RegexSequence;
use crate::pretokenize::scanners::gpt4o_scripts::{SCRIPT_PATTERN, find_restart};
use crate::pretokenize::scanners::{boundless, gpt2, gpt4, gpt4o, portable, punct, superbpe};
use crate::pretokenize::spans::Spans;
use crate::pretokenize::unicode::version::Tables;

/// The named patterns that are regexes, and these.
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
    Gpt4oScripts,
    Punct,
    Boundless,
    BoundlessDraft,
    SuperBpe,
    Portable,
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
            SCRIPT_PATTERN => Scanner::Gpt4oScripts,
            "punct" | punct::REGEX => Scanner::Punct,
            "boundless" | boundless::REGEX => Scanner::Boundless,
            // The branches cover every character, so the authors' catch-all never matches.
            other if other == catch_all => Scanner::Boundless,
            other if other == draft => Scanner::BoundlessDraft,
            superbpe::REGEX => Scanner::SuperBpe,
            portable::REGEX => Scanner::Portable,
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
            Scanner::Gpt4oScripts => Some(SCRIPT_PATTERN),
            Scanner::Punct => Some("punct"),
            Scanner::Boundless => Some("boundless"),
            Scanner::Cl100k
            | Scanner::Qwen
            | Scanner::BoundlessDraft
            | Scanner::SuperBpe
            | Scanner::Portable
            | Scanner::Regex(_) => None,
        }
    }

    /// The regex of the pattern; the name of one that is not a regex.
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
            Scanner::Gpt4oScripts => Tables::of_scripts(),
            _ => Tables::of_scanners(),
        }
    }

    /// Whether the matches of the regex leave no gaps in any text. This is not known of a regex
    /// without a scanner.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        !matches!(self.scanner, Scanner::SuperBpe | Scanner::Portable | Scanner::Regex(_))
    }

    /// Whether texts are split by their scripts, so that there is no equivalent regex.
    #[must_use]
    pub fn is_by_script(&self) -> bool {
        matches!(self.scanner, Scanner::Gpt4oScripts)
    }

    /// Whether a regex splits the texts, and no scanner.
    #[must_use]
    pub fn is_regex(&self) -> bool {
        matches!(self.scanner, Scanner::Regex(_))
    }

    /// Whether the pieces of a document have the same pretokens as the whole. Scripts may depend on
    /// what is far away.
    pub(crate) fn may_split_documents(&self) -> bool {
        self.covers_all() && !self.is_by_script()
    }

    /// Returns the index of the first boundary between pretokens, of some in falling order, from which
    /// on the text alone has the pretokens that it has as a part of any text that goes on like this.
    pub(crate) fn find_restart(
        &self,
        text: &str,
        boundaries: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        let mut boundaries = boundaries.into_iter();
        if self.is_by_script() {
            find_restart(text, boundaries)
        } else {
            boundaries.next().map(|_| 0)
        }
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
