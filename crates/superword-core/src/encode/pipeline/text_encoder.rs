//! The encoding of one text, in groups of pretokens.

use crate::encode::Encoder;
use crate::encode::pipeline::bits::{append_bits, bits, lowest, write_bits};
use crate::encode::pipeline::dispatch::{Dispatched, dispatch};
use crate::encode::pipeline::group::{Duplicate, GROUP_SIZE, GroupBits, PretokenGroup, WORD_BITS};
use crate::encode::pretoken::cache::{EncoderCache, MAX_CACHED_LEN};
use crate::encode::pretoken::encoding::{IN_CACHE, PretokenEncoding};
use crate::encode::pretoken::table::LINE_BYTES;
use crate::encode::supermerge::table::OpenUnit;
use crate::platform::cpu::CpuLevel;
use crate::platform::lanes::with_bit;
use crate::pretokenize::key::{CHUNK, Key, long_hash};

/// Encodes one text in groups of at most `SIZE` pretokens.
pub(crate) struct TextEncoder<'t, const SIZE: usize> {
    pub(crate) encoder: &'t Encoder,
    text: &'t [u8],
    pub(crate) cache: &'t mut EncoderCache,
    /// The output, in the encoder's numbering.
    pub(crate) out: &'t mut Vec<u32>,
    pub(crate) group: Box<PretokenGroup>,
    /// The number of pretokens in the group.
    pub(crate) size: usize,
    /// The number of them that come from the group before. They are looked up already.
    pub(crate) carried: usize,
    /// The number of them that were not in their home lines.
    missing: usize,
    level: CpuLevel,
}

/// The number of ends that are stored without a branch. Blocks of text rarely have more.
const USUAL_ENDS: usize = 16;

/// The number of new pretokens of a group that are remembered to find duplicates.
const RECENT_NEW: usize = 64;

/// The step that stores the ends of pretokens.
struct CollectStep {
    base: usize,
    ends: u64,
}

impl<const SIZE: usize> Dispatched<TextEncoder<'_, SIZE>> for CollectStep {
    #[inline(always)]
    fn run<const AVX512: bool>(self, encoder: &mut TextEncoder<'_, SIZE>) {
        encoder.collect::<AVX512>(self.base, self.ends);
    }
}

/// The step that prefetches the home lines of a group.
struct PrefetchStep;

impl<const SIZE: usize> Dispatched<TextEncoder<'_, SIZE>> for PrefetchStep {
    #[inline(always)]
    fn run<const AVX512: bool>(self, encoder: &mut TextEncoder<'_, SIZE>) {
        encoder.prefetch();
    }
}

/// The step that probes the home lines of a group.
struct ProbeStep;

impl<const SIZE: usize> Dispatched<TextEncoder<'_, SIZE>> for ProbeStep {
    #[inline(always)]
    fn run<const AVX512: bool>(self, encoder: &mut TextEncoder<'_, SIZE>) {
        encoder.probe_home::<AVX512>();
    }
}

/// The step that looks for the pretokens of a group that are not in their home lines.
struct ChainStep;

impl<const SIZE: usize> Dispatched<TextEncoder<'_, SIZE>> for ChainStep {
    #[inline(always)]
    fn run<const AVX512: bool>(self, encoder: &mut TextEncoder<'_, SIZE>) {
        encoder.probe_chain();
    }
}

/// The step that applies supermerges to a group, and writes its tokens.
struct WriteStep {
    is_last: bool,
}

impl<const SIZE: usize> Dispatched<TextEncoder<'_, SIZE>> for WriteStep {
    #[inline(always)]
    fn run<const AVX512: bool>(self, encoder: &mut TextEncoder<'_, SIZE>) {
        encoder.join_and_write::<AVX512>(self.is_last);
    }
}

impl<'t, const SIZE: usize> TextEncoder<'t, SIZE> {
    /// Starts a text, whose tokens are appended to `out`.
    pub(crate) fn new(
        encoder: &'t Encoder,
        text: &'t str,
        cache: &'t mut EncoderCache,
        out: &'t mut Vec<u32>,
        level: CpuLevel,
    ) -> TextEncoder<'t, SIZE> {
        const { assert!(0 < SIZE && SIZE <= GROUP_SIZE) };
        cache.pending.clear();
        cache.make_room(&encoder.pretokens);
        let mut group = cache.group.take().unwrap_or_else(PretokenGroup::new);
        group.cuts[0] = 0;
        group.set(0, PretokenEncoding::default());
        let text = text.as_bytes();
        let (size, carried, missing) = (0, 0, 0);
        TextEncoder { encoder, text, cache, out, group, size, carried, missing, level }
    }

    /// Adds the next pretokens. Bit `i` of `ends` says that one ends at offset `base + i`.
    #[inline]
    pub(crate) fn add(&mut self, base: usize, ends: u64) {
        if SIZE > WORD_BITS {
            dispatch(self.level, self, CollectStep { base, ends });
            if self.size > SIZE - WORD_BITS {
                self.encode_group(false);
            }
        } else {
            for end in bits(ends) {
                dispatch(self.level, self, CollectStep { base: base + end, ends: 1 });
                if self.size >= SIZE {
                    self.encode_group(false);
                }
            }
        }
    }

    /// Stores the ends of pretokens.
    #[inline(always)]
    fn collect<const AVX512: bool>(&mut self, base: usize, ends: u64) {
        assert!(self.group.cuts[self.size] <= base && base <= self.text.len(), "cuts ascend");
        let cuts = &mut self.group.cuts[self.size + 1..][..WORD_BITS];
        let cuts = cuts.try_into().expect("room for a word");
        write_bits::<AVX512, USUAL_ENDS, _>(cuts, ends, base);
        self.size += ends.count_ones() as usize;
    }

    /// Writes the rest of the text.
    pub(crate) fn finish(mut self) {
        self.encode_group(true);
        self.flush_pending();
        self.cache.shrink();
        self.cache.group = Some(self.group);
    }

    /// Writes the text up to the units at its end that may be joined with what follows, and returns
    /// these.
    pub(crate) fn finish_open(mut self) -> Vec<OpenUnit> {
        self.encode_group(false);
        let carried = self.group.encodings[1..=self.carried].iter().map(|encoding| encoding.unit());
        let units = self.cache.pending.drain(..).map(|pending| pending.unit).chain(carried);
        let units = units.collect();
        self.cache.shrink();
        self.cache.group = Some(self.group);
        units
    }

    /// Encodes the group, except for pretokens at its end that may be joined with what follows. Each step
    /// is a function of its own, so that its loop has all registers.
    fn encode_group(&mut self, is_last: bool) {
        dispatch(self.level, self, PrefetchStep);
        dispatch(self.level, self, ProbeStep);
        if self.missing > 0 {
            // Merging has short vectors, and AVX-512 would make it slower.
            dispatch(self.level.min(CpuLevel::V3), self, ChainStep);
        }
        dispatch(self.level, self, WriteStep { is_last });
    }

    /// Applies supermerges to the group and writes it, except for pretokens at its end that may be joined
    /// with what follows. These start the next group.
    #[inline(always)]
    fn join_and_write<const AVX512: bool>(&mut self, is_last: bool) {
        let last = self.group.encodings[self.size];
        let has_supermerges = !self.encoder.supermerges.is_empty();
        let mut boundaries =
            if has_supermerges { self.find_boundaries::<AVX512>() } else { GroupBits::default() };
        if !self.cache.pending.is_empty() {
            self.continue_pending(&mut boundaries);
        }
        let open = if is_last { 0 } else { self.count_open_end(&boundaries) };
        let complete = self.size - open;
        if has_supermerges {
            self.apply_supermerges::<AVX512>(&boundaries, complete);
        }
        self.write_first::<AVX512>(complete);
        self.carry(complete, last);
        self.cache.make_room(&self.encoder.pretokens);
    }

    /// Computes the keys of the pretokens, and prefetches their home lines.
    #[inline(always)]
    fn prefetch(&mut self) {
        for entry in 0..self.prefetch_short() {
            self.prefetch_one(self.group.unkeyed[entry] as usize);
        }
    }

    /// Does so for all but those that are long or near the end of the text. Lists these, and returns their
    /// number.
    #[inline(always)]
    fn prefetch_short(&mut self) -> usize {
        let inner = self.count_inner().max(self.carried);
        let TextEncoder { text, cache, group, .. } = self;
        let PretokenGroup { cuts, keys, homes, unkeyed, .. } = &mut **group;
        let table = cache.table.view();
        let mut count = 0;
        let mut start = cuts[self.carried];
        for index in self.carried..inner.min(GROUP_SIZE) {
            let end = cuts[index + 1];
            // SAFETY: the cuts ascend, as `collect` checks, so that from all starts before `inner` on the
            // text has these bytes.
            if let Some(key) = unsafe { Key::of_inner(text, start, end) } {
                (keys[index], homes[index]) = (key, table.prefetch(key));
            } else {
                unkeyed[count % GROUP_SIZE] = index as u32;
                count += 1;
            }
            start = end;
        }
        for index in inner..self.size {
            unkeyed[count % GROUP_SIZE] = index as u32;
            count += 1;
        }
        count
    }

    /// Returns the number of pretokens from whose start on the text has the bytes that a key is read from.
    #[inline(always)]
    fn count_inner(&self) -> usize {
        let starts = (self.text.len() + 1).saturating_sub(CHUNK);
        let is_outer = |&index: &usize| self.group.cuts[index] >= starts;
        let size = self.size.min(GROUP_SIZE);
        size - (0..size).rev().take_while(is_outer).count()
    }

    /// Computes the key of any pretoken, or the hash of a long one, and prefetches its home line.
    #[inline(never)]
    fn prefetch_one(&mut self, index: usize) {
        let table = self.cache.table.view();
        let (start, end) = (self.group.cuts[index], self.group.cuts[index + 1]);
        let (key, home) = if let Some(key) = Key::of(self.text, start, end) {
            (key, table.prefetch(key))
        } else {
            let hash = long_hash(&self.text[start..end.min(start + MAX_CACHED_LEN)]);
            (Key::of_hash(hash), table.prefetch_long(hash))
        };
        (self.group.keys[index], self.group.homes[index]) = (key, home);
    }

    /// Probes the home lines of the pretokens, and lists those that are not there.
    #[inline(always)]
    fn probe_home<const AVX512: bool>(&mut self) {
        let TextEncoder { cache, group, .. } = self;
        let PretokenGroup { keys, homes, encodings, kinds, is_missing, missing: list, .. } =
            &mut **group;
        let table = cache.table.view();
        let size = self.size.min(GROUP_SIZE);
        for index in self.carried..size {
            let (probed, is_found) = table.probe_home(homes[index], keys[index]);
            encodings[index + 1] = PretokenEncoding::from_words(probed.words());
            kinds[index + 1] = probed.kind as u8;
            is_missing[index] = (!is_found).into();
        }
        let mut missing = 0;
        for start in (self.carried..size).step_by(WORD_BITS) {
            let bytes = is_missing[start..].first_chunk().expect("a word of bytes");
            let set = with_bit::<AVX512>(bytes, 0) & lowest(size - start);
            append_bits::<AVX512, 3>(list, &mut missing, set, start);
        }
        self.missing = missing;
    }

    /// Probes the chains of the pretokens that are not in their home lines, and merges those that are
    /// new.
    #[inline(always)]
    fn probe_chain(&mut self) {
        let missing = self.missing;
        for &index in &self.group.missing[..missing] {
            let PretokenGroup { keys, homes, .. } = &*self.group;
            self.cache.table.prefetch_chain(homes[index as usize], keys[index as usize]);
        }
        let mut new = 0;
        for entry in 0..missing {
            let index = self.group.missing[entry];
            if let Some(encoding) = self.find_in_chain(index as usize) {
                self.group.set(index as usize + 1, encoding);
            } else {
                self.group.missing[new] = index;
                new += 1;
            }
        }
        if new > 0 {
            self.merge_new(new);
        }
    }

    /// Merges the first `new` missing pretokens, most duplicates once.
    #[inline(always)]
    fn merge_new(&mut self, new: usize) {
        let (mut distinct, mut duplicates) = (0, 0);
        let mut recent = [None; RECENT_NEW];
        for entry in 0..new {
            let index = self.group.missing[entry];
            let first = &mut recent[self.group.homes[index as usize] / LINE_BYTES % RECENT_NEW];
            if let Some(first) = first.filter(|&first| self.are_equal(first, index)) {
                self.group.duplicates[duplicates] = Duplicate { first, index };
                duplicates += 1;
            } else {
                *first = Some(index);
                self.group.missing[distinct] = index;
                distinct += 1;
            }
        }
        self.merge_missing(distinct);
        for entry in 0..duplicates {
            let Duplicate { first, index } = self.group.duplicates[entry];
            self.group.set(index as usize + 1, self.group.encodings[first as usize + 1]);
        }
    }

    /// Finds a pretoken of the group in the chain from its home line on.
    #[inline(always)]
    fn find_in_chain(&mut self, index: usize) -> Option<PretokenEncoding> {
        let (key, home) = (self.group.keys[index], self.group.homes[index]);
        match key.as_long() {
            Some((hash, _)) => self.cache.table.get_long(hash, self.pretoken(index)),
            None => self.cache.table.find_and_move_home(home, key),
        }
    }

    /// Returns whether two pretokens of the group are equal.
    #[inline(always)]
    fn are_equal(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one as usize, other as usize];
        self.group.keys[one] == self.group.keys[other] && self.pretoken(one) == self.pretoken(other)
    }

    /// Returns a pretoken of the group.
    #[inline(always)]
    fn pretoken(&self, index: usize) -> &'t [u8] {
        &self.text[self.group.cuts[index]..self.group.cuts[index + 1]]
    }

    /// Applies merges and deletes to the first `new` missing pretokens, and caches the results.
    #[inline(always)]
    fn merge_missing(&mut self, new: usize) {
        let TextEncoder { encoder, text, cache, group, .. } = self;
        let PretokenGroup { cuts, keys, encodings, kinds, missing, .. } = &mut **group;
        let EncoderCache { table, spilled, pretoken_replay, small_merges, .. } = &mut **cache;
        for chunk in missing[..new].chunks(small_merges.len()) {
            let pretoken = |&index: &u32| &text[cuts[index as usize]..cuts[index as usize + 1]];
            encoder.merger.merge_interleaved(small_merges, chunk.iter().map(pretoken));
            for (index, small) in chunk.iter().zip(&*small_merges) {
                let pretoken = pretoken(index);
                let encoding = if encoder.merger.is_small(pretoken) {
                    encoder.supermerges.encode_merged(small, spilled)
                } else {
                    encoder.merger.apply_rules(pretoken, pretoken_replay, |_| ());
                    let tokens = pretoken_replay.items().map(|made| made.token);
                    PretokenEncoding::from_tokens(tokens, IN_CACHE, spilled)
                };
                let key = keys[*index as usize];
                match key.as_long() {
                    None => table.insert_key(key, encoding),
                    Some((hash, _)) if pretoken.len() <= MAX_CACHED_LEN => {
                        table.insert_long(hash, pretoken, encoding);
                    }
                    Some(_) => {}
                }
                encodings[*index as usize + 1] = encoding;
                kinds[*index as usize + 1] = encoding.kind as u8;
            }
        }
    }
}
