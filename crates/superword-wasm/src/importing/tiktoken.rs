//! tiktoken's vocabulary files: each line is a token in base 64 and its rank.

use std::collections::HashMap;

use superword_core::model::TokenId;

use crate::importing::base64;
use crate::importing::ranked::RankedTokenizer;
use crate::importing::vocabularies::{Vocabulary, find_vocabulary};
use crate::session::{Failure, NewModel};

/// A token and its rank.
struct RankedToken {
    token: Vec<u8>,
    rank: u32,
}

/// Whether a file begins like a vocabulary file.
pub(super) fn is_tiktoken(start: &[u8]) -> bool {
    start.split(|&byte| byte == b'\n').next().and_then(parse_line).is_some()
}

/// Imports a vocabulary file. Its pattern is known by its name, or taken to be that of GPT-4o.
pub(super) fn import(content: &[u8], name: &str) -> Result<NewModel, Failure> {
    let mut ranks = HashMap::new();
    for (number, line) in (1..).zip(content.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let RankedToken { token, rank } = parse_line(line).ok_or_else(|| {
            let message = "not a token in base 64 and its rank, as other lines are";
            Failure(format!("line {number}: {message}"))
        })?;
        ranks.insert(token, TokenId(rank));
    }
    let stem = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let known = find_vocabulary(stem);
    let is_known = known.is_some();
    let Vocabulary { pattern, special_tokens } =
        known.unwrap_or(Vocabulary { pattern: "gpt4o", special_tokens: Vec::new() });
    let mut made = RankedTokenizer {
        vocabulary: ranks.into_iter().map(|(token, id)| (id, token)).collect(),
        pattern: pattern.to_owned(),
        special_tokens,
        ignores_merges: true,
        ..RankedTokenizer::default()
    }
    .build()?;
    if !is_known {
        made.warnings.push(
            "a tiktoken file does not hold its pattern, and its name is not that of a published \
             one; it splits text by gpt4o here, and has no special tokens"
                .to_owned(),
        );
    }
    Ok(made)
}

fn parse_line(line: &[u8]) -> Option<RankedToken> {
    let line = line.trim_ascii();
    let space = line.iter().position(|&byte| byte == b' ')?;
    let (token, rank) = (&line[..space], line[space..].trim_ascii());
    let rank = std::str::from_utf8(rank).ok()?.parse().ok()?;
    let token = base64::decode(token).filter(|token| !token.is_empty())?;
    Some(RankedToken { token, rank })
}
