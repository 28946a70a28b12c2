//! Supermerges on a group of pretokens.
//!
//! The units that are left of a run replace the encodings of its pretokens, in order, and the other
//! encodings become empty. So most of a group is then written without a branch.

use crate::encode::pipeline::bits::{append_bits, bits, find_end, lowest};
use crate::encode::pipeline::group::{
    GROUP_SIZE, GroupBits, LENGTHS, LONG_RUNS, LONGER_RUNS, PretokenGroup, WORD_BITS,
};
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::encoding::{BOUNDARY_AFTER, BOUNDARY_BEFORE, PretokenEncoding};
use crate::encode::supermerge::pair_table::PairJoin;
use crate::encode::supermerge::short_run::{
    Applied, ShortenedRun, apply_first, find_new_joins, pair_at, pairs_of,
};
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
            *home = pairs.prefetch(pair_at(encodings, index as usize % GROUP_SIZE));
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
    /// A reopened unit counts as opened after every step, so that a run with one is left to
    /// [`Self::merge_run`].
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
        for entry in 0..pair_count {
            self.apply_to_run::<2>(self.group.pairs[entry] as usize);
        }
        let [four, five, six] = self.sort_longer(longer_count, boundaries);
        let mut count = self.shorten_runs::<6>(0, six, |group, entry| group.by_length[2][entry]);
        count = self.shorten_runs::<5>(count, five, |group, entry| group.by_length[1][entry]);
        count = self.shorten_runs::<4>(count, four, |group, entry| group.by_length[0][entry]);
        count = self.shorten_runs::<3>(count, triple_count, |group, entry| group.triples[entry]);
        for entry in 0..count {
            let first = self.find_new_joins::<2>(entry);
            self.apply_to_run::<2>(first);
        }
    }

    /// Lists the first `count` longer runs by their length, and applies all supermerges to those that are
    /// not short. Returns the numbers of the others.
    #[inline(always)]
    fn sort_longer(&mut self, count: usize, boundaries: &GroupBits) -> [usize; LENGTHS] {
        let mut counts = [0; LENGTHS];
        for entry in 0..count.min(GROUP_SIZE) {
            let first = self.group.longer[entry] as usize;
            let last = find_end(boundaries, first);
            let length = last - first - 3;
            if length < LENGTHS {
                self.group.by_length[length][counts[length] % LONGER_RUNS] = first as u32;
                counts[length] += 1;
            } else {
                self.merge_run(first, last);
            }
        }
        counts
    }

    /// Applies a rule to each run of `LEN` units: to the `shortened` ones, and to `unchanged` ones, whose
    /// first units `start_of` returns. Returns the number of runs that are now a unit shorter. They are
    /// the shortened ones from then on.
    #[inline(always)]
    fn shorten_runs<const LEN: usize>(
        &mut self,
        shortened: usize,
        unchanged: usize,
        start_of: impl Fn(&PretokenGroup, usize) -> u32,
    ) -> usize {
        let mut count = 0;
        for entry in 0..shortened {
            let first = self.find_new_joins::<LEN>(entry);
            count += usize::from(self.shorten_run::<LEN>(first, count));
        }
        for entry in 0..unchanged {
            let first = start_of(&self.group, entry) as usize;
            count += usize::from(self.shorten_run::<LEN>(first, count));
        }
        count
    }

    /// Finds the first rules that join the unit that the last rule made in a shortened run. Returns the
    /// first unit of the run.
    #[inline(always)]
    fn find_new_joins<const LEN: usize>(&mut self, entry: usize) -> usize {
        let ShortenedRun { first, joined } = self.group.shortened[entry % LONG_RUNS];
        let (units, joins) = run_at::<LEN>(&mut self.group, first as usize);
        find_new_joins(units, joins, joined as usize, self.encoder.supermerges.pairs());
        first as usize
    }

    /// Applies a rule to a run of `LEN` units, prefetches the pairs that this makes, and lists the run as a
    /// shortened one. Returns whether there was such a rule.
    #[inline(always)]
    fn shorten_run<const LEN: usize>(&mut self, first: usize, entry: usize) -> bool {
        let Applied { is_shortened, joined } = self.apply_to_run::<LEN>(first);
        let (units, _) = run_at::<LEN>(&mut self.group, first);
        for pair in pairs_of(joined, LEN - 1) {
            self.encoder.supermerges.pairs().prefetch(pair_at(units, pair));
        }
        let run = ShortenedRun { first: first as u32, joined: joined as u32 };
        self.group.shortened[entry % LONG_RUNS] = run;
        is_shortened
    }

    /// Applies a rule to a run of `LEN` units, or all of them if it is not a usual one.
    #[inline(always)]
    fn apply_to_run<const LEN: usize>(&mut self, first: usize) -> Applied {
        let (units, joins) = run_at::<LEN>(&mut self.group, first);
        apply_first(units, joins).unwrap_or_else(|| {
            self.merge_run(first, first + LEN - 1);
            Applied::default()
        })
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

/// Returns the units of a run, and the first rules that join each with the next. The last one is unused.
#[inline(always)]
fn run_at<const LEN: usize>(
    group: &mut PretokenGroup,
    first: usize,
) -> (&mut [PretokenEncoding; LEN], &mut [PairJoin; LEN]) {
    let first = first % (GROUP_SIZE + 2 - LEN);
    let units = group.encodings[first..].first_chunk_mut().expect("the units of the run");
    (units, group.joins[first..].first_chunk_mut().expect("the joins of the run"))
}
