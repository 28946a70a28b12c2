//! The pretokens that spell tokens of a model, and their encodings.
//!
//! They are encoded once, on all threads, and each cache starts with them.

use crate::Error;
use crate::encode::numbering::{EncoderToken, TokenNumbering};
use crate::encode::pipeline::dispatch::{Dispatched, InstructionSet, dispatch};
use crate::encode::pretoken::encoding::{IN_MODEL, PretokenEncoding};
use crate::encode::pretoken::interleaved::{INTERLEAVED, SmallMerge};
use crate::encode::pretoken::merger::{OpenSpan, PretokenMerger, PretokenReplay};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::pretoken::table::{PretokenSlot, store_long};
use crate::encode::supermerge::table::{OpenUnit, Reopened, SupermergeTable};
use crate::model::{Model, Rule, TokenIndex};
use crate::platform::threads::call_on_threads;
use crate::pretokenize::key::{Key, long_hash};

/// The pretokens that spell tokens of a model, each once.
#[derive(Default)]
pub(crate) struct ModelPretokens {
    pub(crate) slots: Vec<PretokenSlot>,
    /// The pretokens that do not fit a slot, each after its length.
    pub(crate) long: Vec<u8>,
    /// The tokens of encodings that have many.
    pub(crate) spilled: Vec<u32>,
}

impl ModelPretokens {
    /// Encodes the pretokens that spell a single byte, a token that is looked up, or one that a merge
    /// makes, on up to `threads` threads. Adds those that are reopened to the supermerges.
    ///
    /// # Errors
    /// When the model's eligibility is a regex that exceeds its backtracking limit on a token.
    pub(crate) fn new(
        model: &Model,
        rules: &[Rule],
        numbering: &TokenNumbering,
        merger: &PretokenMerger,
        supermerges: &mut SupermergeTable,
        threads: usize,
    ) -> Result<ModelPretokens, Error> {
        let tokens = list_tokens(model, rules);
        let spans: Vec<&[TokenIndex]> = tokens.chunks(tokens.len().div_ceil(threads)).collect();
        let spellings = SpellingEncoder { model, numbering, merger, supermerges };
        let encoded = call_on_threads(spans.len(), |number| spellings.encode(spans[number]));
        let mut pretokens = ModelPretokens::default();
        pretokens.slots.reserve_exact(tokens.len());
        for (tokens, encoded) in spans.iter().zip(encoded) {
            pretokens.append(model, tokens, encoded?, supermerges);
        }
        Ok(pretokens)
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
    fn encode(&self, tokens: &[TokenIndex]) -> Result<EncodedSpellings, Error> {
        let instructions = InstructionSet::detect();
        let mut small_merges: Vec<SmallMerge> =
            (0..INTERLEAVED).map(|_| SmallMerge::new()).collect();
        let mut replay = PretokenReplay::new();
        let mut open_spans = Vec::new();
        let mut made = Vec::new();
        let mut encoded = EncodedSpellings::default();
        encoded.encodings.reserve_exact(tokens.len());
        for tokens in tokens.chunks(INTERLEAVED) {
            dispatch(instructions, &mut small_merges, SpellingStep { encoder: self, tokens });
            for (&token, small) in tokens.iter().zip(&small_merges) {
                open_spans.clear();
                made.clear();
                if self.opens_at_most_once(token) {
                    made.extend(small.tokens());
                    if made.len() == 1 {
                        open_spans
                            .push(OpenSpan { opened_at: small.last_step(), closed_at: NEVER });
                    }
                } else {
                    self.replay(token, &mut replay, |span| open_spans.push(span));
                    made.extend(replay.items().map(|made| made.token));
                }
                self.push(token, &open_spans, &made, &mut encoded)?;
            }
        }
        Ok(encoded)
    }

    /// Whether a short pretoken that spells the token becomes one token with the last rule that applies
    /// to it, if at all. That is so unless it starts as one token, or is deleted.
    fn opens_at_most_once(&self, token: TokenIndex) -> bool {
        !self.model.is_looked_up(token)
            && !self.merger.deletes.has(self.numbering.token(token))
            && self.merger.is_small(self.model.token(token))
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
        token: TokenIndex,
        open_spans: &[OpenSpan],
        made: &[EncoderToken],
        encoded: &mut EncodedSpellings,
    ) -> Result<(), Error> {
        let EncodedSpellings { encodings, spilled, reopened } = encoded;
        let pretoken = self.model.token(token);
        let token = self.numbering.token(token);
        let sides = self.supermerges.boundary_sides(token);
        let encoding = if !open_spans.is_empty() && sides.any() && self.is_eligible(pretoken)? {
            let (opened_at, reopened) = match open_spans {
                [span] if span.closed_at == NEVER => (span.opened_at, 0),
                _ => {
                    let tokens = made.iter().map(|token| token.0).collect();
                    reopened.push(Reopened { open_spans: open_spans.to_vec(), tokens });
                    (NEVER, reopened.len() as u32)
                }
            };
            PretokenEncoding::from_open(OpenUnit { token, opened_at, reopened }, sides)
        } else {
            PretokenEncoding::from_tokens(made.iter().copied(), IN_MODEL, spilled)
        };
        encodings.push(encoding);
        Ok(())
    }

    /// Whether a pretoken is eligible. Bytes that are not UTF-8 are never a pretoken of a text.
    fn is_eligible(&self, pretoken: &[u8]) -> Result<bool, Error> {
        std::str::from_utf8(pretoken)
            .map_or(Ok(false), |pretoken| self.model.eligibility().has(pretoken))
    }
}

/// The step that applies all rules to a few pretokens.
struct SpellingStep<'s, 'm> {
    encoder: &'s SpellingEncoder<'m>,
    tokens: &'s [TokenIndex],
}

impl Dispatched<Vec<SmallMerge>> for SpellingStep<'_, '_> {
    #[inline(always)]
    fn run(self, small_merges: &mut Vec<SmallMerge>) {
        let pretokens = self.tokens.iter().map(|&token| self.encoder.model.token(token));
        self.encoder.merger.merge_interleaved(small_merges, pretokens);
    }
}
