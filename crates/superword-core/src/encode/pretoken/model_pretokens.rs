//! The pretokens that spell a token of a model and are not encoded as any other new pretoken is: those
//! that are looked up, deleted, or long.
//!
//! They are encoded once, on all threads, and each cache starts with them.

use crate::encode::numbering::{EncoderToken, TokenNumbering};
use crate::encode::pretoken::encoding::{IN_MODEL, PretokenEncoding};
use crate::encode::pretoken::merger::{OpenSpan, PretokenMerger, PretokenReplay};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::pretoken::table::{PretokenSlot, store_long};
use crate::encode::supermerge::table::{OpenUnit, Reopened, SupermergeTable};
use crate::model::{Model, Rule, TokenIndex};
use crate::platform::threads::call_on_threads;
use crate::pretokenize::key::{Key, long_hash};

/// The pretokens that each cache starts with, each once.
#[derive(Default)]
pub(crate) struct ModelPretokens {
    pub(crate) slots: Vec<PretokenSlot>,
    /// The pretokens that do not fit a slot, each after its length.
    pub(crate) long: Vec<u8>,
    /// The tokens of encodings that have many.
    pub(crate) spilled: Vec<u32>,
    /// The number of all pretokens that spell a token. Most texts consist of them.
    pub(crate) spelling_count: usize,
}

impl ModelPretokens {
    /// Encodes the pretokens on up to `threads` threads. Adds those that are reopened to the supermerges.
    pub(crate) fn new(
        model: &Model,
        rules: &[Rule],
        numbering: &TokenNumbering,
        merger: &PretokenMerger,
        supermerges: &mut SupermergeTable,
        threads: usize,
    ) -> ModelPretokens {
        let mut tokens = list_tokens(model, rules);
        let mut pretokens =
            ModelPretokens { spelling_count: tokens.len(), ..ModelPretokens::default() };
        let spellings = SpellingEncoder { model, numbering, merger, supermerges };
        let is_deleted = merger.deletes.mark(model.token_count());
        // Any other pretoken becomes one token with the last rule that applies to it, if at all. A long
        // one is not for `merge_interleaved`.
        tokens.retain(|&token| {
            is_deleted[numbering.token(token).as_usize()]
                || model.is_looked_up(token)
                || !merger.is_small(model.token(token))
        });
        if tokens.is_empty() {
            return pretokens;
        }
        let spans: Vec<&[TokenIndex]> = tokens.chunks(tokens.len().div_ceil(threads)).collect();
        let encoded = call_on_threads(spans.len(), |number| spellings.encode(spans[number]));
        pretokens.slots.reserve_exact(tokens.len());
        for (tokens, encoded) in spans.iter().zip(encoded) {
            pretokens.append(model, tokens, encoded, supermerges);
        }
        pretokens
    }

    fn append(
        &mut self,
        model: &Model,
        tokens: &[TokenIndex],
        encoded: EncodedSpellings,
        supermerges: &mut SupermergeTable,
    ) {
        let EncodedSpellings { encodings, spilled, reopened } = encoded;
        let spilled_before = self.spilled.len() as u32;
        let reopened_before = supermerges.append_reopened(reopened);
        self.spilled.extend(spilled);
        for (&token, encoding) in tokens.iter().zip(encodings) {
            self.push(model.token(token), encoding.moved_by(spilled_before, reopened_before));
        }
    }

    /// Adds a pretoken.
    pub(crate) fn push(&mut self, pretoken: &[u8], encoding: PretokenEncoding) {
        let key = Key::of(pretoken, 0, pretoken.len())
            .unwrap_or_else(|| store_long(&mut self.long, long_hash(pretoken), pretoken));
        self.slots.push(PretokenSlot { key, encoding });
    }
}

/// Lists the tokens that pretokens spell, each once.
fn list_tokens(model: &Model, rules: &[Rule]) -> Vec<TokenIndex> {
    let made = rules.iter().filter(|rule| matches!(rule, Rule::Merge { .. })).map(Rule::token);
    let bytes = (0..=u8::MAX).map(TokenIndex::from);
    let mut is_listed = vec![false; model.token_count()];
    let mut tokens: Vec<TokenIndex> = bytes.chain(model.lookup_tokens()).chain(made).collect();
    tokens.retain(|token| !std::mem::replace(&mut is_listed[token.as_usize()], true));
    tokens
}

/// The encodings of some pretokens, with indices into the lists beside them. Those of reopened pretokens
/// count from 1.
#[derive(Default)]
struct EncodedSpellings {
    encodings: Vec<PretokenEncoding>,
    spilled: Vec<u32>,
    reopened: Vec<Reopened>,
}

/// Encodes the pretokens that spell tokens.
struct SpellingEncoder<'m> {
    model: &'m Model,
    numbering: &'m TokenNumbering,
    merger: &'m PretokenMerger,
    supermerges: &'m SupermergeTable,
}

impl SpellingEncoder<'_> {
    fn encode(&self, tokens: &[TokenIndex]) -> EncodedSpellings {
        let mut replay = PretokenReplay::new();
        let mut open_spans = Vec::new();
        let mut encoded = EncodedSpellings::default();
        encoded.encodings.reserve_exact(tokens.len());
        for &token in tokens {
            open_spans.clear();
            self.replay(token, &mut replay, |span| open_spans.push(span));
            let made = replay.items().map(|made| made.token);
            self.push(self.numbering.token(token), &open_spans, made, &mut encoded);
        }
        encoded
    }

    fn replay(&self, token: TokenIndex, replay: &mut PretokenReplay, each: impl FnMut(OpenSpan)) {
        if self.model.is_looked_up(token) {
            self.merger.apply_rules_to_token(self.numbering.token(token), replay, each);
        } else {
            self.merger.apply_rules(self.model.token(token), replay, each);
        }
    }

    /// Adds the encoding of the pretoken that spells a token, given the spans in which it is open and
    /// the tokens that it becomes.
    fn push(
        &self,
        token: EncoderToken,
        open_spans: &[OpenSpan],
        made: impl Iterator<Item = EncoderToken>,
        encoded: &mut EncodedSpellings,
    ) {
        let EncodedSpellings { encodings, spilled, reopened } = encoded;
        let sides = self.supermerges.boundary_sides(token);
        let encoding = if !open_spans.is_empty() && sides.any() {
            let (opened_at, reopened) = match open_spans {
                [span] if span.closed_at == NEVER => (span.opened_at, 0),
                _ => {
                    let tokens = made.map(|token| token.0).collect();
                    reopened.push(Reopened { open_spans: open_spans.to_vec(), tokens });
                    (NEVER, reopened.len() as u32)
                }
            };
            PretokenEncoding::from_open(OpenUnit { token, opened_at, reopened }, sides)
        } else {
            PretokenEncoding::from_tokens(made, IN_MODEL, spilled)
        };
        encodings.push(encoding);
    }
}
