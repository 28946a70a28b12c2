//! `BoundlessBPE v2`, the format of 2026: a vocabulary, the rules for words, the rules for superwords.

use std::borrow::Cow;

use serde::Deserialize;

use super::lines::{Lines, TableRow, parse_number, parse_token};
use super::{
    Draft, IndexedRule, at_line, read_deletes, read_special_tokens, read_vocabulary_row,
    sort_by_index,
};
use crate::Error;
use crate::model::token_interner::quote_token;
use crate::model::{Deletion, SpelledRule};
use crate::pretokenize::{
    ELIGIBLE, Eligibility, Pattern, SCRIPT_PATTERN, UNSPACED_REGEX, UNSPACED_SCRIPTS,
};

/// The settings of a section of rules that decide ids.
#[derive(Deserialize)]
struct Settings {
    tau: f64,
    blowup: bool,
    main_regex: Option<String>,
    script_specific_regex: Option<String>,
    script_specific_scripts: Option<Vec<String>>,
    merge_pattern: Option<String>,
}

/// Reads what follows the first line.
pub(super) fn read(lines: &mut Lines<'_>, has_superwords: bool) -> Result<Draft, Error> {
    lines.expect_heading("vocabulary")?;
    let vocabulary = lines.read_rows::<4>("id token count is_super")?;
    let vocabulary = vocabulary.iter().map(|row| {
        let [_, _, count, is_super] = row.words;
        parse_number::<u64>(row.line, count, "a count")?;
        check_flag(row.line, is_super)?;
        read_vocabulary_row(row)
    });
    let vocabulary = vocabulary.collect::<Result<_, Error>>()?;
    lines.expect_heading("special_tokens")?;
    let special_tokens = read_special_tokens(lines)?;
    lines.expect_heading("words")?;
    let (line, words) = read_settings(lines)?;
    let pattern = find_pattern(line, &words)?;
    let merge = |left, right, count| SpelledRule::Merge { left, right, count };
    let mut rules = read_merges(lines, merge)?;
    lines.expect_heading("deletions")?;
    rules.extend(read_deletes(lines)?);
    rules = sort_by_index(rules)?;
    if has_superwords {
        lines.expect_heading("superwords")?;
        read_settings(lines)?;
        let supermerge = |left, right, count| SpelledRule::Supermerge { left, right, count };
        rules.extend(sort_by_index(read_merges(lines, supermerge)?)?);
        lines.expect_heading("deletions")?;
        if let Some(IndexedRule { line, .. }) = read_deletes(lines)?.first() {
            return Err(at_line(
                *line,
                "a superword is deleted, which the authors' code does not allow",
            ));
        }
    }
    Ok(Draft {
        pattern,
        eligible: match_whole(words.merge_pattern.as_deref().unwrap_or(r"\p{L}"))?,
        deletion: if words.blowup { Deletion::Bytes } else { Deletion::Pair },
        tau: words.tau,
        vocabulary,
        special_tokens,
        rules,
        splits_again: true,
    })
}

/// Reads a line of settings, and its number.
fn read_settings(lines: &mut Lines<'_>) -> Result<(usize, Settings), Error> {
    let (line, text) = lines.next("the settings of its rules")?;
    let settings = serde_json::from_str(text).map_err(|error: serde_json::Error| {
        // The message gives a line within this text, which is a single line of the file.
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        let problem = format!("expected settings as JSON: {reason}, at column {}", error.column());
        at_line(line, &problem)
    })?;
    Ok((line, settings))
}

/// Returns the pattern that splits as the settings say.
fn find_pattern(line: usize, settings: &Settings) -> Result<String, Error> {
    // The default of the authors' code.
    let main = settings.main_regex.as_deref().unwrap_or("gpt4o");
    let Some(regex) = &settings.script_specific_regex else { return Ok(main.to_owned()) };
    let mut scripts: Vec<&str> =
        settings.script_specific_scripts.iter().flatten().map(String::as_str).collect();
    scripts.sort_unstable();
    let is_known = regex == UNSPACED_REGEX && scripts == UNSPACED_SCRIPTS;
    if !is_known || Pattern::new(main)?.name() != Some("gpt4o") {
        let problem = format!(
            "the model splits some scripts with another regex (script_specific_regex); of such \
             models superword reads those of the pattern {SCRIPT_PATTERN}, with its regexes and \
             scripts"
        );
        return Err(at_line(line, &problem));
    }
    Ok(SCRIPT_PATTERN.to_owned())
}

/// Reads a section of merges or supermerges.
fn read_merges(
    lines: &mut Lines<'_>,
    rule: impl Fn(Cow<'static, [u8]>, Cow<'static, [u8]>, u64) -> SpelledRule<'static>,
) -> Result<Vec<IndexedRule>, Error> {
    lines.expect_heading("merges")?;
    let rows = lines.read_rows("index left right count flag")?;
    let merge = |TableRow { line, words: [index, left, right, count, is_whole] }| {
        let index = parse_number(line, index, "an index")?;
        let count = parse_number(line, count, "a count")?;
        check_flag(line, is_whole)?;
        let rule = rule(
            Cow::Owned(parse_token(line, left)?),
            Cow::Owned(parse_token(line, right)?),
            count,
        );
        Ok(IndexedRule { line, index, rule })
    };
    rows.into_iter().map(merge).collect()
}

/// Checks a flag. Flags have no effect: the rules decide.
fn check_flag(line: usize, word: &str) -> Result<(), Error> {
    match word {
        "0" | "1" => Ok(()),
        _ => Err(at_line(line, &format!("expected 0 or 1, not {}", quote_token(word.as_bytes())))),
    }
}

/// Turns a regex that must match anywhere in a pretoken into one that must match all of it.
fn match_whole(merge_pattern: &str) -> Result<String, Error> {
    if Eligibility::new(merge_pattern)?.is_default() {
        return Ok(ELIGIBLE.to_owned());
    }
    Ok(format!("(?s:.*)(?:{merge_pattern})(?s:.*)"))
}
