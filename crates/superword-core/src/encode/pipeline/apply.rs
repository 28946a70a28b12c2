//! Supermerges on a group of pretokens.
//!
//! The units that are left of a run replace the encodings of its pretokens, in order, and the other
//! encodings become empty. So most of a group is then written without a branch.

use crate::encode::numbering::EncoderPair;
use crate::encode::pipeline::bits::{append_bits, bits, find_end, lowest};
use crate::encode::pipeline::group::{
    GROUP_SIZE, GroupBits, LENGTHS, LONGER_RUNS, PretokenGroup, WORD_BITS,
};
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::encoding::{BOUNDARY_AFTER, BOUNDARY_BEFORE, PretokenEncoding};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::supermerge::pair_table::PairJoin;
use crate::encode::supermerge::short_run::merge_short_run;
use crate::encode::supermerge::table::{MAX_SCANNED_UNITS, PendingUnit};
use crate::platform::lanes::with_bit;

impl<const SIZE: usize> TextEncoder<'_, SIZE> {
    /// The most pretokens that the next group starts with. More of them become pending units.
    const MAX_CARRIED: usize = SIZE.div_ceil(8);

    /// Finds the pretokens that can end up in one token with the one before.
    #[inline(always)]
    pub(crate) fn find_boundaries<const AVX512: bool>(&mut self) -> GroupBits {
        let pairs = self.encoder.supermerges.pairs();
        let PretokenGroup {
            encodings, kinds, possible: list, pair_homes, is_boundary, joins, ..
        } = &mut *self.group;
        let mut possible = GroupBits::default();
        let mut count = 0;
        for (start, set) in (0..self.size).step_by(WORD_BITS).zip(&mut possible) {
            let before = kinds[start..].first_chunk().expect("a word of kinds");
            let after = kinds[start + 1..].first_chunk().expect("a word of kinds");
            *set = with_bit::<AVX512>(before, BOUNDARY_AFTER.trailing_zeros())
                & with_bit::<AVX512>(after, BOUNDARY_BEFORE.trailing_zeros())
                & lowest(self.size - start);
            append_bits::<AVX512, 20>(list, &mut count, *set, start);
        }
        let list = &list[..count.min(GROUP_SIZE)];
        for (&index, home) in list.iter().zip(&mut *pair_homes) {
            *home = pairs.prefetch(pair_at(encodings, index as usize));
        }
        for (&index, &home) in list.iter().zip(&*pair_homes) {
            let index = index as usize % GROUP_SIZE;
            let (join, is_found) = pairs.probe(home, pair_at(encodings, index));
            joins[index] = *join;
            is_boundary[index] = is_found.into();
        }
        let mut found = GroupBits::default();
        for (word, (found, &possible)) in found.iter_mut().zip(&possible).enumerate() {
            let bytes = is_boundary[word * WORD_BITS..].first_chunk().expect("a word of bytes");
            *found = with_bit::<AVX512>(bytes, 0) & possible;
        }
        if self.encoder.supermerges.allows_all() {
            self.allow_all(&possible, &mut found);
        }
        found
    }

    /// Adds the pairs that are not listed as boundaries.
    #[cold]
    fn allow_all(&mut self, possible: &GroupBits, found: &mut GroupBits) {
        for (word, (&possible, found)) in possible.iter().zip(found).enumerate() {
            for bit in bits(possible & !*found) {
                self.group.joins[word * WORD_BITS + bit] = PairJoin::NONE;
            }
            *found = possible;
        }
    }

    /// Returns the number of pretokens at the end of the group that may be joined with what follows.
    #[inline(always)]
    pub(crate) fn count_open_end(&mut self, boundaries: &GroupBits) -> usize {
        if self.group.encodings[self.size].boundary_after() == 0 {
            return 0;
        }
        let is_joined =
            |&index: &usize| boundaries[index / WORD_BITS] >> (index % WORD_BITS) & 1 != 0;
        1 + (1..self.size).rev().take_while(is_joined).count()
    }

    /// Adds the first units of the group to the pending ones if they may be joined with them.
    #[cold]
    pub(crate) fn continue_pending(&mut self, boundaries: &mut GroupBits) {
        let end = find_end(boundaries, 0);
        for index in 0..end {
            self.defer(index + 1, self.group.joins[index]);
            boundaries[index / WORD_BITS] &= !(1 << (index % WORD_BITS));
        }
        if end < self.size {
            self.flush_pending();
        }
    }

    /// Starts the next group with the pretokens after the complete ones, or makes them pending units
    /// if they are many.
    #[inline(always)]
    pub(crate) fn carry(&mut self, complete: usize, last: PretokenEncoding) {
        let mut carried = self.size - complete;
        if carried > Self::MAX_CARRIED {
            for index in complete..self.size {
                let join =
                    if index == complete { PairJoin::default() } else { self.group.joins[index] };
                self.defer(index + 1, join);
            }
            self.group.cuts[complete] = self.group.cuts[self.size];
            carried = 0;
        }
        self.group.cuts.copy_within(complete..=complete + carried, 0);
        let before = if self.cache.pending.is_empty() { PretokenEncoding::default() } else { last };
        self.group.set(0, before);
        for index in 1..=carried {
            self.group.set(index, self.group.encodings[complete + index]);
        }
        (self.size, self.carried) = (carried, carried);
    }

    /// Applies all supermerges to the complete pretokens, which come first.
    ///
    /// The fast ways of short runs set only tokens and their number. A reopened unit is opened at
    /// [`NEVER`], so that they leave it to [`Self::merge_run`].
    #[inline(always)]
    pub(crate) fn apply_supermerges<const AVX512: bool>(
        &mut self,
        boundaries: &GroupBits,
        complete: usize,
    ) {
        let PretokenGroup { pairs, triples, longer, .. } = &mut *self.group;
        let [mut pair_count, mut triple_count, mut longer_count] = [0; 3];
        let mut before = 0;
        for index in 0..complete.div_ceil(WORD_BITS) {
            let word = |index: usize| {
                let rest = complete.saturating_sub(index * WORD_BITS);
                boundaries.get(index).map_or(0, |word| word & lowest(rest))
            };
            let (set, next) = (word(index), word(index + 1));
            let starts = set & !(set << 1 | before);
            let second = set >> 1 | next << (WORD_BITS - 1);
            let third = set >> 2 | next << (WORD_BITS - 2);
            before = set >> (WORD_BITS - 1);
            // Three lists, because a branch on the length is hard to predict.
            let start = index * WORD_BITS;
            append_bits::<AVX512, 6>(pairs, &mut pair_count, starts & !second, start);
            append_bits::<AVX512, 4>(triples, &mut triple_count, starts & second & !third, start);
            append_bits::<AVX512, 4>(longer, &mut longer_count, starts & second & third, start);
        }
        for index in 0..pair_count {
            self.merge_pair(self.group.pairs[index] as usize);
        }
        for index in 0..triple_count {
            self.merge_short::<3>(self.group.triples[index] as usize);
        }
        self.merge_longer(longer_count, boundaries);
    }

    /// Applies all supermerges to a run of two units. Whether a rule joins them is hard to predict, so no
    /// branch depends on it.
    #[inline(always)]
    fn merge_pair(&mut self, first: usize) {
        let first = first % GROUP_SIZE;
        let PretokenGroup { encodings, joins, .. } = &mut *self.group;
        let (left, right) = (&encodings[first], &encodings[first + 1]);
        let join = joins[first];
        if join.step <= left.opened_at().max(right.opened_at()) {
            return self.merge_run(first, first + 1);
        }
        let is_joined = join.step != NEVER;
        let token = if is_joined { join.token } else { left.first_token() };
        encodings[first].data[0] = token.0;
        encodings[first + 1].kind = u32::from(!is_joined);
    }

    /// Applies all supermerges to the first `count` longer runs.
    #[inline(always)]
    fn merge_longer(&mut self, count: usize, boundaries: &GroupBits) {
        let mut counts = [0; LENGTHS];
        for entry in 0..count.min(GROUP_SIZE) {
            let first = self.group.longer[entry] as usize;
            let last = find_end(boundaries, first);
            let length = (last - first - 3).min(LENGTHS - 1);
            self.group.by_length[length][counts[length] % LONGER_RUNS] = first as u32;
            counts[length] += 1;
        }
        let [four, five, six, more] = counts;
        for entry in 0..four {
            self.merge_short::<4>(self.group.by_length[0][entry] as usize);
        }
        for entry in 0..five {
            self.merge_short::<5>(self.group.by_length[1][entry] as usize);
        }
        for entry in 0..six {
            self.merge_short::<6>(self.group.by_length[2][entry] as usize);
        }
        for entry in 0..more {
            let first = self.group.by_length[3][entry] as usize;
            self.merge_run(first, find_end(boundaries, first));
        }
    }

    /// Applies all supermerges to a run of three to six units.
    #[inline(always)]
    fn merge_short<const LEN: usize>(&mut self, first: usize) {
        let first = first % (GROUP_SIZE + 2 - LEN);
        let PretokenGroup { encodings, joins, .. } = &mut *self.group;
        let units = encodings[first..].first_chunk_mut().expect("the units of the run");
        let joins = joins[first..].first_chunk().expect("the joins of the run");
        if !merge_short_run::<LEN>(units, joins, self.encoder.supermerges.pairs()) {
            self.merge_run(first, first + LEN - 1);
        }
    }

    /// Applies all supermerges to a run of units.
    fn merge_run(&mut self, first: usize, last: usize) {
        for index in first..=last {
            let join =
                if index == first { PairJoin::default() } else { self.group.joins[index - 1] };
            self.defer(index, join);
        }
        self.merge_pending();
        for (index, pending) in (first..=last).zip(&self.cache.pending) {
            self.group.set(index, pending.unit.into());
        }
        self.cache.pending.clear();
    }

    /// Moves a unit of the group to the pending units.
    fn defer(&mut self, index: usize, join: PairJoin) {
        let encoding = self.group.encodings[index];
        self.group.set(index, PretokenEncoding::default());
        self.cache.pending.push(PendingUnit { unit: encoding.unit(), join });
    }

    /// Applies all supermerges to the pending units, and writes them.
    pub(crate) fn flush_pending(&mut self) {
        self.merge_pending();
        for index in 0..self.cache.pending.len() {
            self.write_unit(self.cache.pending[index].unit);
        }
        self.cache.pending.clear();
    }

    /// Applies all supermerges to the pending units.
    fn merge_pending(&mut self) {
        let EncoderCache { pending, unit_replay, .. } = &mut *self.cache;
        if pending.len() <= MAX_SCANNED_UNITS {
            return self.encoder.supermerges.merge_few(pending);
        }
        let units = pending.iter().map(|pending| pending.unit);
        unit_replay.apply_rules(&self.encoder.supermerges, units, |_, _| ());
        let merged = unit_replay.items();
        pending.clear();
        pending.extend(merged.map(|unit| PendingUnit { unit, join: PairJoin::default() }));
    }
}

/// Returns the tokens of an open unit and the next.
#[inline(always)]
fn pair_at(encodings: &[PretokenEncoding; GROUP_SIZE + 1], index: usize) -> EncoderPair {
    let index = index % GROUP_SIZE;
    EncoderPair { left: encodings[index].first_token(), right: encodings[index + 1].first_token() }
}
