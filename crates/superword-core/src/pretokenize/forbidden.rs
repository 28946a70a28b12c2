//! Which tokens training may not make.

use crate::Error;
use crate::pretokenize::regex::Regex;

/// The rule for which tokens are forbidden: those in whose text a regex matches.
#[derive(Clone, Debug)]
pub struct ForbiddenText(Regex);

impl ForbiddenText {
    /// Creates the rule that a token is forbidden when the regex matches somewhere in it.
    ///
    /// # Errors
    /// When the regex is malformed.
    pub fn new(source: &str) -> Result<ForbiddenText, Error> {
        Regex::new(source).map(ForbiddenText)
    }

    /// Returns whether a token is forbidden. A single byte never is, nor a token that is not UTF-8.
    ///
    /// # Errors
    /// When the regex backtracks too much.
    pub fn has(&self, token: &[u8]) -> Result<bool, Error> {
        match str::from_utf8(token) {
            Ok(text) if token.len() > 1 => self.0.matches(text),
            _ => Ok(false),
        }
    }
}
