//! `word v1`, the format of 2025: a regex and six sections.

use std::borrow::Cow;

use super::lines::{Lines, Row, parsed, token};
use super::{Draft, Ordered, UNKNOWN_TAU, at_line, deletes, in_order, listed, special_tokens};
use crate::Error;
use crate::model::{Deletion, SpelledRule};
use crate::pretokenize::ELIGIBLE;

/// What follows the first line.
pub(super) fn read(lines: &mut Lines<'_>, deletion: Deletion) -> Result<Draft, Error> {
    let (line, regex) = lines.next("its regex")?;
    let pattern = serde_json::from_str(regex)
        .map_err(|_| at_line(line, "expected the regex as a JSON string"))?;
    let vocabulary = lines.rows::<2>("id token")?;
    let vocabulary = vocabulary.iter().map(listed).collect::<Result<_, Error>>()?;
    let special_tokens = special_tokens(lines)?;
    let merge = |left, right| SpelledRule::Merge { left, right, count: 0 };
    let mut rules = pairs(lines, merge)?;
    rules.extend(deletes(lines)?);
    let supermerge = |left, right| SpelledRule::Supermerge { left, right, count: 0 };
    rules.extend(pairs(lines, supermerge)?);
    if let Some(Ordered { line, .. }) = deletes(lines)?.first() {
        return Err(at_line(*line, "a superword is deleted, and nothing says how it would split"));
    }
    Ok(Draft {
        pattern,
        // Their code has no other.
        eligible: ELIGIBLE.to_owned(),
        deletion,
        tau: UNKNOWN_TAU,
        vocabulary,
        special_tokens,
        rules: in_order(rules)?,
        splits_again: false,
    })
}

/// A section of merges or supermerges, whose counts it does not say.
fn pairs(
    lines: &mut Lines<'_>,
    rule: impl Fn(Cow<'static, [u8]>, Cow<'static, [u8]>) -> SpelledRule<'static>,
) -> Result<Vec<Ordered>, Error> {
    let rows = lines.rows("index left right")?;
    let pair = |Row { line, words: [index, left, right] }| {
        let index = parsed(line, index, "an index")?;
        let rule = rule(Cow::Owned(token(line, left)?), Cow::Owned(token(line, right)?));
        Ok(Ordered { line, index, rule })
    };
    rows.into_iter().map(pair).collect()
}
