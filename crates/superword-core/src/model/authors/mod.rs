//! Models in the two formats of the paper authors' public code, told by their first line.
//!
//! Both are lines of text, described in docs/model-format.md: `word v1` of 2025 and
//! `BoundlessBPE v2` of 2026. Ids are theirs. As with our own files, memory and time are in
//! proportion to the file: no count is believed before its rows have been read, and no token is
//! longer than the line that makes it.

mod boundless_v2;
mod lines;
mod parts;
mod word_v1;

use std::borrow::Cow;

use self::lines::{Lines, Row, parsed, token};
use self::parts::Parts;
use super::history::History;
use super::ids::{Ids, listed_bytes};
use super::tokens::shown;
use super::{Deletion, Model, Parameters, SpelledRule, TokenId, Training, refusal};
use crate::Error;
use crate::pretokenize::Pattern;

impl Model {
    /// The model that the text of one of the authors' files holds.
    ///
    /// `deletion` says how a `word v1` model splits what it deletes: such a file does not.
    ///
    /// # Errors
    /// When it holds none, or one that contradicts itself or cannot be had as ours.
    pub fn from_authors(text: &[u8], deletion: Deletion) -> Result<Model, Error> {
        let text = std::str::from_utf8(text).map_err(|error| {
            let before = &text[..error.valid_up_to()];
            at_line(memchr::memchr_iter(b'\n', before).count() + 1, "not UTF-8")
        })?;
        let mut lines = Lines::new(text);
        let (_, first) = lines.next("the name of the format")?;
        let draft = match first.trim_end() {
            "word v1" => word_v1::read(&mut lines, deletion)?,
            "BoundlessBPE v2 word" => boundless_v2::read(&mut lines, false)?,
            "BoundlessBPE v2 boundless" | "BoundlessBPE v2 superbpe" => {
                boundless_v2::read(&mut lines, true)?
            }
            other => {
                let problem = format!(
                    "the format is {}, and this superword reads \"word v1\", and \"BoundlessBPE v2\" \
                     with word, boundless or superbpe after it",
                    shown(other.as_bytes())
                );
                return Err(at_line(1, &problem));
            }
        };
        lines.end()?;
        draft.finished()
    }
}

/// What a file says, before it is held together.
struct Draft {
    /// The regex that splits.
    pattern: String,
    eligible: String,
    deletion: Deletion,
    tau: f64,
    vocabulary: Vec<Listed>,
    special_tokens: Vec<(TokenId, String)>,
    /// In order.
    rules: Vec<Ordered>,
    /// Whether a part that has no id is split as well.
    splits_again: bool,
}

/// A token with its id.
struct Listed {
    line: usize,
    id: TokenId,
    token: Vec<u8>,
}

/// A rule with its index; what a delete splits its token into is not known yet.
struct Ordered {
    line: usize,
    index: u64,
    rule: SpelledRule<'static>,
}

impl Draft {
    /// The model, if the parts of the file agree.
    fn finished(mut self) -> Result<Model, Error> {
        self.vocabulary.sort_by_key(|listed| listed.id);
        for pair in self.vocabulary.windows(2) {
            let [before, Listed { line, id, .. }] = pair else { continue };
            if before.id == *id {
                return Err(at_line(*line, &format!("another token has the id {id} too")));
            }
        }
        let tokens = || self.vocabulary.iter().map(|listed| &*listed.token);
        let kept = self.splits_again.then(|| tokens().collect());
        let parts = Parts::new(&self.rules, self.deletion, kept.as_ref());
        let listed = listed_bytes(tokens());
        let mut history = History::of_file(|byte| listed[usize::from(byte)], self.rules.len());
        for Ordered { line, rule, .. } in &self.rules {
            let performed = match rule {
                SpelledRule::Delete { token, .. } => {
                    let (token, parts) = (Cow::Borrowed(&**token), parts.of(token));
                    history.perform(&SpelledRule::Delete { token, parts })
                }
                rule => history.perform(rule),
            };
            performed.map_err(|error| at_line(*line, &error.to_string()))?;
        }
        let mut ids = Ids::new(&history);
        for Listed { line, id, token } in &self.vocabulary {
            ids.add(*id, token).map_err(|error| at_line(*line, &error.to_string()))?;
        }
        let vocabulary = ids.finish()?;
        let has = |is_kind: fn(&SpelledRule<'_>) -> bool| {
            self.rules.iter().any(|ordered| is_kind(&ordered.rule))
        };
        let deletes = has(|rule| matches!(rule, SpelledRule::Delete { .. }));
        let pattern = Pattern::new(&self.pattern)?;
        let parameters = Parameters {
            pattern: pattern.name().map_or(self.pattern, str::to_owned),
            eligible: self.eligible,
            supermerges: has(|rule| matches!(rule, SpelledRule::Supermerge { .. })),
            deletion: deletes.then_some(self.deletion),
            tau: if deletes { self.tau } else { UNKNOWN_TAU },
            min_count: 1,
            vocab_size: vocabulary.len().max(256) as u32,
            second_stage: None,
        };
        let training = Training::default();
        Model::numbered(parameters, history, vocabulary, self.special_tokens, training)
    }
}

/// The paper's, where a file says none, or one that deletes nothing.
const UNKNOWN_TAU: f64 = 0.9;

/// A row of the vocabulary.
fn listed<const N: usize>(row: &Row<'_, N>) -> Result<Listed, Error> {
    let id = TokenId(parsed(row.line, row.words[0], "an id")?);
    Ok(Listed { line: row.line, id, token: token(row.line, row.words[1])? })
}

/// The section of special tokens; their texts may hold blanks.
fn special_tokens(lines: &mut Lines<'_>) -> Result<Vec<(TokenId, String)>, Error> {
    let rows = lines.rows("id text")?;
    let special = |Row { line, words: [id, text] }| {
        Ok((TokenId(parsed(line, id, "an id")?), String::from(text)))
    };
    rows.into_iter().map(special).collect()
}

/// The section of deletes.
fn deletes(lines: &mut Lines<'_>) -> Result<Vec<Ordered>, Error> {
    let rows = lines.rows("index token")?;
    let delete = |Row { line, words: [index, deleted] }| {
        let index = parsed(line, index, "an index")?;
        let token = Cow::Owned(token(line, deleted)?);
        Ok(Ordered { line, index, rule: SpelledRule::Delete { token, parts: Vec::new() } })
    };
    rows.into_iter().map(delete).collect()
}

/// Rules by their indices, which have to follow one another.
fn in_order(mut rules: Vec<Ordered>) -> Result<Vec<Ordered>, Error> {
    rules.sort_by_key(|ordered| ordered.index);
    for pair in rules.windows(2) {
        let [before, Ordered { line, index, .. }] = pair else { continue };
        if *index == before.index {
            return Err(at_line(*line, &format!("another rule has the index {index} too")));
        }
        if *index - before.index > 1 {
            let problem = format!("no rule has the index {}, before {index}", before.index + 1);
            return Err(at_line(*line, &problem));
        }
    }
    Ok(rules)
}

fn at_line(line: usize, problem: &str) -> Error {
    refusal(format!("line {line}: {problem}"))
}
