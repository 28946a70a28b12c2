//! Supermerges on short runs of open units.
//!
//! Most runs of more than three units have four or five. A run is an array of a fixed length, so that
//! looking for its next rule takes no branch, and no unit moves. Each rule needs the result of the one
//! before, so several runs take turns: the processor works on all of them at once, and what a run reads
//! in its next turn is prefetched.

use crate::encode::numbering::EncoderPair;
use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::supermerge::pair_table::{PairJoin, PairTableView};

/// The most units of a short run.
pub(crate) const SHORT_RUN: usize = 8;

/// The runs that take turns.
pub(crate) const RUNS: usize = 16;

/// The key of a unit that no rule joins with the next.
const NO_RULE: u64 = (NEVER as u64) << 32;

/// A run of at most [`SHORT_RUN`] open units, none of them reopened.
#[derive(Clone, Copy)]
pub(crate) struct ShortRun {
    /// A unit that has become part of another is empty.
    pub(crate) units: [PretokenEncoding; SHORT_RUN],
    pub(crate) len: usize,
    /// Whether each first rule that joins two units comes after both were opened. If not, a later rule
    /// may join them, and the result may be wrong.
    pub(crate) is_usual: bool,
    /// The first rule that joins each unit with the next.
    joins: [PairJoin; SHORT_RUN],
    /// The step of that rule, then the index of the unit.
    keys: [u64; SHORT_RUN],
    before: [usize; SHORT_RUN],
    next: [usize; SHORT_RUN],
    /// The units whose pair with the next the last rule changed, and the home lines of these pairs.
    changed: [usize; 2],
    homes: [usize; 2],
}

impl ShortRun {
    /// A run of no units.
    pub(crate) const EMPTY: ShortRun = ShortRun {
        units: [PretokenEncoding::EMPTY; SHORT_RUN],
        len: 0,
        is_usual: true,
        joins: [PairJoin::NONE; SHORT_RUN],
        keys: [NO_RULE; SHORT_RUN],
        before: [0; SHORT_RUN],
        next: [0; SHORT_RUN],
        changed: [0; 2],
        homes: [0; 2],
    };

    /// Starts a run of the first `len` units, and of the first rules that join them.
    #[inline(always)]
    pub(crate) fn start(
        &mut self,
        units: &[PretokenEncoding; SHORT_RUN],
        joins: &[PairJoin; SHORT_RUN],
        len: usize,
    ) {
        (self.units, self.joins, self.len, self.is_usual) = (*units, *joins, len, true);
        for index in 0..SHORT_RUN - 1 {
            let opened_at = units[index].opened_at().max(units[index + 1].opened_at());
            let step = if index + 1 < len { joins[index].step } else { NEVER };
            self.is_usual &= step > opened_at || index + 1 >= len;
            self.keys[index] = key(step, index);
        }
        self.before = std::array::from_fn(|index| index.wrapping_sub(1));
        self.next = std::array::from_fn(|index| index + 1);
    }

    /// Applies the next rule, and prefetches the pairs that it makes. Returns whether there may be more.
    #[inline(always)]
    fn apply_next(&mut self, pairs: PairTableView<'_>) -> bool {
        let earliest = self.keys.iter().fold(u64::MAX, |least, &key| least.min(key));
        if earliest >= NO_RULE {
            return false;
        }
        let index = earliest as u32 as usize % SHORT_RUN;
        let gone = self.next[index] % SHORT_RUN;
        let after = self.next[gone];
        self.next[index] = after;
        self.before[after % SHORT_RUN] = index;
        let PairJoin { step, token } = self.joins[index];
        self.units[index].data = [token.0, step, 0];
        self.units[gone].kind = 0;
        self.keys[index] = NO_RULE;
        self.keys[gone] = NO_RULE;
        let (has_before, has_after) = (index > 0, after < self.len);
        // At an end of the run, one of the two is looked up twice.
        let left = if has_before { self.before[index] % SHORT_RUN } else { index };
        let right = if has_after { index } else { left };
        self.changed = [left, right];
        self.homes = self.changed.map(|left| pairs.prefetch(self.pair_at(left)));
        has_before | has_after
    }

    /// Looks up the pairs that the last rule made.
    #[inline(always)]
    fn look_up(&mut self, pairs: PairTableView<'_>) {
        for (left, home) in self.changed.into_iter().zip(self.homes) {
            let [one, other] = self.unit_and_next(left);
            let (join, is_found) = pairs.probe(home, self.pair_at(left));
            let join = join.or_never(is_found);
            self.joins[left] = join;
            self.keys[left] = key(join.step, left);
            self.is_usual &= join.step > one.opened_at().max(other.opened_at());
        }
    }

    /// Returns a unit and the next.
    #[inline(always)]
    fn unit_and_next(&self, left: usize) -> [PretokenEncoding; 2] {
        let left = left % SHORT_RUN;
        [left, self.next[left] % SHORT_RUN].map(|index| self.units[index])
    }

    /// Returns the tokens of a unit and the next.
    #[inline(always)]
    fn pair_at(&self, left: usize) -> EncoderPair {
        let [left, right] = self.unit_and_next(left).map(PretokenEncoding::first_token);
        EncoderPair { left, right }
    }
}

/// Applies all supermerges to runs.
#[inline(always)]
pub(crate) fn merge_in_turns(runs: &mut [ShortRun], pairs: PairTableView<'_>) {
    let mut unfinished: [usize; RUNS] = std::array::from_fn(|index| index);
    let mut count = runs.len().min(RUNS);
    while count > 0 {
        let mut left = 0;
        for entry in 0..count {
            let index = unfinished[entry];
            let has_more = runs[index].apply_next(pairs);
            unfinished[left] = index;
            left += usize::from(has_more);
        }
        count = left;
        for &index in &unfinished[..count] {
            runs[index].look_up(pairs);
        }
    }
}

#[inline(always)]
fn key(step: u32, index: usize) -> u64 {
    u64::from(step) << 32 | index as u64
}
