//! The encoder of a model: its tables, and the way of one text through them.

use std::mem;
use std::sync::Mutex;
use std::thread;

use crate::Error;
use crate::control::never;
use crate::corpus::split_into_pieces;
use crate::encode::numbering::TokenNumbering;
use crate::encode::pipeline::group::GROUP_SIZE;
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::merger::{PretokenMerger, PretokenReplay};
use crate::encode::pretoken::model_pretokens::ModelPretokens;
use crate::encode::supermerge::second_stage::{SecondStageMerger, count_first_stage_rules};
use crate::encode::supermerge::table::SupermergeTable;
use crate::model::{AddedTokenFinder, Model, Segment};
use crate::platform::cpu::CpuLevel;
use crate::platform::threads::call_both;
use crate::pretokenize::Pattern;

/// The tokens of a model that are worth another thread when its encoder is created.
const TOKENS_PER_THREAD: usize = 1 << 13;

/// Encodes texts with a model.
///
/// An encoder never changes, and threads can share it. Each thread has a cache of its own.
pub struct Encoder {
    pub(super) pattern: Pattern,
    pub(super) numbering: TokenNumbering,
    /// The merges and deletes; in a model with a second stage, those of the first.
    pub(super) merger: PretokenMerger,
    pub(super) supermerges: SupermergeTable,
    pub(super) second_stage: Option<SecondStageMerger>,
    /// The pretokens that each cache starts with.
    pub(super) pretokens: ModelPretokens,
    /// `None` if the model has no added tokens.
    pub(super) added_tokens: Option<AddedTokenFinder>,
    /// Whether large texts may be split into parts that are encoded on their own.
    pub(super) may_split_texts: bool,
    /// The caches that no thread uses. They are large, and taken and returned for each text.
    #[expect(clippy::vec_box, reason = "moving one would copy 400 bytes")]
    caches: Mutex<Vec<Box<EncoderCache>>>,
}

impl Encoder {
    /// Creates the encoder of a model.
    ///
    /// # Errors
    /// When the model's eligibility is a regex that exceeds its backtracking limit on a token.
    pub fn new(model: &Model) -> Result<Encoder, Error> {
        let available = thread::available_parallelism().map_or(1, usize::from);
        let threads = available.min(model.token_count().div_ceil(TOKENS_PER_THREAD));
        Encoder::on_threads(model, threads)
    }

    /// Creates the encoder of a model on up to `threads` threads.
    ///
    /// Public for `tests/encode.rs` alone. [`Encoder::new`] creates that of a small model on one.
    ///
    /// # Errors
    /// As [`Encoder::new`].
    #[doc(hidden)]
    pub fn on_threads(model: &Model, threads: usize) -> Result<Encoder, Error> {
        let numbering = TokenNumbering::new(model);
        let first_stage_rules = count_first_stage_rules(model);
        let rules = &model.rules()[..first_stage_rules];
        let (supermerges, merger) = call_both(
            || SupermergeTable::new(model, &numbering),
            || PretokenMerger::new(model, &numbering, rules),
        );
        let mut supermerges = supermerges?;
        let pretokens =
            ModelPretokens::new(model, rules, &numbering, &merger, &mut supermerges, threads);
        Ok(Encoder {
            pattern: model.pattern().clone(),
            merger,
            supermerges,
            second_stage: SecondStageMerger::new(model, &numbering, first_stage_rules),
            pretokens,
            added_tokens: model.added_token_finder().cloned(),
            may_split_texts: model.may_split_documents(),
            caches: Mutex::default(),
            numbering,
        })
    }

    /// Returns the ids of a text.
    ///
    /// # Errors
    /// When a regex exceeds its backtracking limit, or the model has no id for a byte.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut cache = self.take_cache();
        let mut ids = Vec::new();
        self.encode_text(text, &mut cache, &mut ids, &never)?;
        self.return_cache(cache);
        Ok(ids)
    }

    /// Encodes a text in groups of at most `SIZE` pretokens, with no instructions above a level.
    ///
    /// Public for `tests/encode.rs` alone. [`Encoder::encode`] has one group size, and uses the best level
    /// that the processor has, so it does not reach the other combinations.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    #[doc(hidden)]
    pub fn encode_in_groups<const SIZE: usize>(
        &self,
        text: &str,
        level: CpuLevel,
    ) -> Result<Vec<u32>, Error> {
        let mut cache = self.take_cache();
        let mut ids = Vec::new();
        let context =
            EncodeContext { level: level.min(CpuLevel::detected()), is_interrupted: &never };
        self.append_ids::<SIZE>(text, &mut cache, &mut ids, context)?;
        self.return_cache(cache);
        Ok(ids)
    }

    /// Takes an unused cache, or creates one. Never waits for the lock: another thread may have held
    /// it when this process was forked.
    pub(super) fn take_cache(&self) -> Box<EncoderCache> {
        let unused = self.caches.try_lock().ok().and_then(|mut caches| caches.pop());
        unused.unwrap_or_else(|| Box::new(EncoderCache::new(&self.pretokens)))
    }

    /// Returns a cache for others to use.
    pub(super) fn return_cache(&self, cache: Box<EncoderCache>) {
        if let Ok(mut caches) = self.caches.try_lock() {
            caches.push(cache);
        }
    }

    /// Appends the ids of a text.
    pub(super) fn encode_text(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        self.append_ids::<GROUP_SIZE>(text, cache, ids, EncodeContext::new(is_interrupted))
    }

    /// Appends the ids of a text in which added tokens are not looked for.
    pub(super) fn encode_between(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let context = EncodeContext::new(is_interrupted);
        self.append_ids_between::<GROUP_SIZE>(text, cache, ids, context)
    }

    /// Returns whether a pretoken can end up in one token with what follows.
    pub(super) fn may_be_joined(&self, pretoken: &[u8], cache: &mut EncoderCache) -> bool {
        let encoding = cache.table.get(pretoken).or_else(|| {
            let is_small = !pretoken.is_empty() && self.merger.is_small(pretoken);
            is_small.then(|| {
                let EncoderCache { small_merges, spilled, .. } = cache;
                self.merger.merge_interleaved(small_merges, [pretoken].into_iter());
                self.supermerges.encode_merged(&small_merges[0], spilled)
            })
        });
        encoding.is_some_and(|encoding| encoding.boundary_after() != 0)
    }

    /// Appends the ids of single bytes.
    pub(super) fn append_bytes(&self, bytes: &[u8], ids: &mut Vec<u32>) -> Result<(), Error> {
        let start = ids.len();
        ids.extend(bytes.iter().map(|&byte| self.numbering.byte(byte).0));
        self.numbering.convert_to_ids(ids, start)
    }

    /// Appends the ids of a text: those of its added tokens, and those of the text between them.
    fn append_ids<const SIZE: usize>(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        context: EncodeContext<'_>,
    ) -> Result<(), Error> {
        let Some(added_tokens) = &self.added_tokens else {
            return self.append_ids_between::<SIZE>(text, cache, ids, context);
        };
        for segment in added_tokens.split(text) {
            match segment {
                Segment::Text(text) => {
                    self.append_ids_between::<SIZE>(text, cache, ids, context)?;
                }
                Segment::Added { id, .. } => ids.push(id.0),
            }
        }
        Ok(())
    }

    /// Appends the ids of a text in which added tokens are not looked for.
    fn append_ids_between<const SIZE: usize>(
        &self,
        text: &str,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        context: EncodeContext<'_>,
    ) -> Result<(), Error> {
        self.check_positions(text, context.is_interrupted)?;
        let start = ids.len();
        if let Some(second_stage) = &self.second_stage {
            let mut replay = mem::replace(&mut cache.pretoken_replay, PretokenReplay::new());
            let merge = |tokens: &[u32]| second_stage.merge_pretoken(tokens, &mut replay, ids);
            let result = self.encode_first_stage::<SIZE>(second_stage, text, cache, context, merge);
            cache.pretoken_replay = replay;
            cache.shrink();
            result?;
            return self.numbering.convert_to_ids(ids, start);
        }
        let mut encoder = TextEncoder::<SIZE>::new(self, text, cache, ids, context.level);
        let spans = self.pattern.spans(text).interrupted_by(context.is_interrupted);
        let result = spans.for_each_block(|base, ends| encoder.add(base, ends));
        encoder.finish();
        result?;
        self.numbering.convert_to_ids(ids, start)
    }

    /// Calls `each` with the tokens that the first stage makes of each pretoken of a text. Calls
    /// nothing if the model has no second stage.
    ///
    /// The pretokens are those of the second stage's pattern. Tokens are plain `u32`, in the encoder's
    /// numbering.
    ///
    /// # Errors
    /// When a regex exceeds its backtracking limit, or the job is interrupted.
    pub(crate) fn first_stage(
        &self,
        text: &str,
        is_interrupted: &(dyn Fn() -> bool + Sync),
        mut each: impl FnMut(&[u32]),
    ) -> Result<(), Error> {
        let Some(second_stage) = &self.second_stage else { return Ok(()) };
        let mut cache = self.take_cache();
        let context = EncodeContext::new(is_interrupted);
        for piece in split_into_pieces(text.as_bytes(), self.max_job_bytes()) {
            let (piece, each) = (&text[piece], &mut each);
            self.encode_first_stage::<GROUP_SIZE>(second_stage, piece, &mut cache, context, each)?;
            cache.shrink();
        }
        self.return_cache(cache);
        Ok(())
    }

    fn encode_first_stage<const SIZE: usize>(
        &self,
        second_stage: &SecondStageMerger,
        text: &str,
        cache: &mut EncoderCache,
        context: EncodeContext<'_>,
        each: impl FnMut(&[u32]),
    ) -> Result<(), Error> {
        let mut buffers = mem::take(&mut cache.first_stage);
        buffers.clear();
        let mut encoder =
            TextEncoder::<SIZE>::new(self, text, cache, &mut buffers.tokens, context.level);
        let mut result = Ok(());
        let spans = self.pattern.spans(text).interrupted_by(context.is_interrupted);
        spans.for_each(|span| match span {
            Ok(span) => {
                buffers.pretoken_ends.push(span.end);
                second_stage.split(text.as_bytes(), span, |piece| encoder.add(piece.end, 1));
            }
            Err(error) => result = Err(error),
        });
        encoder.finish();
        if result.is_ok() {
            second_stage.for_each_pretoken(&buffers.tokens, &buffers.pretoken_ends, each);
        }
        cache.first_stage = buffers;
        result
    }
}

/// How a text is encoded.
#[derive(Clone, Copy)]
struct EncodeContext<'c> {
    level: CpuLevel,
    is_interrupted: &'c (dyn Fn() -> bool + Sync),
}

impl<'c> EncodeContext<'c> {
    /// Uses the best instructions that this processor has.
    fn new(is_interrupted: &'c (dyn Fn() -> bool + Sync)) -> EncodeContext<'c> {
        EncodeContext { level: CpuLevel::detected(), is_interrupted }
    }
}
