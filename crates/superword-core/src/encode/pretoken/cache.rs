//! The cache of one thread: the encodings of the pretokens that it has seen, and its working memory.

use crate::encode::pipeline::group::{GROUP_SIZE, PretokenGroup};
use crate::encode::pretoken::interleaved::{INTERLEAVED, SmallMerge};
use crate::encode::pretoken::merger::PretokenReplay;
use crate::encode::pretoken::model_pretokens::ModelPretokens;
use crate::encode::pretoken::table::PretokenTable;
use crate::encode::supermerge::table::{PendingUnit, UnitReplay};

/// The most pretokens in a table. At this limit, those that are not from the model are forgotten,
/// before the table grows. There is room for another group.
const MAX_PRETOKENS: usize = (1 << 19) - GROUP_SIZE;

/// The most bytes of long pretokens that are not from the model.
const MAX_LONG_BYTES: usize = 4 << 20;

/// The most tokens of pretokens with many tokens.
const MAX_SPILLED: usize = 1 << 20;

/// Longer pretokens are not cached, since they hardly ever occur again.
pub(crate) const MAX_CACHED_LEN: usize = 256;

/// Working memory of more items than this is freed after a text.
const MAX_KEPT_ITEMS: usize = 1 << 16;

/// The most bytes that a cache takes, whatever the texts are. With more than 131,072 tokens, it may
/// take more.
pub const MAX_CACHE_BYTES: usize = 64 << 20;

/// The cache of one thread, which it keeps between texts. It takes at most [`MAX_CACHE_BYTES`].
pub(crate) struct EncoderCache {
    pub(crate) table: PretokenTable,
    /// The tokens of pretokens with many tokens.
    pub(crate) spilled: Vec<u32>,
    // The rest is working memory.
    pub(crate) pretoken_replay: PretokenReplay,
    pub(crate) small_merges: Box<[SmallMerge]>,
    pub(crate) unit_replay: UnitReplay,
    pub(crate) pending: Vec<PendingUnit>,
    pub(crate) group: Option<Box<PretokenGroup>>,
    pub(crate) first_stage: FirstStageBuffers,
}

/// A text after the first of two stages.
#[derive(Default)]
pub(crate) struct FirstStageBuffers {
    /// The tokens, in the encoder's numbering.
    pub(crate) tokens: Vec<u32>,
    /// The offsets in the text at which pretokens end.
    pub(crate) pretoken_ends: Vec<usize>,
}

impl FirstStageBuffers {
    /// Empties the buffers.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.pretoken_ends.clear();
    }
}

impl EncoderCache {
    /// Creates a cache of the model's pretokens.
    pub(crate) fn new(model: &ModelPretokens) -> EncoderCache {
        EncoderCache {
            table: PretokenTable::new(model),
            spilled: Vec::new(),
            pretoken_replay: PretokenReplay::new(),
            small_merges: (0..INTERLEAVED).map(|_| SmallMerge::new()).collect(),
            unit_replay: UnitReplay::new(),
            pending: Vec::new(),
            group: None,
            first_stage: FirstStageBuffers::default(),
        }
    }

    /// Returns whether there is no room for another group.
    fn is_full(&self, model: &ModelPretokens) -> bool {
        self.table.len() >= MAX_PRETOKENS.max(3 * model.slots.len())
            || self.table.long_bytes() > model.long.len() + MAX_LONG_BYTES
            || self.spilled.len() > MAX_SPILLED
    }

    /// Forgets all pretokens but the model's if there is no room for another group.
    pub(crate) fn make_room(&mut self, model: &ModelPretokens) {
        if self.is_full(model) {
            self.table.reset(model);
            self.spilled.clear();
        }
    }

    /// Frees the working memory of an unusual text.
    pub(crate) fn shrink(&mut self) {
        self.pretoken_replay.shrink(MAX_KEPT_ITEMS);
        self.unit_replay.shrink(MAX_KEPT_ITEMS);
        self.pending.shrink_to(MAX_KEPT_ITEMS);
        if self.first_stage.tokens.capacity() > MAX_KEPT_ITEMS {
            self.first_stage = FirstStageBuffers::default();
        }
    }
}
