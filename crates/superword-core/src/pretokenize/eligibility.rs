//! Which pretokens may take part in a supermerge.

use crate::Error;
use crate::pretokenize::pattern::expand_escapes;
use crate::pretokenize::regex::Regex;
use crate::pretokenize::unicode::class::{LETTER, MARK, Text};
use crate::pretokenize::unicode::version::Tables;

/// The default rule: words with spaces, underscores and apostrophes. Some letter must not come first:
/// ` a` is eligible and `a` is not, as in the authors' code.
pub const ELIGIBLE: &str = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$";

/// The rule for which pretokens are eligible.
#[derive(Clone, Debug)]
pub struct Eligibility {
    source: String,
    /// `None` for the default rule, which is written by hand.
    regex: Option<Regex>,
}

impl Eligibility {
    /// Creates the rule that a pretoken is eligible when the regex matches all of it.
    ///
    /// # Errors
    /// When the regex is malformed.
    pub fn new(source: &str) -> Result<Eligibility, Error> {
        let is_default = expand_escapes(source) == expand_escapes(ELIGIBLE);
        let regex = if is_default { None } else { Some(Regex::anchored(source)?) };
        Ok(Eligibility { source: source.to_owned(), regex })
    }

    /// The regex of the rule.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The Unicode tables that the rule uses.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        if self.regex.is_some() { Tables::of_regexes() } else { Tables::of_scanners() }
    }

    /// Whether this is the default rule.
    pub(crate) fn is_default(&self) -> bool {
        self.regex.is_none()
    }

    /// Returns whether a pretoken is eligible.
    ///
    /// # Errors
    /// When a regex other than the default backtracks too much.
    pub fn has(&self, pretoken: &str) -> Result<bool, Error> {
        match &self.regex {
            None => Ok(is_eligible_by_default(pretoken)),
            Some(regex) => regex.matches(pretoken),
        }
    }
}

/// Matches `^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$` with the whole pretoken.
fn is_eligible_by_default(pretoken: &str) -> bool {
    let text = Text::new(pretoken);
    let mut at = 0;
    let mut has_later_letter = false;
    let mut may_be_marked = false;
    while at < pretoken.len() {
        let (class, next) = text.peek(at);
        may_be_marked = if LETTER.contains(class) {
            has_later_letter |= at > 0;
            true
        } else if class == MARK {
            if !may_be_marked {
                return false;
            }
            true
        } else {
            if !matches!(&pretoken[at..next], " " | "_" | "'" | "\u{2019}") {
                return false;
            }
            false
        };
        at = next;
    }
    has_later_letter
}
