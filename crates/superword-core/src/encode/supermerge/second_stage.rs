//! Models with a second stage, whose pretokens are long.
//!
//! Words repeat, and whole sentences do not. But the rules of the first stage were learned on words.
//! So a pretoken is split between two bytes wherever no token of the first stage contains them side by
//! side. No rule of the first stage joins across such a split, and the pieces are looked up like words.
//! Then the rules of the second stage join the tokens of all pieces, where two of them can end up in
//! one token.
//!
//! The result does not depend on where the first stage ends. Any number of rules may be the first.

use std::ops::Range;

use crate::encode::numbering::{EncoderPair, EncoderToken, TokenNumbering};
use crate::encode::pretoken::merger::{MergedToken, PretokenReplay};
use crate::encode::pretoken::rule_replay::{ReplayJoin, ReplayRules};
use crate::encode::supermerge::boundaries::list_boundaries;
use crate::encode::supermerge::pair_table::{JoinRule, PairJoin, PairTable};
use crate::model::{Model, Rule, SecondStage};

/// Returns the number of a model's rules that belong to the first stage: those up to the rule with
/// which the vocabulary reaches the transition.
pub(crate) fn count_first_stage_rules(model: &Model) -> usize {
    let Some(SecondStage { transition, .. }) = model.parameters().second_stage else {
        return model.rules().len();
    };
    // The model's token indices are in the order in which rules make tokens.
    let makes_last = |rule: &Rule| rule.token().0 + 1 == transition;
    match transition {
        256 => 0,
        _ => model.rules().iter().position(makes_last).map_or(model.rules().len(), |at| at + 1),
    }
}

/// Splits pretokens for the first stage, and applies the rules of the second.
pub(crate) struct SecondStageMerger {
    /// A bit for each two bytes that a token of the first stage contains side by side.
    crossed: Box<[u64; 1 << 10]>,
    /// The rules of the second stage, and the boundaries inside its tokens.
    pairs: PairTable,
    /// Whether there are too many boundaries to list, so that any pair may be one.
    allows_all: bool,
    /// By token.
    byte_lengths: Vec<u32>,
}

impl SecondStageMerger {
    /// Creates the merger of a model whose first rules belong to the first stage; `None` if the model
    /// has no second stage.
    pub(crate) fn new(
        model: &Model,
        numbering: &TokenNumbering,
        first_stage_rules: usize,
    ) -> Option<SecondStageMerger> {
        model.parameters().second_stage.as_ref()?;
        let mut crossed = Box::new([0; 1 << 10]);
        let mut is_atom = vec![false; model.token_count()];
        let mut byte_lengths = vec![1; model.token_count()];
        for byte in 0..=u8::MAX {
            is_atom[numbering.byte(byte).as_usize()] = true;
        }
        let mut rules: Vec<JoinRule> = Vec::new();
        for (index, rule) in model.rules().iter().enumerate() {
            let &Rule::Merge { left, right, token, .. } = rule else { continue };
            let made = numbering.token(token);
            byte_lengths[made.as_usize()] = model.token(token).len() as u32;
            if index < first_stage_rules {
                is_atom[made.as_usize()] = true;
                if let (Some(&before), Some(&after)) =
                    (model.token(left).last(), model.token(right).first())
                {
                    let (word, bit) = locate_bit(before, after);
                    crossed[word] |= bit;
                }
            } else {
                let [left, right] = [left, right].map(|token| numbering.token(token));
                let join = PairJoin { step: index as u32 + 1, token: made };
                rules.push(JoinRule { pair: EncoderPair { left, right }, join });
            }
        }
        let boundaries = list_boundaries(&is_atom, &byte_lengths, &rules);
        let allows_all = boundaries.is_none();
        let pairs = PairTable::new(&rules, &boundaries.unwrap_or_default());
        Some(SecondStageMerger { crossed, pairs, allows_all, byte_lengths })
    }

    /// Calls `each` with the spans of the pieces of a pretoken.
    #[inline]
    pub(crate) fn split(
        &self,
        text: &[u8],
        pretoken: Range<usize>,
        mut each: impl FnMut(Range<usize>),
    ) {
        let Range { mut start, end } = pretoken;
        for at in start + 1..end {
            let (word, bit) = locate_bit(text[at - 1], text[at]);
            if self.crossed[word] & bit == 0 {
                each(start..at);
                start = at;
            }
        }
        each(start..end);
    }

    /// Calls `each` with the tokens of each pretoken, given those of a whole text and the offsets at
    /// which its pretokens end. Returns the number of tokens up to the last end.
    pub(crate) fn for_each_pretoken(
        &self,
        tokens: &[u32],
        pretoken_ends: &[usize],
        mut each: impl FnMut(&[u32]),
    ) -> usize {
        let mut rest = tokens;
        let mut offset = 0;
        for &end in pretoken_ends {
            let mut count = 0;
            while offset < end {
                offset += self.byte_lengths[rest[count] as usize] as usize;
                count += 1;
            }
            let (pretoken, after) = rest.split_at(count);
            each(pretoken);
            rest = after;
        }
        tokens.len() - rest.len()
    }

    /// Counts the tokens at the end, each of which can end up in one token with the one before it.
    pub(crate) fn count_last_run(&self, tokens: &[u32]) -> usize {
        let pairs = tokens.windows(2).rev();
        let joined = pairs.take_while(|pair| self.can_meet(pair[0], pair[1])).count();
        tokens.len().min(1 + joined)
    }

    /// Applies the rules of the second stage to the tokens of a pretoken, and appends the result.
    pub(crate) fn merge_pretoken(
        &self,
        tokens: &[u32],
        replay: &mut PretokenReplay,
        out: &mut Vec<u32>,
    ) {
        let mut start = 0;
        for at in 1..=tokens.len() {
            if at < tokens.len() && self.can_meet(tokens[at - 1], tokens[at]) {
                continue;
            }
            match tokens[start..at] {
                [token] => out.push(token),
                [left, right] => match self.pairs.find(to_pair(left, right), |_| true) {
                    Some(join) => out.push(join.token.0),
                    None => out.extend([left, right]),
                },
                ref tokens => {
                    let tokens = tokens.iter().map(|&token| EncoderToken(token));
                    let tokens = tokens.map(|token| MergedToken { token, made_at: 0 });
                    replay.apply_rules(self, tokens, |_, _| ());
                    out.extend(replay.items().map(|made| made.token.0));
                }
            }
            start = at;
        }
    }

    /// Returns whether two neighbouring tokens of the first stage can end up in one token.
    #[inline]
    fn can_meet(&self, left: u32, right: u32) -> bool {
        self.allows_all || self.pairs.contains(to_pair(left, right))
    }
}

impl ReplayRules for SecondStageMerger {
    type Item = MergedToken;

    #[inline]
    fn find_join(&self, left: MergedToken, right: MergedToken) -> Option<ReplayJoin<MergedToken>> {
        let after = left.made_at.max(right.made_at);
        let pair = EncoderPair { left: left.token, right: right.token };
        let PairJoin { step, token } = self.pairs.find(pair, |step| step > after)?;
        Some(ReplayJoin { step, item: MergedToken { token, made_at: step } })
    }
}

#[inline]
fn to_pair(left: u32, right: u32) -> EncoderPair {
    EncoderPair { left: EncoderToken(left), right: EncoderToken(right) }
}

/// Returns the word and the bit of two neighbouring bytes.
#[inline]
fn locate_bit(left: u8, right: u8) -> (usize, u64) {
    let pair = usize::from(left) << 8 | usize::from(right);
    (pair >> 6, 1 << (pair & 63))
}
