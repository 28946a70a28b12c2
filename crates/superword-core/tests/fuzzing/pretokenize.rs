//! Patterns with scanners against their regexes, and against themselves.

use std::sync::LazyLock;

use fancy_regex::Regex;
use superword_core::Pattern;
use superword_core::pretokenize::{NAMED, PORTABLE_PATTERN, SCRIPT_PATTERN, SECOND_PATTERN};

/// Finds characters that the regex engine does not know.
static UNASSIGNED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{Cn}").expect("a class"));

/// Patterns, with the same regexes without a scanner if there are such.
static PATTERNS: LazyLock<Vec<(Pattern, Option<Pattern>)>> = LazyLock::new(|| {
    let regexes = NAMED.map(|(_, regex)| regex);
    let all = regexes.iter().chain(&[PORTABLE_PATTERN, SECOND_PATTERN]);
    let with_twins = all.map(|regex| {
        let twin = Pattern::new(&format!("(?:{regex})")).expect("a regex");
        (Pattern::new(regex).expect("a pattern"), Some(twin))
    });
    let by_script = Pattern::new(SCRIPT_PATTERN).expect("a pattern");
    with_twins.chain([(by_script, None)]).collect()
});

/// Splits a text. The first byte says by which pattern.
pub(super) fn pretokenize(data: &[u8]) {
    let Some((&kind, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let (pattern, twin) = &PATTERNS[usize::from(kind) % PATTERNS.len()];
    let ends = find_ends(pattern, &text).expect("a scanner");
    assert_eq!(ends.last().copied().unwrap_or(0), text.len());
    assert!(ends.iter().all(|&end| text.is_char_boundary(end)));
    assert!(ends.is_sorted() && ends.first() != Some(&0));
    let Some(twin) = twin else { return };
    let expected = find_ends(twin, &text).expect("a regex");
    // The tables of the regex engine may be of an older Unicode.
    assert!(
        ends == expected || UNASSIGNED.is_match(&*text).expect("a simple regex"),
        "{} {text:?}: {ends:?}, not {expected:?}",
        pattern.source()
    );
}

/// Returns where the pretokens end; `None` if a regex gives up.
fn find_ends(pattern: &Pattern, text: &str) -> Option<Vec<usize>> {
    pattern.spans(text).map(|span| Some(span.ok()?.end)).collect()
}
