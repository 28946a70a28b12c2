//! The merges and deletes of a model, and their effect on one pretoken.

use crate::encode::numbering::{EncoderPair, EncoderToken, TokenNumbering};
use crate::encode::pretoken::merge_index::{IndexedMerge, MergeIndex};
use crate::encode::pretoken::rule_replay::{NEVER, ReplayJoin, ReplayRules, RuleReplay};
use crate::encode::pretoken::whole_chars::WholeChars;
use crate::model::{Model, Rule, TokenIndex};
use crate::platform::hash::FastMap;

/// A token in a pretoken, and the step that made it.
#[derive(Clone, Copy)]
pub(crate) struct MergedToken {
    pub(crate) token: EncoderToken,
    pub(crate) made_at: u32,
}

/// The replay of rules on the tokens of a pretoken.
pub(crate) type PretokenReplay = RuleReplay<MergedToken>;

/// A span of steps in which a pretoken is one token: after `opened_at`, before `closed_at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenSpan {
    pub(crate) opened_at: u32,
    /// [`NEVER`] if it stays open.
    pub(crate) closed_at: u32,
}

/// The rules that apply inside a pretoken.
pub(crate) struct PretokenMerger {
    pub(crate) merges: MergeIndex,
    /// The tokens of the single bytes.
    pub(crate) bytes: [EncoderToken; 256],
    /// The first step that joins two bytes, by both.
    pub(crate) byte_joins: Vec<u32>,
    pub(crate) deletes: TokenDeletes,
    pub(crate) whole_chars: WholeChars,
}

/// The deletes of a model.
#[derive(Default)]
pub(crate) struct TokenDeletes(FastMap<EncoderToken, Vec<TokenDelete>>);

/// A delete of a token.
pub(crate) struct TokenDelete {
    pub(crate) step: u32,
    pub(crate) parts: Box<[DeletePart]>,
}

/// A part that a deleted token is split into.
#[derive(Clone, Copy)]
pub(crate) struct DeletePart {
    pub(crate) token: EncoderToken,
    pub(crate) byte_len: usize,
}

impl TokenDeletes {
    /// Returns, for each of this many tokens, whether some rule deletes it.
    pub(crate) fn mark(&self, tokens: usize) -> Vec<bool> {
        let mut is_deleted = vec![false; tokens];
        for token in self.0.keys() {
            is_deleted[token.as_usize()] = true;
        }
        is_deleted
    }

    /// Returns the first step after `after` that deletes a token.
    pub(crate) fn first_step_after(&self, token: EncoderToken, after: u32) -> u32 {
        let mut steps = self.0.get(&token).into_iter().flatten().map(|delete| delete.step);
        steps.find(|&step| step > after).unwrap_or(NEVER)
    }

    /// Returns the delete of a token at a step.
    pub(crate) fn at(&self, token: EncoderToken, step: u32) -> &TokenDelete {
        let mut deletes = self.0[&token].iter();
        deletes.find(|delete| delete.step == step).expect("a delete at this step")
    }
}

impl PretokenMerger {
    /// Creates the merger of the first rules of a model.
    pub(crate) fn new(model: &Model, numbering: &TokenNumbering, rules: &[Rule]) -> PretokenMerger {
        let end = rules.len() as u32 + 1;
        let steps = || (1..end).zip(rules);
        let mut deletes = TokenDeletes::default();
        for (step, rule) in steps() {
            if let Rule::Delete { token, parts } = rule {
                let part = |&part: &TokenIndex| DeletePart {
                    token: numbering.token(part),
                    byte_len: model.token(part).len(),
                };
                let delete = TokenDelete { step, parts: parts.iter().map(part).collect() };
                deletes.0.entry(numbering.token(*token)).or_default().push(delete);
            }
        }
        let is_deleted = deletes.mark(model.token_count());
        let merges = steps().filter_map(|(step, rule)| match rule {
            Rule::Merge { left, right, token, .. } => {
                let [left, right, token] =
                    [left, right, token].map(|token| numbering.token(*token));
                let split_at = if is_deleted[token.as_usize()] {
                    deletes.first_step_after(token, step)
                } else {
                    NEVER
                };
                let pair = EncoderPair { left, right };
                Some((step, IndexedMerge { pair, token, split_at }))
            }
            Rule::Supermerge { .. } | Rule::Delete { .. } => None,
        });
        let merges = MergeIndex::new(merges, end);
        let bytes = std::array::from_fn(|byte| numbering.byte(byte as u8));
        let mut byte_joins = vec![merges.no_step(); 1 << 16];
        for (step, rule) in steps().rev() {
            if let &Rule::Merge { left, right, .. } = rule
                && left.0 < 256
                && right.0 < 256
            {
                byte_joins[(left.0 << 8 | right.0) as usize] = step;
            }
        }
        let whole_chars = WholeChars::default();
        let mut this = PretokenMerger { merges, bytes, byte_joins, deletes, whole_chars };
        this.whole_chars = WholeChars::new(model, numbering, rules, &this);
        this
    }

    /// Applies all rules to a pretoken, and leaves its tokens in `replay`. Calls `each` with each span
    /// of steps in which the pretoken is one token.
    pub(crate) fn apply_rules(
        &self,
        pretoken: &[u8],
        replay: &mut PretokenReplay,
        each: impl FnMut(OpenSpan),
    ) {
        let tokens = pretoken.iter().map(|&byte| self.bytes[usize::from(byte)]);
        self.apply_rules_to_tokens(tokens, replay, each);
    }

    /// Does the same for a pretoken that is looked up, and so starts as one token.
    pub(crate) fn apply_rules_to_token(
        &self,
        token: EncoderToken,
        replay: &mut PretokenReplay,
        each: impl FnMut(OpenSpan),
    ) {
        self.apply_rules_to_tokens([token].into_iter(), replay, each);
    }

    fn apply_rules_to_tokens(
        &self,
        tokens: impl ExactSizeIterator<Item = EncoderToken>,
        replay: &mut PretokenReplay,
        mut each: impl FnMut(OpenSpan),
    ) {
        let mut opened_at = (tokens.len() == 1).then_some(0);
        let tokens = tokens.map(|token| MergedToken { token, made_at: 0 });
        replay.apply_rules(self, tokens, |step, count| {
            if count == 1 {
                opened_at = Some(step);
            } else if let Some(opened_at) = opened_at.take() {
                each(OpenSpan { opened_at, closed_at: step });
            }
        });
        if let Some(opened_at) = opened_at {
            each(OpenSpan { opened_at, closed_at: NEVER });
        }
    }
}

impl ReplayRules for PretokenMerger {
    type Item = MergedToken;

    #[inline]
    fn find_join(&self, left: MergedToken, right: MergedToken) -> Option<ReplayJoin<MergedToken>> {
        let after = left.made_at.max(right.made_at);
        let pair = EncoderPair { left: left.token, right: right.token };
        let step = self.merges.first_step_after(pair, after);
        let merge = (step != NEVER).then(|| self.merges.get(step))?;
        Some(ReplayJoin { step, item: MergedToken { token: merge.token, made_at: step } })
    }

    #[inline]
    fn find_split(&self, item: MergedToken) -> u32 {
        self.deletes.first_step_after(item.token, item.made_at)
    }

    fn for_each_part(
        &self,
        item: MergedToken,
        step: u32,
        mut each: impl FnMut(MergedToken, usize),
    ) {
        for &DeletePart { token, byte_len } in &self.deletes.at(item.token, step).parts {
            each(MergedToken { token, made_at: step }, byte_len);
        }
    }
}
