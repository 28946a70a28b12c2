//! Supermerges on a group of pretokens.
//!
//! A joined unit replaces the encoding of its first pretoken, and the encodings of the others become
//! empty. So most of a group is then written without a branch.

use crate::encode::numbering::EncoderPair;
use crate::encode::pipeline::bits::{bits, find_end, lowest, with_bit};
use crate::encode::pipeline::group::{
    GROUP_SIZE, GroupBits, PairProbe, PretokenGroup, UnitRun, WORD_BITS,
};
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::encoding::{BOUNDARY_AFTER, BOUNDARY_BEFORE, PretokenEncoding};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::supermerge::pair_table::PairJoin;
use crate::encode::supermerge::table::{MAX_SCANNED_UNITS, PendingUnit};

impl<const SIZE: usize> TextEncoder<'_, SIZE> {
    /// The most pretokens that the next group starts with. More of them become pending units.
    const MAX_CARRIED: usize = SIZE.div_ceil(8);

    /// Finds the pretokens that can end up in one token with the one before.
    #[inline(always)]
    pub(crate) fn find_boundaries(&mut self) -> GroupBits {
        let supermerges = &self.encoder.supermerges;
        let PretokenGroup { encodings, kinds, pair_probes, joins, .. } = &mut *self.group;
        let mut possible = 0;
        for start in (0..self.size).step_by(WORD_BITS) {
            let before = kinds[start..].first_chunk().expect("a word of kinds");
            let after = kinds[start + 1..].first_chunk().expect("a word of kinds");
            let both = with_bit(before, BOUNDARY_AFTER.trailing_zeros())
                & with_bit(after, BOUNDARY_BEFORE.trailing_zeros())
                & lowest(self.size - start);
            for bit in bits(both) {
                let index = (start + bit) % GROUP_SIZE;
                let [left, right] = [index, index + 1].map(|at| encodings[at].first_token());
                let pair = EncoderPair { left, right };
                let home = supermerges.prefetch(pair) as u32;
                pair_probes[possible % GROUP_SIZE] = PairProbe { pair, home, index: index as u32 };
                possible += 1;
            }
        }
        let mut found = GroupBits::default();
        for &PairProbe { pair, home, index } in &pair_probes[..possible] {
            let (join, is_boundary) = supermerges.probe(home as usize, pair);
            let index = index as usize % GROUP_SIZE;
            joins[index] = *join;
            found[index / WORD_BITS] |= u64::from(is_boundary) << (index % WORD_BITS);
        }
        if supermerges.allows_all() {
            self.allow_all(possible, &mut found);
        }
        found
    }

    /// Adds the pairs that are not listed as boundaries.
    #[cold]
    fn allow_all(&mut self, possible: usize, found: &mut GroupBits) {
        for probe in &self.group.pair_probes[..possible] {
            let (word, bit) = (probe.index as usize / WORD_BITS, probe.index as usize % WORD_BITS);
            if found[word] >> bit & 1 == 0 {
                self.group.joins[probe.index as usize] = PairJoin::NONE;
                found[word] |= 1 << bit;
            }
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

    /// Applies all supermerges to the complete pretokens, which come first. A reopened unit is opened at
    /// [`NEVER`], so that the fast ways of two and three units leave it to [`Self::merge_run`].
    #[inline(always)]
    pub(crate) fn apply_supermerges(&mut self, boundaries: &GroupBits, complete: usize) {
        let [mut pairs, mut triples, mut runs] = [0; 3];
        let mut carry = 0;
        for (index, &word) in boundaries.iter().enumerate() {
            let starts = word & !(word << 1 | carry);
            carry = word >> (WORD_BITS - 1);
            for bit in bits(starts) {
                let first = index * WORD_BITS + bit;
                if first >= complete {
                    break;
                }
                let last = find_end(boundaries, first);
                // Three lists, because a branch on the length is hard to predict.
                let PretokenGroup { pairs: pair, triples: triple, runs: run, .. } =
                    &mut *self.group;
                pair[pairs % GROUP_SIZE] = first as u32;
                triple[triples % GROUP_SIZE] = first as u32;
                run[runs % GROUP_SIZE] = UnitRun { first, last };
                pairs += usize::from(last == first + 1);
                triples += usize::from(last == first + 2);
                runs += usize::from(last > first + 2);
            }
        }
        for index in 0..triples {
            let first = self.group.triples[index] as usize;
            self.prefetch_next_joins(first, first + 2);
        }
        for index in 0..runs {
            let UnitRun { first, last } = self.group.runs[index];
            self.prefetch_next_joins(first, last);
        }
        for index in 0..pairs {
            self.merge_pair(self.group.pairs[index] as usize);
        }
        for index in 0..triples {
            self.merge_triple(self.group.triples[index] as usize);
        }
        for index in 0..runs {
            let UnitRun { first, last } = self.group.runs[index];
            self.merge_run(first, last);
        }
    }

    /// Applies all supermerges to a run of two units. Whether a rule joins them is hard to predict, so no
    /// branch depends on it.
    #[inline(always)]
    fn merge_pair(&mut self, first: usize) {
        let [left, right] = [0, 1].map(|index| self.group.encodings[first + index]);
        let join = self.group.joins[first];
        if join.step <= left.opened_at().max(right.opened_at()) {
            return self.merge_run(first, first + 1);
        }
        let is_joined = join.step != NEVER;
        let token = if is_joined { join.token } else { left.first_token() };
        self.group.set(first, PretokenEncoding::from_token(token, true));
        self.group.set(first + 1, PretokenEncoding::from_token(right.first_token(), !is_joined));
    }

    /// Prefetches the pairs that the first rule on a run will make: the new token with either
    /// neighbour.
    #[inline(always)]
    fn prefetch_next_joins(&self, first: usize, last: usize) {
        let (mut at, mut earliest) = (first, self.group.joins[first]);
        for index in first + 1..last {
            let join = self.group.joins[index];
            (at, earliest) = if join.step < earliest.step { (index, join) } else { (at, earliest) };
        }
        let token = |index: usize| self.group.encodings[index.min(GROUP_SIZE)].first_token();
        let before = EncoderPair { left: token(at.saturating_sub(1)), right: earliest.token };
        let after = EncoderPair { left: earliest.token, right: token(at + 2) };
        self.encoder.supermerges.prefetch(before);
        self.encoder.supermerges.prefetch(after);
    }

    /// Applies all supermerges to a run of three units.
    #[inline(always)]
    fn merge_triple(&mut self, start: usize) {
        let [a, b, c] = [0, 1, 2].map(|index| self.group.encodings[start + index]);
        let (first, second) = (self.group.joins[start], self.group.joins[start + 1]);
        let is_usual = first.step > a.opened_at().max(b.opened_at())
            && second.step > b.opened_at().max(c.opened_at());
        if !is_usual {
            return self.merge_run(start, start + 2);
        }
        let made_at = first.step.min(second.step);
        if made_at == NEVER {
            return;
        }
        let is_second = second.step < first.step;
        let left = if is_second { a.first_token() } else { first.token };
        let right = if is_second { second.token } else { c.first_token() };
        let other_opened_at = if is_second { a.opened_at() } else { c.opened_at() };
        let join = self.encoder.supermerges.first_join(EncoderPair { left, right });
        let is_joined = join.step != NEVER;
        if is_joined && join.step <= made_at.max(other_opened_at) {
            return self.merge_run(start, start + 2);
        }
        let token = if is_joined { join.token } else { left };
        self.group.set(start, PretokenEncoding::from_token(token, true));
        self.group.set(start + 1, PretokenEncoding::from_token(right, !is_joined));
        self.group.set(start + 2, PretokenEncoding::default());
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
