//! `BoundlessBPE v2`, the format of 2026: a vocabulary, the rules of words, those of superwords.

use std::borrow::Cow;

use serde::Deserialize;

use super::lines::{Lines, Row, parsed, token};
use super::{Draft, Ordered, at_line, deletes, in_order, listed, special_tokens};
use crate::Error;
use crate::model::tokens::shown;
use crate::model::{Deletion, SpelledRule};
use crate::pretokenize::{ELIGIBLE, Eligibility};

/// What a section of rules says of itself, as far as it decides ids.
#[derive(Deserialize)]
struct Settings {
    tau: f64,
    blowup: bool,
    main_regex: Option<String>,
    script_specific_regex: Option<String>,
    merge_pattern: Option<String>,
}

/// What follows the first line.
pub(super) fn read(lines: &mut Lines<'_>, has_superwords: bool) -> Result<Draft, Error> {
    lines.heading("vocabulary")?;
    let vocabulary = lines.rows::<4>("id token count is_super")?;
    let vocabulary = vocabulary.iter().map(|row| {
        let [_, _, count, is_super] = row.words;
        parsed::<u64>(row.line, count, "a count")?;
        flag(row.line, is_super)?;
        listed(row)
    });
    let vocabulary = vocabulary.collect::<Result<_, Error>>()?;
    lines.heading("special_tokens")?;
    let special_tokens = special_tokens(lines)?;
    lines.heading("words")?;
    let (line, words) = settings(lines)?;
    if words.script_specific_regex.is_some() {
        let problem = "the model splits some scripts with a regex of their own \
                       (script_specific_regex), and superword splits all of a text with one";
        return Err(at_line(line, problem));
    }
    let merge = |left, right, count| SpelledRule::Merge { left, right, count };
    let mut rules = merges(lines, merge)?;
    lines.heading("deletions")?;
    rules.extend(deletes(lines)?);
    rules = in_order(rules)?;
    if has_superwords {
        lines.heading("superwords")?;
        settings(lines)?;
        let supermerge = |left, right, count| SpelledRule::Supermerge { left, right, count };
        rules.extend(in_order(merges(lines, supermerge)?)?);
        lines.heading("deletions")?;
        if let Some(Ordered { line, .. }) = deletes(lines)?.first() {
            return Err(at_line(*line, "a superword is deleted, which the authors' code refuses"));
        }
    }
    Ok(Draft {
        // What their code takes where a file has null.
        pattern: words.main_regex.unwrap_or_else(|| "gpt4o".to_owned()),
        eligible: whole(words.merge_pattern.as_deref().unwrap_or(r"\p{L}"))?,
        deletion: if words.blowup { Deletion::Bytes } else { Deletion::Pair },
        tau: words.tau,
        vocabulary,
        special_tokens,
        rules,
        splits_again: true,
    })
}

/// A line of settings, and its number.
fn settings(lines: &mut Lines<'_>) -> Result<(usize, Settings), Error> {
    let (line, text) = lines.next("the settings of its rules")?;
    let settings = serde_json::from_str(text).map_err(|error: serde_json::Error| {
        // It says where in the text, which is one line of many.
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or_default();
        let problem = format!("expected settings as JSON: {reason}, at column {}", error.column());
        at_line(line, &problem)
    })?;
    Ok((line, settings))
}

/// A section of merges or supermerges.
fn merges(
    lines: &mut Lines<'_>,
    rule: impl Fn(Cow<'static, [u8]>, Cow<'static, [u8]>, u64) -> SpelledRule<'static>,
) -> Result<Vec<Ordered>, Error> {
    lines.heading("merges")?;
    let rows = lines.rows("index left right count flag")?;
    let merge = |Row { line, words: [index, left, right, count, is_whole] }| {
        let index = parsed(line, index, "an index")?;
        let count = parsed(line, count, "a count")?;
        flag(line, is_whole)?;
        let rule = rule(Cow::Owned(token(line, left)?), Cow::Owned(token(line, right)?), count);
        Ok(Ordered { line, index, rule })
    };
    rows.into_iter().map(merge).collect()
}

/// Flags decide nothing here: the rules say what they say.
fn flag(line: usize, word: &str) -> Result<(), Error> {
    match word {
        "0" | "1" => Ok(()),
        _ => Err(at_line(line, &format!("expected 0 or 1, not {}", shown(word.as_bytes())))),
    }
}

/// Their rule of eligibility asks for a match anywhere in a pretoken, ours for one of all of it.
fn whole(merge_pattern: &str) -> Result<String, Error> {
    if Eligibility::new(merge_pattern)?.is_default() {
        return Ok(ELIGIBLE.to_owned());
    }
    Ok(format!("(?s:.*)(?:{merge_pattern})(?s:.*)"))
}
