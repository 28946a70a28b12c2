//! The stable ids of a text that goes on.

use std::mem;
use std::sync::Arc;

use crate::Error;
use crate::encode::Encoder;
use crate::encode::numbering::EncoderToken;
use crate::encode::pipeline::bits::bits;
use crate::encode::pipeline::group::GROUP_SIZE;
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::merger::{MergedToken, PretokenMerger, PretokenReplay};
use crate::encode::stable::joins_by_left::{JoinsByLeft, TokenSpellings};
use crate::encode::stable::unknown_end::{OpenRules, TokenRules};
use crate::encode::supermerge::second_stage::{SecondStageMerger, count_first_stage_rules};
use crate::encode::supermerge::table::{OpenUnit, SupermergeTable};
use crate::model::{Model, Rule};
use crate::platform::cpu::CpuLevel;

/// The stable part of a text that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StablePart {
    /// The bytes of the stable ids.
    pub(crate) len: usize,
    /// An offset from which the text can be encoded on its own.
    pub(crate) restart: usize,
    /// The number of stable ids after `restart`.
    pub(crate) after_restart: usize,
}

impl StablePart {
    /// Returns it in a text that starts this many bytes earlier.
    pub(crate) fn after(self, bytes: usize) -> StablePart {
        StablePart { len: self.len + bytes, restart: self.restart + bytes, ..self }
    }
}

/// Encodes texts that go on. It can be shared by threads.
pub struct OpenTextEncoder {
    pub(super) encoder: Arc<Encoder>,
    spellings: TokenSpellings,
    /// The merges inside pretokens; in a model with a second stage, those of the first.
    merges: JoinsByLeft,
    /// The supermerges, or the merges of the second stage.
    joins: JoinsByLeft,
    /// The looked-up tokens that rules do not make of their bytes, in order.
    lookup_only: Vec<Box<[u8]>>,
}

impl OpenTextEncoder {
    /// Creates the encoder of a model's open texts, given its encoder.
    #[must_use]
    pub fn new(model: &Model, encoder: Arc<Encoder>) -> OpenTextEncoder {
        let numbering = &encoder.numbering;
        let spellings = TokenSpellings::new(model, numbering);
        let first_stage_rules = count_first_stage_rules(model);
        let is_merge = |index: usize, rule: &Rule| {
            index < first_stage_rules && matches!(rule, Rule::Merge { .. })
        };
        let merges = JoinsByLeft::new(model, numbering, &spellings, is_merge);
        let joins =
            JoinsByLeft::new(model, numbering, &spellings, |index, rule| !is_merge(index, rule));
        let lookup_only = list_lookup_only(model, &encoder);
        OpenTextEncoder { encoder, spellings, merges, joins, lookup_only }
    }

    /// Appends the stable ids of a text in which added tokens are not looked for.
    pub(super) fn append_stable(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
    ) -> Result<StablePart, Error> {
        let start = ids.len();
        let mut part = match &self.encoder.second_stage {
            Some(second_stage) => self.append_of_second_stage(second_stage, text, cache, ids),
            None => self.append_of_pretokens(text, cache, ids),
        };
        // So far it counts tokens, and several ids may replace one.
        let after_restart = &ids[ids.len() - part.after_restart..];
        part.after_restart = self.encoder.numbering.count_ids(after_restart);
        self.encoder.numbering.convert_to_ids(ids, start)?;
        Ok(part)
    }

    fn append_of_pretokens(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        out: &mut Vec<u32>,
    ) -> StablePart {
        let encoder = &*self.encoder;
        let start = out.len();
        let mut pretokens =
            TextEncoder::<GROUP_SIZE>::new(encoder, text, cache, out, CpuLevel::detected());
        let mut boundaries = vec![0];
        let stable = encoder.pattern.spans(text).for_each_stable_block(|base, ends| {
            if encoder.pattern.is_by_script() {
                boundaries.extend(bits(ends).map(|bit| base + bit));
            }
            pretokens.add(base, ends);
        });
        let units = pretokens.finish_open();
        let unit_bytes = units.iter().map(|unit| self.spellings.get(unit.token).len());
        let first_unit = stable.end - unit_bytes.sum::<usize>();
        let rules =
            self.open_rules(&encoder.supermerges, &self.joins, &text.as_bytes()[first_unit..]);
        let restart =
            first_unit + rules.apply(units, |unit| encoder.supermerges.append_tokens(unit, out));
        let mut part = StablePart { len: restart, restart, after_restart: 0 };
        // The pretoken that is not complete: if it may be joined with others as one token, or become a
        // token that is looked up, its tokens are not known.
        let begun = &text[stable.end..stable.joined];
        let may_be_joined = encoder.may_be_joined(begun.as_bytes(), cache);
        let is_known = !begun.is_empty() && !may_be_joined && !self.starts_lookup(begun.as_bytes());
        if restart == stable.end && is_known {
            let before = out.len();
            part.len +=
                self.append_tokens_of_begun(&text.as_bytes()[stable.end..], begun.len(), out);
            part.after_restart = out.len() - before;
        }
        if encoder.pattern.is_by_script() {
            part = self.move_restart(text, &boundaries, &out[start..], part);
        }
        part
    }

    /// Whether a looked-up token that rules do not make starts with these bytes.
    fn starts_lookup(&self, begun: &[u8]) -> bool {
        let first = self.lookup_only.partition_point(|token| **token < *begun);
        self.lookup_only.get(first).is_some_and(|token| token.starts_with(begun))
    }

    /// Moves the restart back to a boundary from which the pretokens do not depend on the text before,
    /// given the boundaries of pretokens and all tokens.
    fn move_restart(
        &self,
        text: &str,
        boundaries: &[usize],
        tokens: &[u32],
        mut part: StablePart,
    ) -> StablePart {
        let mut boundaries = boundaries.iter().rev().peekable();
        let mut starts = vec![(part.restart, part.after_restart)];
        for &token in tokens[..tokens.len() - part.after_restart].iter().rev() {
            let (start, after) = starts[starts.len() - 1];
            starts.push((start - self.spellings.get(EncoderToken(token)).len(), after + 1));
        }
        starts.retain(|&(start, _)| {
            while boundaries.next_if(|&&boundary| boundary > start).is_some() {}
            boundaries.peek() == Some(&&start)
        });
        let offsets = starts.iter().map(|&(start, _)| start);
        let found = self.encoder.pattern.find_restart(text, offsets);
        (part.restart, part.after_restart) = match found {
            Some(index) => starts[index],
            None => (0, tokens.len()),
        };
        part
    }

    /// Appends the stable tokens of a text inside one pretoken, which goes on, and returns the number
    /// of their bytes. The first `joined` bytes are known to be in the pretoken.
    fn append_tokens_of_begun(&self, text: &[u8], joined: usize, out: &mut Vec<u32>) -> usize {
        let merger = &self.encoder.merger;
        let bytes = text[..joined].iter();
        let tokens = bytes.map(|&byte| merger.bytes[usize::from(byte)]);
        let tokens = tokens.map(|token| MergedToken { token, made_at: 0 });
        self.open_rules(merger, &self.merges, text).apply(tokens, |made| out.push(made.token.0))
    }

    fn append_of_second_stage(
        &self,
        second_stage: &SecondStageMerger,
        text: &str,
        cache: &mut EncoderCache,
        out: &mut Vec<u32>,
    ) -> StablePart {
        let (encoder, bytes) = (&*self.encoder, text.as_bytes());
        let first_token = out.len();
        let mut buffers = mem::take(&mut cache.first_stage);
        buffers.clear();
        let level = CpuLevel::detected();
        let mut pieces =
            TextEncoder::<GROUP_SIZE>::new(encoder, text, cache, &mut buffers.tokens, level);
        let mut start = 0;
        let stable = encoder.pattern.spans(text).for_each_stable_block(|base, ends| {
            for end in bits(ends).map(|bit| base + bit) {
                buffers.pretoken_ends.push(end);
                second_stage.split(bytes, start..end, |piece| pieces.add(piece.end, 1));
                start = end;
            }
        });
        // The pieces of the pretoken that is not complete, without the last, which may go on.
        let mut last_piece = stable.end;
        second_stage.split(bytes, stable.end..stable.joined, |piece| {
            if piece.end < stable.joined {
                pieces.add(piece.end, 1);
                last_piece = piece.end;
            }
        });
        pieces.finish();
        let mut replay = mem::replace(&mut cache.pretoken_replay, PretokenReplay::new());
        let complete =
            second_stage.for_each_pretoken(&buffers.tokens, &buffers.pretoken_ends, |tokens| {
                second_stage.merge_pretoken(tokens, &mut replay, out);
            });
        cache.pretoken_replay = replay;
        let before = out.len();
        let mut tokens = buffers.tokens.split_off(complete);
        let joined = stable.joined - last_piece;
        let first_stage_end =
            last_piece + self.append_tokens_of_begun(&bytes[last_piece..], joined, &mut tokens);
        let len = self.append_second_stage_tokens(
            second_stage,
            &tokens,
            &bytes[stable.end..],
            first_stage_end - stable.end,
            out,
        );
        let len = stable.end + len;
        let mut part = StablePart { len, restart: stable.end, after_restart: out.len() - before };
        if encoder.pattern.is_by_script() {
            part = self.move_restart(text, &buffers.pretoken_ends, &out[first_token..], part);
        }
        cache.first_stage = buffers;
        if stable.is_divisible {
            return self.find_restart(text, stable.end, &out[before..], len);
        }
        part
    }

    /// Applies the rules of the second stage to the tokens of the first, of which the last end before
    /// what is not known. Appends the tokens that stay known, and returns the number of their bytes.
    fn append_second_stage_tokens(
        &self,
        second_stage: &SecondStageMerger,
        tokens: &[u32],
        text: &[u8],
        end: usize,
        out: &mut Vec<u32>,
    ) -> usize {
        // No token crosses the boundary before the last run.
        let run = second_stage.count_last_run(tokens);
        let (before, run) = tokens.split_at(tokens.len() - run);
        second_stage.merge_pretoken(before, &mut PretokenReplay::new(), out);
        let run_bytes = run.iter().map(|&token| self.spellings.get(EncoderToken(token)).len());
        let start = end - run_bytes.sum::<usize>();
        let items = run.iter().map(|&token| MergedToken { token: EncoderToken(token), made_at: 0 });
        let rules = self.open_rules(second_stage, &self.joins, &text[start..]);
        start + rules.apply(items, |made| out.push(made.token.0))
    }

    /// Finds the last boundary between stable tokens that is one between characters, too. The tokens
    /// start at the offset `start`.
    fn find_restart(&self, text: &str, start: usize, tokens: &[u32], len: usize) -> StablePart {
        let mut part = StablePart { len, restart: start, after_restart: tokens.len() };
        let mut at = start;
        for (count, &token) in (1..).zip(tokens) {
            at += self.spellings.get(EncoderToken(token)).len();
            if text.is_char_boundary(at) {
                (part.restart, part.after_restart) = (at, tokens.len() - count);
            }
        }
        part
    }

    fn open_rules<'r, R>(
        &'r self,
        rules: &'r R,
        joins: &'r JoinsByLeft,
        text: &'r [u8],
    ) -> OpenRules<'r, R> {
        OpenRules { rules, joins, spellings: &self.spellings, text }
    }
}

/// Returns the looked-up tokens that rules do not make of their bytes, in order.
fn list_lookup_only(model: &Model, encoder: &Encoder) -> Vec<Box<[u8]>> {
    let mut replay = PretokenReplay::new();
    let mut tokens: Vec<Box<[u8]>> = model
        .lookup_tokens()
        .filter(|&token| {
            encoder.merger.apply_rules(model.token(token), &mut replay, |_| ());
            replay.items().count() > 1
        })
        .map(|token| model.token(token).into())
        .collect();
    tokens.sort_unstable();
    tokens
}

impl TokenRules for PretokenMerger {
    fn token(item: MergedToken) -> EncoderToken {
        item.token
    }

    fn may_join_at(&self, item: MergedToken, step: u32) -> bool {
        step > item.made_at
    }
}

impl TokenRules for SecondStageMerger {
    fn token(item: MergedToken) -> EncoderToken {
        item.token
    }

    fn may_join_at(&self, item: MergedToken, step: u32) -> bool {
        step > item.made_at
    }
}

impl TokenRules for SupermergeTable {
    fn token(item: OpenUnit) -> EncoderToken {
        item.token
    }

    fn may_join_at(&self, item: OpenUnit, step: u32) -> bool {
        self.is_open_at(item, step)
    }
}
