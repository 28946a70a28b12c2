//! The hash table of merges, by the pair of tokens that they join.
//!
//! It is written by hand because a new pretoken probes many pairs, one after the other, and most of
//! that time is memory latency. So a slot is 4 bytes: the step of a rule and as many bits of the pair's
//! hash as fit, the tag. Eight slots make a bucket, which is prefetched and then compared as one
//! vector. The pair itself is compared only when the rule is about to be applied. If the rule joins
//! another pair, the exact step is searched. With this and the interleaving of 32 pretokens,
//! `benchmarks/encode.py` (131,072 tokens, new text) went from 124 to 176 MB/s for plain BPE.

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::platform::cpu::prefetch;
use crate::platform::hash::{FastMap, fold, secret};
use crate::platform::huge_pages::HugeBlock;

/// A merge.
#[derive(Clone, Copy)]
pub(crate) struct IndexedMerge {
    pub(crate) pair: EncoderPair,
    pub(crate) token: EncoderToken,
    /// The step that deletes the token that it makes.
    pub(crate) split_at: u32,
}

/// Stands for steps that are not merges.
const NO_MERGE: IndexedMerge =
    IndexedMerge { pair: EncoderPair::NONE, token: EncoderToken::NONE, split_at: NEVER };

/// The number of slots in a bucket.
const BUCKET: usize = 8;

/// A slot without a rule.
const FREE: i32 = i32::MAX;

/// A flag in the first slot of a bucket: other slots that belong here are in the next bucket.
const OVERFLOWS: i32 = i32::MIN;

/// Slots that are compared at once, without a branch that depends on their values.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct MergeBucket([i32; BUCKET]);

/// All merges.
pub(crate) struct MergeIndex {
    /// By step.
    merges: HugeBlock<IndexedMerge>,
    /// The hash table: a power of two of buckets, at most half full. A slot holds a step in its lower
    /// bits, and the tag of its pair in the others.
    buckets: HugeBlock<MergeBucket>,
    step_mask: u32,
    tag_mask: u32,
    /// The steps, ascending, of each pair that more than one rule joins.
    repeated_rules: FastMap<EncoderPair, Vec<u32>>,
    secret: u64,
}

/// The home bucket of a pair, and its tag.
#[derive(Clone, Copy, Default)]
pub(crate) struct MergeProbe {
    bucket: u32,
    tag: u32,
}

impl MergeProbe {
    /// A valid probe, of no particular pair.
    pub(crate) const ANY: MergeProbe = MergeProbe { bucket: 0, tag: 0 };
}

impl MergeIndex {
    /// Creates the index of merges, given with their steps in ascending order. All steps are below
    /// `end`.
    pub(crate) fn new(
        merges: impl IntoIterator<Item = (u32, IndexedMerge)>,
        end: u32,
    ) -> MergeIndex {
        let mut by_step = HugeBlock::filled(NO_MERGE, end as usize);
        let mut steps = Vec::new();
        for (step, merge) in merges {
            by_step[step as usize] = merge;
            steps.push(step);
        }
        let buckets = (2 * steps.len()).div_ceil(BUCKET).next_power_of_two();
        let mut index = MergeIndex::with_buckets(by_step, buckets, u32::BITS - end.leading_zeros());
        for step in steps {
            index.insert(step);
        }
        index
    }

    fn with_buckets(merges: HugeBlock<IndexedMerge>, buckets: usize, step_bits: u32) -> MergeIndex {
        let step_mask = (1 << step_bits) - 1;
        MergeIndex {
            merges,
            buckets: HugeBlock::filled(MergeBucket([FREE; BUCKET]), buckets),
            step_mask,
            tag_mask: FREE.cast_unsigned() & !step_mask,
            repeated_rules: FastMap::default(),
            secret: secret(),
        }
    }

    fn insert(&mut self, step: u32) {
        let IndexedMerge { pair, .. } = self.merges[step as usize];
        let MergeProbe { bucket, tag } = self.probe(pair);
        let mut bucket = bucket as usize;
        loop {
            for slot in 0..BUCKET {
                let other = self.buckets[bucket].0[slot].cast_unsigned() & self.step_mask;
                if other == self.step_mask {
                    self.buckets[bucket].0[slot] = (tag | step).cast_signed();
                    return;
                }
                if self.get_if_joins(other, pair).is_some() {
                    let steps = self.repeated_rules.entry(pair);
                    steps.or_insert_with(|| vec![other]).push(step);
                    return;
                }
            }
            self.buckets[bucket].0[0] |= OVERFLOWS;
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    /// Returns the end of all steps.
    pub(crate) fn end(&self) -> usize {
        self.merges.len()
    }

    /// Returns the step that stands for no rule in slots and events. It is after all steps.
    #[inline(always)]
    pub(crate) fn no_step(&self) -> u32 {
        self.step_mask
    }

    /// Returns the first step after `after` that joins two tokens, or [`NEVER`].
    #[inline]
    pub(crate) fn first_step_after(&self, pair: EncoderPair, after: u32) -> u32 {
        let step = self.lower_bound(self.probe(pair), pair);
        if step == self.no_step() {
            NEVER
        } else if step > after && self.get_if_joins(step, pair).is_some() {
            step
        } else {
            self.search_step_after(pair, after)
        }
    }

    /// Returns a step before which no rule joins two tokens: that of the first rule that joins them,
    /// or of another rule with the same tag.
    #[inline(always)]
    pub(crate) fn lower_bound(&self, probe: MergeProbe, pair: EncoderPair) -> u32 {
        let MergeBucket(slots) = &self.buckets[probe.bucket as usize];
        let [tag_mask, tag] = [self.tag_mask, probe.tag].map(u32::cast_signed);
        let matching = slots.map(|slot| slot | (FREE * i32::from(slot & tag_mask != tag)));
        let four: [i32; 4] = std::array::from_fn(|index| matching[index].min(matching[index + 4]));
        let two: [i32; 2] = std::array::from_fn(|index| four[index].min(four[index + 2]));
        let least = two[0].min(two[1]);
        if least < 0 {
            return self.search_step_after(pair, 0).min(self.no_step());
        }
        least.cast_unsigned() & self.step_mask
    }

    /// Prefetches the home bucket of a pair, and returns the probe for it.
    #[inline(always)]
    pub(crate) fn prefetch_pair(&self, pair: EncoderPair) -> MergeProbe {
        let probe = self.probe(pair);
        prefetch(&self.buckets[probe.bucket as usize]);
        probe
    }

    /// Prefetches the merge at a step.
    #[inline(always)]
    pub(crate) fn prefetch_merge(&self, step: u32) {
        prefetch(&self.merges[step as usize]);
    }

    /// Returns the merge at a step.
    #[inline(always)]
    pub(crate) fn get(&self, step: u32) -> IndexedMerge {
        self.merges[step as usize]
    }

    /// Returns the merge at a step, if it joins these tokens.
    #[inline(always)]
    pub(crate) fn get_if_joins(&self, step: u32, pair: EncoderPair) -> Option<IndexedMerge> {
        let merge = self.get(step);
        (merge.pair == pair).then_some(merge)
    }

    /// Returns what [`MergeIndex::first_step_after`] does, after comparing all pairs.
    #[cold]
    pub(crate) fn search_step_after(&self, pair: EncoderPair, after: u32) -> u32 {
        if let Some(steps) = self.repeated_rules.get(&pair) {
            return steps.iter().copied().find(|&step| step > after).unwrap_or(NEVER);
        }
        let mut bucket = self.probe(pair).bucket as usize;
        loop {
            let slots = &self.buckets[bucket].0;
            for step in slots.iter().map(|slot| slot.cast_unsigned() & self.step_mask) {
                if step != self.no_step() && self.get_if_joins(step, pair).is_some() {
                    return if step > after { step } else { NEVER };
                }
            }
            if slots[0] >= 0 {
                return NEVER;
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    /// Returns the probe for a pair.
    #[inline(always)]
    pub(crate) fn probe(&self, pair: EncoderPair) -> MergeProbe {
        let hash = fold(pair.as_word() ^ self.secret, 0x9E37_79B9_7F4A_7C15);
        let bucket = hash as u32 & (self.buckets.len() - 1) as u32;
        MergeProbe { bucket, tag: (hash >> 32) as u32 & self.tag_mask }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn pair_of(left: u32, right: u32) -> EncoderPair {
        EncoderPair { left: EncoderToken(left), right: EncoderToken(right) }
    }

    /// With steps of 30 bits, tags are so short that pairs share them. With few buckets, they
    /// overflow.
    #[test]
    fn index_equals_a_map() {
        for (step_bits, buckets) in [(12, 1024), (12, 256), (30, 1024), (30, 256)] {
            let mut expected: BTreeMap<EncoderPair, Vec<u32>> = BTreeMap::new();
            let merges = (1..3000).map(|step: u32| {
                let pair = pair_of(step * step / 11 % 40, step * 7 / 3 % 50);
                expected.entry(pair).or_default().push(step);
                IndexedMerge { pair, token: EncoderToken(step), split_at: NEVER }
            });
            let merges: Vec<_> = merges.collect();
            let mut index =
                MergeIndex::with_buckets(HugeBlock::filled(NO_MERGE, 3000), buckets, step_bits);
            for (step, merge) in (1..).zip(merges) {
                index.merges[step as usize] = merge;
                index.insert(step);
            }
            for pair in (0..40).flat_map(|left| (0..50).map(move |right| pair_of(left, right))) {
                let steps = expected.get(&pair).cloned().unwrap_or_default();
                for after in [0, 100, 1500, 2999] {
                    let exact = steps.iter().copied().find(|&step| step > after).unwrap_or(NEVER);
                    assert_eq!(index.first_step_after(pair, after), exact);
                    assert_eq!(index.search_step_after(pair, after), exact);
                }
                let bound = index.lower_bound(index.prefetch_pair(pair), pair);
                assert!(bound <= steps.first().copied().unwrap_or(index.no_step()));
            }
        }
    }
}
