//! Which pretokens may take part in a supermerge.

use crate::Error;
use crate::pretokenize::regex::Regex;
use crate::pretokenize::unicode::class::{LETTER, MARK, Text};
use crate::pretokenize::unicode::version::Tables;

/// The default rule: words, with the spaces, underscores and apostrophes that go with them. The
/// letter must not come first: ` a` is eligible, a lone `a` is not, as in the authors' code.
pub const ELIGIBLE: &str = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$";

/// The rule that says which pretokens are eligible.
#[derive(Clone, Debug)]
pub struct Eligibility {
    source: String,
    /// `None` for the default rule, which is written out by hand.
    regex: Option<Regex>,
}

impl Eligibility {
    /// The rule that a pretoken is eligible when the whole of it matches the regex.
    ///
    /// # Errors
    /// When the regex is malformed.
    pub fn new(source: &str) -> Result<Eligibility, Error> {
        let is_default = super::spelled_out(source) == super::spelled_out(ELIGIBLE);
        let regex = if is_default { None } else { Some(Regex::whole(source)?) };
        Ok(Eligibility { source: source.to_owned(), regex })
    }

    /// The regex that was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The Unicode tables that it decides by.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        if self.regex.is_some() { Tables::of_regexes() } else { Tables::of_scanners() }
    }

    /// Whether it is the default rule.
    pub(crate) fn is_default(&self) -> bool {
        self.regex.is_none()
    }

    /// Whether a pretoken is eligible.
    ///
    /// # Errors
    /// When a regex of the user's own backtracks too much.
    pub fn has(&self, pretoken: &str) -> Result<bool, Error> {
        match &self.regex {
            None => Ok(is_eligible(pretoken)),
            Some(regex) => regex.matches(pretoken),
        }
    }
}

/// The default rule: `^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$`, for the whole of the pretoken.
fn is_eligible(pretoken: &str) -> bool {
    let text = Text::new(pretoken);
    let mut at = 0;
    let mut has_later_letter = false;
    let mut may_be_marked = false;
    while at < pretoken.len() {
        let (class, next) = text.peek(at);
        may_be_marked = if LETTER.has(class) {
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
