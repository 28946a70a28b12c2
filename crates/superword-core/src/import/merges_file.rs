//! The older pair of files of a byte-level BPE: `vocab.json` and `merges.txt`.
//!
//! GPT-2's are `encoder.json` and `vocab.bpe`. The first has the ids, the second the merges
//! by rank. Neither has the pattern.

use std::borrow::Cow;
use std::collections::HashSet;

use super::json::explain;
use super::patterns::resolve_pattern;
use super::ranked::RankedTokenizer;
use super::spelled_merges::{SpelledMerge, SpelledVocabulary, decode_vocabulary, pair_tokens};
use super::token_list::TokenList;
use super::unreproduced::Unreproduced;
use super::vocabularies::PublishedVocabulary;
use super::{ImportOptions, ImportedModel, model_error};
use crate::Error;
use crate::model::TokenId;

/// Imports `vocab.json` and `merges.txt`, or GPT-2's `encoder.json` and `vocab.bpe`.
///
/// Without a list of special tokens, those of GPT-2 are, if the vocabulary has them.
///
/// # Errors
/// As [`import`](super::import), and when no pattern is given.
pub fn import_merges(
    vocabulary: &[u8],
    merges: &[u8],
    options: ImportOptions,
) -> Result<ImportedModel, Error> {
    let pattern = options.pattern.ok_or_else(|| {
        model_error("merges do not hold their pattern; pass it, a name or a regex")
    })?;
    let problem = "its vocabulary is not an object of tokens and ids";
    let spelled: SpelledVocabulary<'_> =
        serde_json::from_slice(vocabulary).map_err(|error| explain(&error, problem))?;
    let SpelledVocabulary::Ids(spelled) = spelled else { return Err(model_error(problem)) };
    let mut parts = TokenList::default();
    read_merges(merges, &mut parts)?;
    let merges = pair_tokens(&parts);
    let special_tokens = options.special_tokens.unwrap_or_else(|| find_special_tokens(&spelled));
    let without_rules: HashSet<&str> =
        special_tokens.iter().map(|(_, text)| text.as_str()).collect();
    let mut tokens = TokenList::with_capacity(spelled.len());
    let ids = decode_vocabulary(&spelled, &merges, &without_rules, false, &mut tokens)?;
    let mut unreproduced = Unreproduced::new(options.is_approximate);
    let tokenizer = RankedTokenizer {
        vocabulary: ids.into_iter().zip(tokens.iter()).collect(),
        merges: Some(merges),
        pattern: resolve_pattern(&pattern)?.to_owned(),
        special_tokens,
        ..RankedTokenizer::default()
    };
    let model = tokenizer.build(&mut unreproduced)?;
    Ok(ImportedModel { model, warnings: unreproduced.warnings })
}

/// Adds the tokens of the merges, one a line: two spelled tokens with a blank between them.
fn read_merges(content: &[u8], tokens: &mut TokenList) -> Result<(), Error> {
    let text = std::str::from_utf8(content).map_err(|error| {
        model_error(format!("its merges are not UTF-8 at byte {}", error.valid_up_to()))
    })?;
    for (number, line) in (1..).zip(text.split('\n')) {
        let merge = line.trim_end_matches('\r');
        if merge.is_empty() || number == 1 && merge.starts_with("#version") {
            continue;
        }
        if merge.matches(' ').count() != 1 {
            let problem = "not two tokens with a blank between";
            return Err(model_error(format!("its merges, line {number}: {problem}")));
        }
        SpelledMerge::Joined(Cow::Borrowed(merge)).decode(tokens)?;
    }
    Ok(())
}

/// Returns the special tokens of GPT-2 that a vocabulary has.
fn find_special_tokens(spelled: &[(Cow<'_, str>, TokenId)]) -> Vec<(TokenId, String)> {
    let known = PublishedVocabulary::find("gpt2").and_then(PublishedVocabulary::special_tokens);
    let mut known = known.unwrap_or_default();
    let is_there = |(id, text): &(TokenId, String)| {
        spelled.iter().any(|(other, other_id)| other_id == id && other == text)
    };
    known.retain(is_there);
    known
}
