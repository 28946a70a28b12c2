//! The cache of one thread: the encodings of the pretokens that it has seen, and its working memory.

use crate::encode::pipeline::group::{GROUP_SIZE, PretokenGroup};
use crate::encode::pretoken::interleaved::{INTERLEAVED, SmallMerge};
use crate::encode::pretoken::merger::PretokenReplay;
use crate::encode::pretoken::model_pretokens::ModelPretokens;
use crate::encode::pretoken::table::PretokenTable;
use crate::encode::supermerge::table::{PendingUnit, UnitReplay};

/// The most pretokens in a table. At this limit, all but those that each cache starts with are forgotten,
/// before the table grows. There is room for another group.
const MAX_PRETOKENS: usize = (1 << 19) - GROUP_SIZE;

/// The most bytes of long pretokens, beside those that each cache starts with.
const MAX_LONG_BYTES: usize = 4 << 20;

/// The most tokens of pretokens with many tokens.
const MAX_SPILLED: usize = 1 << 20;

/// Longer pretokens are not cached, since they hardly ever occur again. Sentences of scripts without
/// spaces are shorter.
pub(crate) const MAX_CACHED_LEN: usize = 1024;

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
    /// Creates a cache that starts with the model's pretokens.
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
        self.table.len() >= MAX_PRETOKENS.max(3 * model.spelling_count)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::numbering::EncoderToken;
    use crate::encode::pretoken::encoding::{IN_CACHE, PretokenEncoding};
    use crate::pretokenize::key::{Key, long_hash};

    fn byte_len(cache: &EncoderCache) -> usize {
        cache.table.byte_len() + size_of::<u32>() * cache.spilled.capacity()
    }

    /// Adds groups of new pretokens of this many bytes, each of as many tokens, until the cache has been
    /// emptied twice. Returns the most bytes that it has taken.
    fn fill(cache: &mut EncoderCache, model: &ModelPretokens, len: usize) -> usize {
        let (mut most, mut emptied, mut next) = (0, 0, 0_u32);
        while emptied < 2 {
            let before = cache.table.len();
            cache.make_room(model);
            emptied += usize::from(cache.table.len() < before);
            for _ in 0..GROUP_SIZE {
                next += 1;
                let mut pretoken = vec![b'x'; len];
                pretoken[..4].copy_from_slice(&next.to_le_bytes());
                let tokens = (0..len).map(|_| EncoderToken(0));
                let encoding = PretokenEncoding::from_tokens(tokens, IN_CACHE, &mut cache.spilled);
                match Key::of(&pretoken, 0, len) {
                    Some(key) => cache.table.insert_key(key, encoding),
                    None => cache.table.insert_long(long_hash(&pretoken), &pretoken, encoding),
                }
            }
            most = most.max(byte_len(cache));
        }
        most
    }

    #[test]
    fn a_cache_stays_within_its_bound_whatever_the_pretokens() {
        let mut model = ModelPretokens::default();
        for number in 0..131_072_u32 {
            let encoding =
                PretokenEncoding::from_tokens([EncoderToken(number)], 0, &mut Vec::new());
            model.push(&[&number.to_le_bytes()[..], b"model"].concat(), encoding);
        }
        model.spelling_count = model.slots.len();
        for len in [4, 15, 16, 100, MAX_CACHED_LEN] {
            let most = fill(&mut EncoderCache::new(&model), &model, len);
            assert!(most <= MAX_CACHE_BYTES, "{most} bytes with pretokens of {len}");
        }
    }
}
