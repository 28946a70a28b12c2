//! Patterns by name, and regexes that are known by a name.

use super::vocabularies::{PUBLISHED, PublishedVocabulary};
use crate::Error;
use crate::pretokenize::{NAMED, SCRIPT_PATTERN};

/// What separates several regexes in a row.
const THEN: &str = "(?then)";

/// Returns the pattern that a name stands for. A regex is returned as it is.
///
/// # Errors
/// When it is like a name, and there is no such name.
pub fn resolve_pattern(pattern: &str) -> Result<&str, Error> {
    if NAMED.iter().any(|&(name, _)| name == pattern) || pattern == SCRIPT_PATTERN {
        return Ok(pattern);
    }
    match PublishedVocabulary::find(pattern) {
        Some(found) => Ok(found.pattern),
        None if is_like_a_name(pattern) => Err(Error::UnknownPattern { name: pattern.to_owned() }),
        None => Ok(pattern),
    }
}

/// Returns a name of a pattern, to show: its own, or that of a published vocabulary; the regex itself
/// if it has none.
#[must_use]
pub fn find_shown_name(pattern: &str) -> &str {
    let named = find_name(pattern);
    let published = PUBLISHED.iter().find(|known| known.pattern == named);
    let published = published.map_or(named, |known| known.name);
    if is_like_a_name(named) { named } else { published }
}

/// Returns the name of a regex, if it has one, or else the regex.
pub(super) fn find_name(regex: &str) -> &str {
    NAMED.iter().find(|&&(_, named)| named == regex).map_or(regex, |&(name, _)| name)
}

/// Returns an equivalent regex that is not like a name.
pub(super) fn quote_regex(regex: &str) -> String {
    if is_like_a_name(regex) { format!("(?:{regex})") } else { regex.to_owned() }
}

/// Returns the pattern that splits by several, one after the other.
pub(super) fn join_patterns(patterns: &[String]) -> String {
    if let [only] = patterns {
        return only.clone();
    }
    let find_regex = |pattern: &String| {
        let named = NAMED.iter().find(|&&(name, _)| name == pattern);
        named.map_or_else(|| pattern.clone(), |&(_, regex)| regex.to_owned())
    };
    patterns.iter().map(find_regex).collect::<Vec<_>>().join(THEN)
}

fn is_like_a_name(pattern: &str) -> bool {
    let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    pattern.len() >= 2 && pattern.bytes().all(is_of_a_name)
}
