//! Models in the two formats of the authors' public code, identified by their first line.
//!
//! Both are lines of text, described in docs/model-format.md: `word v1` of 2025 and
//! `BoundlessBPE v2` of 2026. Models keep their ids. As with our own files, reading takes time and
//! memory in proportion to the file: a count of rows reserves nothing, and no token is longer than
//! the line that makes it.
//!
//! In reading order: `lines` reads counts and rows, `word_v1` and `boundless_v2` read the formats,
//! `parts` works out how deleted tokens split.

mod boundless_v2;
mod lines;
mod parts;
mod word_v1;

use std::borrow::Cow;

use self::lines::{Lines, TableRow, parse_number, parse_token};
use self::parts::Parts;
use super::history::History;
use super::token_interner::quote_token;
use super::vocabulary_builder::{VocabularyBuilder, mark_bytes};
use super::{Deletion, Model, Parameters, RuleLimits, SpelledRule, TokenId, Training, model_error};
use crate::Error;
use crate::pretokenize::Pattern;

impl Model {
    /// Reads a model from the content of one of the authors' files.
    ///
    /// `deletion` says how a `word v1` model splits deleted tokens, which the file does not say.
    ///
    /// # Errors
    /// When it is not a model, contradicts itself, or has no equivalent here.
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
                    "the format is {}; this superword reads \"word v1\", and \"BoundlessBPE v2\" followed \
                     by word, boundless or superbpe",
                    quote_token(other.as_bytes())
                );
                return Err(at_line(1, &problem));
            }
        };
        lines.expect_end()?;
        draft.into_model()
    }
}

/// The content of a file before its parts are checked against each other.
struct Draft {
    /// The regex that splits.
    pattern: String,
    eligible: String,
    deletion: Deletion,
    tau: f64,
    vocabulary: Vec<VocabularyRow>,
    special_tokens: Vec<(TokenId, String)>,
    /// In order.
    rules: Vec<IndexedRule>,
    /// Whether a part that has no id is split too.
    splits_again: bool,
}

/// A row of the vocabulary.
struct VocabularyRow {
    line: usize,
    id: TokenId,
    token: Vec<u8>,
}

/// A rule with its index. The parts of a delete are not known yet.
struct IndexedRule {
    line: usize,
    index: u64,
    rule: SpelledRule<'static>,
}

impl Draft {
    /// Builds the model, if the parts of the file agree.
    fn into_model(mut self) -> Result<Model, Error> {
        self.vocabulary.sort_by_key(|listed| listed.id);
        for pair in self.vocabulary.windows(2) {
            let [before, VocabularyRow { line, id, .. }] = pair else { continue };
            if before.id == *id {
                return Err(at_line(*line, &format!("another token also has the id {id}")));
            }
        }
        let tokens = || self.vocabulary.iter().map(|listed| &*listed.token);
        let kept = self.splits_again.then(|| tokens().collect());
        let parts = Parts::new(&self.rules, self.deletion, kept.as_ref());
        let listed = mark_bytes(tokens());
        let mut history = History::of_file(|byte| listed[usize::from(byte)], self.rules.len());
        for IndexedRule { line, rule, .. } in &self.rules {
            let performed = match rule {
                SpelledRule::Delete { token, .. } => {
                    let (token, parts) = (Cow::Borrowed(&**token), parts.of(token));
                    history.perform(&SpelledRule::Delete { token, parts })
                }
                rule => history.perform(rule),
            };
            performed.map_err(|error| at_line(*line, &error.to_string()))?;
        }
        let mut ids = VocabularyBuilder::new(&history);
        for VocabularyRow { line, id, token } in &self.vocabulary {
            ids.add(*id, token).map_err(|error| at_line(*line, &error.to_string()))?;
        }
        let vocabulary = ids.finish(false)?;
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
            limits: RuleLimits::default(),
        };
        let training = Training::default();
        Model::with_vocabulary(
            parameters,
            history,
            vocabulary,
            self.special_tokens,
            Vec::new(),
            training,
        )
    }
}

/// The paper's value, for files without a tau and models without deletes.
const UNKNOWN_TAU: f64 = 0.9;

/// Reads a row of the vocabulary.
fn read_vocabulary_row<const N: usize>(row: &TableRow<'_, N>) -> Result<VocabularyRow, Error> {
    let id = TokenId(parse_number(row.line, row.words[0], "an id")?);
    Ok(VocabularyRow { line: row.line, id, token: parse_token(row.line, row.words[1])? })
}

/// Reads the section of special tokens. Their texts may contain spaces.
fn read_special_tokens(lines: &mut Lines<'_>) -> Result<Vec<(TokenId, String)>, Error> {
    let rows = lines.read_rows("id text")?;
    let special = |TableRow { line, words: [id, text] }| {
        Ok((TokenId(parse_number(line, id, "an id")?), String::from(text)))
    };
    rows.into_iter().map(special).collect()
}

/// Reads the section of deletes.
fn read_deletes(lines: &mut Lines<'_>) -> Result<Vec<IndexedRule>, Error> {
    let rows = lines.read_rows("index token")?;
    let delete = |TableRow { line, words: [index, deleted] }| {
        let index = parse_number(line, index, "an index")?;
        let token = Cow::Owned(parse_token(line, deleted)?);
        Ok(IndexedRule { line, index, rule: SpelledRule::Delete { token, parts: Vec::new() } })
    };
    rows.into_iter().map(delete).collect()
}

/// Sorts rules by index. The indices must be consecutive.
fn sort_by_index(mut rules: Vec<IndexedRule>) -> Result<Vec<IndexedRule>, Error> {
    rules.sort_by_key(|ordered| ordered.index);
    for pair in rules.windows(2) {
        let [before, IndexedRule { line, index, .. }] = pair else { continue };
        if *index == before.index {
            return Err(at_line(*line, &format!("another rule also has the index {index}")));
        }
        if *index - before.index > 1 {
            let problem =
                format!("no rule has the index {}; the next is {index}", before.index + 1);
            return Err(at_line(*line, &problem));
        }
    }
    Ok(rules)
}

fn at_line(line: usize, problem: &str) -> Error {
    model_error(format!("line {line}: {problem}"))
}
