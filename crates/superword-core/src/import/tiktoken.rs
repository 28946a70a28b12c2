//! tiktoken's vocabulary files: each line is a token in base 64 and its rank.

use super::json::ID_RANGE;
use super::patterns::resolve_pattern;
use super::ranked::RankedTokenizer;
use super::token_list::TokenList;
use super::unreproduced::Unreproduced;
use super::{ImportOptions, ImportedModel, model_error};
use crate::Error;
use crate::model::TokenId;

/// The tokens of a vocabulary file with their ranks, in the order of its lines.
#[derive(Debug)]
pub struct RankedTokens {
    tokens: TokenList,
    ranks: Vec<TokenId>,
}

impl RankedTokens {
    /// The tokens with their ranks, which are ids.
    pub fn iter(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        self.ranks.iter().copied().zip(self.tokens.iter())
    }
}

/// Whether a file begins like a vocabulary file.
pub(super) fn is_tiktoken(start: &[u8]) -> bool {
    let first = start.split(|&byte| byte == b'\n').next();
    first.is_some_and(|line| read_line(line, &mut TokenList::default()).is_ok())
}

/// Reads a vocabulary file.
///
/// # Errors
/// When a line is not a token in base 64 and its rank; it says which.
pub fn read_ranks(content: &[u8]) -> Result<RankedTokens, Error> {
    // The shortest line is `YQ== 1`.
    let lines = content.len() / 7;
    let mut tokens = TokenList::with_capacity(lines);
    let mut ranks = Vec::with_capacity(lines);
    for (number, line) in (1..).zip(content.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let rank = read_line(line, &mut tokens)
            .map_err(|problem| model_error(format!("line {number}: {problem}")))?;
        ranks.push(rank);
    }
    Ok(RankedTokens { tokens, ranks })
}

/// Adds the token of a line, and returns its rank, or what is wrong with the line.
fn read_line(line: &[u8], tokens: &mut TokenList) -> Result<TokenId, &'static str> {
    const MALFORMED: &str = "not a token in base 64 and its rank, as other lines are";
    let line = line.trim_ascii();
    let space = line.iter().position(|&byte| byte == b' ').ok_or(MALFORMED)?;
    let (token, rank) = (&line[..space], line[space..].trim_ascii());
    if token.is_empty() || rank.is_empty() || !rank.iter().all(u8::is_ascii_digit) {
        return Err(MALFORMED);
    }
    tokens.push_base64(token).ok_or(MALFORMED)?;
    let rank = rank.iter().try_fold(0_u32, |number, &digit| {
        number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
    });
    rank.map(TokenId).ok_or(ID_RANGE)
}

/// Imports a vocabulary file, whose pattern must be given.
pub(super) fn import_ranks(content: &[u8], options: ImportOptions) -> Result<ImportedModel, Error> {
    let pattern = options.pattern.ok_or_else(|| {
        model_error("a tiktoken file does not hold its pattern; pass it, a name or a regex")
    })?;
    let ranks = read_ranks(content)?;
    let mut unreproduced = Unreproduced::new(options.is_approximate);
    let tokenizer = RankedTokenizer {
        vocabulary: ranks.iter().collect(),
        pattern: resolve_pattern(&pattern)?.to_owned(),
        special_tokens: options.special_tokens.unwrap_or_default(),
        looks_up: true,
        ..RankedTokenizer::default()
    };
    let model = tokenizer.build(&mut unreproduced)?;
    Ok(ImportedModel { model, warnings: unreproduced.warnings })
}
