//! Which pretokens may take part in a supermerge.

use crate::Error;
use crate::pretokenize::pattern::expand_escapes;
use crate::pretokenize::regex::Regex;
use crate::pretokenize::unicode::class::{ClassSet, LETTER, MARK, Text};
use crate::pretokenize::unicode::version::Tables;

/// The default rule: words with spaces, underscores and apostrophes. Some letter must not come first:
/// ` a` is eligible and `a` is not, as in the authors' code.
pub const ELIGIBLE: &str = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$";

/// The default rule of patterns that split by script: also single letters of scripts without spaces,
/// since their words consist of several pretokens.
pub const SCRIPT_ELIGIBLE: &str = concat!(
    r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$|^ ?(?=\p{L})",
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Khmer}\p{Lao}\p{Myanmar}\p{Thai}〆〱-〵〼ーｰﾞﾟ]\p{M}*$"
);

/// The rule for which pretokens are eligible.
#[derive(Clone, Debug)]
pub struct Eligibility {
    source: String,
    rule: EligibilityRule,
}

/// A rule that is written by hand, or a regex.
#[derive(Clone, Debug)]
enum EligibilityRule {
    Default,
    ByScript,
    Regex(Regex),
}

impl Eligibility {
    /// Creates the rule that a pretoken is eligible when the regex matches all of it.
    ///
    /// # Errors
    /// When the regex is malformed.
    pub fn new(source: &str) -> Result<Eligibility, Error> {
        let expanded = expand_escapes(source);
        let rule = if expanded == expand_escapes(ELIGIBLE) {
            EligibilityRule::Default
        } else if expanded == expand_escapes(SCRIPT_ELIGIBLE) {
            EligibilityRule::ByScript
        } else {
            EligibilityRule::Regex(Regex::anchored(source)?)
        };
        Ok(Eligibility { source: source.to_owned(), rule })
    }

    /// The regex of the rule.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The Unicode tables that the rule uses.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        match self.rule {
            EligibilityRule::Default => Tables::of_scanners(),
            EligibilityRule::ByScript => Tables::of_scripts(),
            EligibilityRule::Regex(_) => Tables::of_regexes(),
        }
    }

    /// Whether this is the default rule.
    pub(crate) fn is_default(&self) -> bool {
        matches!(self.rule, EligibilityRule::Default)
    }

    /// Returns whether a pretoken is eligible.
    ///
    /// # Errors
    /// When a regex other than the default backtracks too much.
    pub fn has(&self, pretoken: &str) -> Result<bool, Error> {
        match &self.rule {
            EligibilityRule::Default => Ok(is_eligible_by_default(pretoken)),
            EligibilityRule::ByScript => {
                Ok(is_eligible_by_default(pretoken) || is_unspaced_letter(pretoken))
            }
            EligibilityRule::Regex(regex) => regex.matches(pretoken),
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

/// Matches ` ?(?=\p{L})[...]\p{M}*`, with the letters of scripts without spaces.
fn is_unspaced_letter(pretoken: &str) -> bool {
    let text = Text::new(pretoken.strip_prefix(' ').unwrap_or(pretoken));
    let (class, _) = text.peek(0);
    let (script, end) = text.peek_script(0);
    let is_letter = LETTER.contains(class) && script.occurs_unspaced();
    is_letter && text.skip_run(end, ClassSet::of(&[MARK])) == text.bytes.len()
}

/// Whether a token is wholly in scripts without spaces: letters, with marks, and at most a space
/// before them. Such a token is no more than what is a word in scripts with spaces.
///
/// ```
/// use superword_core::pretokenize::is_unspaced_word;
/// let tokens = ["東京", " ภาษา", "コーヒー", "東京 大阪", "東京、", "Tokyo", "한국", " ", "ก็"];
/// let expected = [true, true, true, false, false, false, false, false, true];
/// assert_eq!(tokens.map(|token| is_unspaced_word(token.as_bytes())), expected);
/// // Bytes of a character that is not complete are not a word.
/// assert!(!is_unspaced_word(&"東京".as_bytes()[..5]));
/// ```
#[must_use]
pub fn is_unspaced_word(token: &[u8]) -> bool {
    let Ok(token) = std::str::from_utf8(token) else { return false };
    let text = Text::new(token.strip_prefix(' ').unwrap_or(token));
    let mut at = 0;
    while at < text.bytes.len() {
        let (class, _) = text.peek(at);
        let (script, end) = text.peek_script(at);
        let is_mark = class == MARK && at > 0;
        if !(is_mark || LETTER.contains(class) && script.occurs_unspaced()) {
            return false;
        }
        at = end;
    }
    at > 0
}
