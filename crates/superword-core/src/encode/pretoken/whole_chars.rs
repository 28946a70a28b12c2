//! Characters of two or three bytes that a new pretoken starts with as one token.
//!
//! Most merges of a text beyond ASCII only put the bytes of its characters together. Say that a
//! character alone becomes one token for good with step `s`, and that no rule names it before. The first
//! rule on a part of it that also takes bytes beside it joins that part with a token before or after the
//! character. If all such rules come after step `s`, by the bytes on both sides, the character is that
//! token at step `s` in any pretoken, and nothing changes if it is so from the start. With this,
//! `benchmarks/encode_languages.py` went from 33 to 51 MB/s for unseen Japanese, plain BPE.

use crate::encode::numbering::{EncoderToken, TokenNumbering};
use crate::encode::pretoken::merger::{OpenSpan, PretokenMerger, PretokenReplay};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::model::{Model, Rule};

/// The characters that may start as one token.
#[derive(Default)]
pub(crate) struct WholeChars {
    /// By code point, up to the largest of them.
    chars: Vec<WholeChar>,
    /// By the bytes before and after a boundary of characters: the first step that joins a part of a
    /// character across it.
    partial_joins: Vec<u32>,
}

/// A character that starts as one token.
#[derive(Clone, Copy)]
pub(crate) struct WholeChar {
    pub(crate) token: EncoderToken,
    /// The step with which it becomes one token; [`NEVER`] if it does not.
    pub(crate) step: u32,
}

impl WholeChars {
    /// Finds the characters that the rules of a merger make.
    pub(crate) fn new(
        model: &Model,
        numbering: &TokenNumbering,
        rules: &[Rule],
        merger: &PretokenMerger,
    ) -> WholeChars {
        let mut chars = Vec::new();
        let mut partial_joins = vec![NEVER; 1 << 16];
        let mut is_made = vec![false; model.token_count()];
        let mut replay = PretokenReplay::new();
        for (step, rule) in (1..).zip(rules) {
            let &Rule::Merge { left, right, token, .. } = rule else { continue };
            if let Some(index) = find_partial_join(model.token(left), model.token(right)) {
                partial_joins[index] = partial_joins[index].min(step);
            }
            let is_first = !std::mem::replace(&mut is_made[token.as_usize()], true);
            let Some((code, _)) = decode(model.token(token)).filter(|_| is_first) else { continue };
            let bytes = model.token(token);
            let token = numbering.token(token);
            let mut spans = Vec::new();
            merger.apply_rules(bytes, &mut replay, |span| spans.push(span));
            let is_whole = spans == [OpenSpan { opened_at: step, closed_at: NEVER }];
            // Rules may name a token that is looked up before others make it.
            if is_whole && model.look_up(bytes).is_none() {
                let len = chars.len().max(code + 1);
                chars.resize(len, WholeChar { token: EncoderToken::NONE, step: NEVER });
                chars[code] = WholeChar { token, step };
            }
        }
        WholeChars { chars, partial_joins }
    }

    /// Returns the character that starts at an offset of a pretoken as one token, and the number of its
    /// bytes.
    #[inline(always)]
    pub(crate) fn find(&self, pretoken: &[u8], at: usize) -> Option<(WholeChar, usize)> {
        let (code, len) = decode_start(&pretoken[at..])?;
        let found = *self.chars.get(code)?;
        let first_join = self.first_join(pretoken, at).min(self.first_join(pretoken, at + len));
        (found.step < first_join).then_some((found, len))
    }

    /// Returns the first step that joins a part of a character across an offset of a pretoken; 0 if that
    /// is not known, because the offset is inside a character.
    #[inline(always)]
    fn first_join(&self, pretoken: &[u8], offset: usize) -> u32 {
        match pretoken[offset.saturating_sub(1)..] {
            _ if offset == 0 => NEVER,
            [_, after, ..] if is_tail(after) => 0,
            [before, after, ..] => self.partial_joins[index_of(before, after)],
            _ => NEVER,
        }
    }
}

/// Returns the index of the bytes on both sides of a boundary.
#[inline(always)]
fn index_of(before: u8, after: u8) -> usize {
    usize::from(before) << 8 | usize::from(after)
}

/// Whether a byte is not the first of its character.
#[inline(always)]
fn is_tail(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Returns the index of the bytes on both sides of a boundary of characters, if a rule that joins these
/// tokens across it joins a part of a character: the end of one, or the start of one.
fn find_partial_join(left: &[u8], right: &[u8]) -> Option<usize> {
    let (&before, &after) = (left.last()?, right.first()?);
    let len = match after {
        0..0x80 => 1,
        0x80..0xC0 => return None,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    let is_partial = right.len() < len || left.iter().all(|&byte| is_tail(byte));
    is_partial.then_some(index_of(before, after))
}

/// Decodes bytes that are one character of two or three bytes, and no more.
fn decode(bytes: &[u8]) -> Option<(usize, usize)> {
    decode_start(bytes).filter(|&(_, len)| len == bytes.len())
}

/// Decodes the character of two or three bytes that comes first. Returns its code point, and the number
/// of its bytes.
#[inline(always)]
fn decode_start(bytes: &[u8]) -> Option<(usize, usize)> {
    let bits = |byte: u8, mask: u8| usize::from(byte & mask);
    match *bytes {
        [first @ 0xC2..0xE0, second, ..] if is_tail(second) => {
            Some((bits(first, 0x1F) << 6 | bits(second, 0x3F), 2))
        }
        [first @ 0xE0..0xF0, second, third, ..] if is_tail(second) && is_tail(third) => {
            let code = bits(first, 0x0F) << 12 | bits(second, 0x3F) << 6 | bits(third, 0x3F);
            // Fewer bits would fit two bytes. Bytes that are not UTF-8 may still have three.
            (code >= 0x800).then_some((code, 3))
        }
        _ => None,
    }
}
