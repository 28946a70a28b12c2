//! The rules that join two tokens, by the left one.

use crate::encode::numbering::{EncoderToken, TokenNumbering};
use crate::model::{Model, Rule, TokenIndex};

/// The bytes of all tokens, by token.
pub(crate) struct TokenSpellings {
    bytes: Vec<u8>,
    /// The offset at which each token starts, and the end of the last.
    starts: Vec<u32>,
}

impl TokenSpellings {
    /// Collects the tokens of a model, in the encoder's numbering.
    pub(crate) fn new(model: &Model, numbering: &TokenNumbering) -> TokenSpellings {
        let mut by_token = vec![TokenIndex(0); model.token_count()];
        for index in (0..model.token_count() as u32).map(TokenIndex) {
            by_token[numbering.token(index).as_usize()] = index;
        }
        let (mut bytes, mut starts) = (Vec::new(), vec![0]);
        for index in by_token {
            bytes.extend_from_slice(model.token(index));
            starts.push(bytes.len() as u32);
        }
        TokenSpellings { bytes, starts }
    }

    /// Returns the bytes of a token.
    pub(crate) fn get(&self, token: EncoderToken) -> &[u8] {
        let [start, end] = [0, 1].map(|next| self.starts[token.as_usize() + next] as usize);
        &self.bytes[start..end]
    }
}

/// A rule that joins a token with one on its right.
struct RightJoin {
    /// The first bytes of the right token, the first in the highest place, with zeros after them.
    prefix: u64,
    right: EncoderToken,
    step: u32,
}

/// The rules that join two tokens.
pub(crate) struct JoinsByLeft {
    /// By left token, then by prefix.
    joins: Vec<RightJoin>,
    /// By left token: where its rules start, and the end of the last.
    starts: Vec<u32>,
}

impl JoinsByLeft {
    /// Collects the rules of a model that `is_included` accepts, by their index. Deletes join nothing.
    pub(crate) fn new(
        model: &Model,
        numbering: &TokenNumbering,
        spellings: &TokenSpellings,
        is_included: impl Fn(usize, &Rule) -> bool,
    ) -> JoinsByLeft {
        let mut joins = Vec::new();
        for (index, rule) in model.rules().iter().enumerate() {
            if let &(Rule::Merge { left, right, .. } | Rule::Supermerge { left, right, .. }) = rule
                && is_included(index, rule)
            {
                let [left, right] = [left, right].map(|token| numbering.token(token));
                let (prefix, step) = (first_bytes(spellings.get(right)), index as u32 + 1);
                joins.push((left, RightJoin { prefix, right, step }));
            }
        }
        joins.sort_unstable_by_key(|(left, join)| (*left, join.prefix));
        let mut starts = vec![0; model.token_count() + 1];
        for (left, _) in &joins {
            starts[left.as_usize() + 1] += 1;
        }
        for token in 0..model.token_count() {
            starts[token + 1] += starts[token];
        }
        JoinsByLeft { joins: joins.into_iter().map(|(_, join)| join).collect(), starts }
    }

    /// Returns the first step, of those that `is_allowed` accepts, at which a token may be joined with
    /// one that starts `following`, or that starts with all of it.
    pub(crate) fn find_first(
        &self,
        left: EncoderToken,
        following: &[u8],
        spellings: &TokenSpellings,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let [start, end] = [0, 1].map(|next| self.starts[left.as_usize() + next] as usize);
        let mut joins = &self.joins[start..end];
        if let Some(&first) = following.first() {
            let byte_of = |join: &RightJoin| (join.prefix >> 56) as u8;
            joins = &joins[joins.partition_point(|join| byte_of(join) < first)..];
            joins = &joins[..joins.partition_point(|join| byte_of(join) == first)];
        }
        let mut earliest = None;
        for join in joins {
            if earliest.is_none_or(|earliest| join.step < earliest)
                && is_allowed(join.step)
                && start_alike(spellings.get(join.right), following)
            {
                earliest = Some(join.step);
            }
        }
        earliest
    }
}

/// Returns whether one is the start of the other.
fn start_alike(one: &[u8], other: &[u8]) -> bool {
    let shared = one.len().min(other.len());
    one[..shared] == other[..shared]
}

fn first_bytes(token: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = token.len().min(8);
    word[..count].copy_from_slice(&token[..count]);
    u64::from_be_bytes(word)
}
