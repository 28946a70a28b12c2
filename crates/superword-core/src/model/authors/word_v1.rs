//! `word v1`, the format of 2025: a regex and six sections.

use std::borrow::Cow;

use super::lines::{Lines, TableRow, parse_number, parse_token};
use super::{
    Draft, IndexedRule, UNKNOWN_TAU, at_line, read_deletes, read_special_tokens,
    read_vocabulary_row, sort_by_index,
};
use crate::Error;
use crate::model::{Deletion, SpelledRule};
use crate::pretokenize::ELIGIBLE;

/// Reads what follows the first line.
pub(super) fn read(lines: &mut Lines<'_>, deletion: Deletion) -> Result<Draft, Error> {
    let (line, regex) = lines.next("its regex")?;
    let pattern = serde_json::from_str(regex)
        .map_err(|_| at_line(line, "expected the regex as a JSON string"))?;
    let vocabulary = lines.read_rows::<2>("id token")?;
    let vocabulary = vocabulary.iter().map(read_vocabulary_row).collect::<Result<_, Error>>()?;
    let special_tokens = read_special_tokens(lines)?;
    let merge = |left, right| SpelledRule::Merge { left, right, count: 0 };
    let mut rules = read_pairs(lines, merge)?;
    rules.extend(read_deletes(lines)?);
    let supermerge = |left, right| SpelledRule::Supermerge { left, right, count: 0 };
    rules.extend(read_pairs(lines, supermerge)?);
    if let Some(IndexedRule { line, .. }) = read_deletes(lines)?.first() {
        return Err(at_line(
            *line,
            "a superword is deleted, and the file does not say how it splits",
        ));
    }
    Ok(Draft {
        pattern,
        // The only one in the authors' code.
        eligible: ELIGIBLE.to_owned(),
        deletion,
        tau: UNKNOWN_TAU,
        vocabulary,
        special_tokens,
        rules: sort_by_index(rules)?,
        splits_again: false,
    })
}

/// Reads a section of merges or supermerges, which has no counts.
fn read_pairs(
    lines: &mut Lines<'_>,
    rule: impl Fn(Cow<'static, [u8]>, Cow<'static, [u8]>) -> SpelledRule<'static>,
) -> Result<Vec<IndexedRule>, Error> {
    let rows = lines.read_rows("index left right")?;
    let pair = |TableRow { line, words: [index, left, right] }| {
        let index = parse_number(line, index, "an index")?;
        let rule =
            rule(Cow::Owned(parse_token(line, left)?), Cow::Owned(parse_token(line, right)?));
        Ok(IndexedRule { line, index, rule })
    };
    rows.into_iter().map(pair).collect()
}
