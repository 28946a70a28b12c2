//! Supermerges on short runs of open units.
//!
//! Which rule of a run comes first is hard to predict, so no branch depends on it: as many rules are
//! applied as there can be, and the results of those that do not exist are dropped. Then the processor
//! works on several runs at once, and waits for the memory of all of them.

use std::array;
use std::hint::select_unpredictable;

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::supermerge::pair_table::{PairJoin, PairTableView};

/// The most units of a short run.
pub(crate) const SHORT_RUN: usize = 6;

/// Applies all supermerges to a run of `LEN` units, given the first rules that join each unit with the
/// next.
///
/// The units that are left come first, and the others are empty. Returns `false`, and changes nothing,
/// if a first rule that joins two units does not come after both were opened: then a later rule may join
/// them.
#[inline(always)]
pub(crate) fn merge_short_run<const LEN: usize>(
    encodings: &mut [PretokenEncoding; LEN],
    joins: &[PairJoin; LEN],
    pairs: PairTableView<'_>,
) -> bool {
    const { assert!(3 <= LEN && LEN <= SHORT_RUN) };
    let units = encodings
        .map(|encoding| RunUnit { token: encoding.first_token(), opened_at: encoding.opened_at() });
    let tokens = units.map(|unit| unit.token);
    let mut run = ShortRun { tokens, count: LEN, has_more: true, is_usual: true, pairs };
    match LEN {
        3 => run.merge_three(first(&units), first(joins)),
        4 => run.merge_four(first(&units), first(joins)),
        5 => run.merge_five(first(&units), first(joins)),
        _ => run.merge_six(first(&units), first(joins)),
    }
    if run.is_usual {
        for (index, encoding) in encodings.iter_mut().enumerate() {
            encoding.data[0] = run.tokens[index].0;
            encoding.kind = u32::from(index < run.count);
        }
    }
    run.is_usual
}

/// Returns the first items, of which there are enough.
#[inline(always)]
fn first<T: Copy, const COUNT: usize>(items: &[T]) -> [T; COUNT] {
    *items.first_chunk().expect("as many items")
}

/// A unit of a short run.
#[derive(Clone, Copy, Debug)]
struct RunUnit {
    token: EncoderToken,
    opened_at: u32,
}

/// What became of a run of `LEN` units.
struct ShortRun<'t, const LEN: usize> {
    /// The tokens of the units that are left, then anything.
    tokens: [EncoderToken; LEN],
    /// The number of units that are left.
    count: usize,
    /// Whether there was a rule to apply the last time.
    has_more: bool,
    /// Whether each first rule that joins two units comes after both were opened.
    is_usual: bool,
    pairs: PairTableView<'t>,
}

impl<const LEN: usize> ShortRun<'_, LEN> {
    #[inline(always)]
    fn merge_six(&mut self, units: [RunUnit; 6], joins: [PairJoin; 5]) {
        let left = self.apply_first(units, joins);
        self.merge_five(left, self.find_joins(&left));
    }

    #[inline(always)]
    fn merge_five(&mut self, units: [RunUnit; 5], joins: [PairJoin; 4]) {
        let left = self.apply_first(units, joins);
        self.merge_four(left, self.find_joins(&left));
    }

    #[inline(always)]
    fn merge_four(&mut self, units: [RunUnit; 4], joins: [PairJoin; 3]) {
        let left = self.apply_first(units, joins);
        self.merge_three(left, self.find_joins(&left));
    }

    #[inline(always)]
    fn merge_three(&mut self, units: [RunUnit; 3], joins: [PairJoin; 2]) {
        let left = self.apply_first(units, joins);
        let [_] = self.apply_first(left, self.find_joins(&left));
    }

    /// Applies the first of the rules that join each unit with the next, and returns the units that are
    /// left. Without a rule, these are of no use, and no result depends on them.
    #[inline(always)]
    fn apply_first<const BEFORE: usize, const AFTER: usize>(
        &mut self,
        units: [RunUnit; BEFORE],
        joins: [PairJoin; AFTER],
    ) -> [RunUnit; AFTER] {
        const { assert!(AFTER + 1 == BEFORE) };
        for (join, pair) in joins.iter().zip(units.windows(2)) {
            let opened_at = pair[0].opened_at.max(pair[1].opened_at);
            self.is_usual &= join.step > opened_at || !self.has_more;
        }
        let (mut earliest, mut at) = (joins[0], 0);
        for (index, join) in joins.iter().enumerate().skip(1) {
            let is_earlier = join.step < earliest.step;
            earliest.step = select_unpredictable(is_earlier, join.step, earliest.step);
            earliest.token = select_unpredictable(is_earlier, join.token, earliest.token);
            at = select_unpredictable(is_earlier, index, at);
        }
        self.has_more &= earliest.step != NEVER;
        let joined = RunUnit { token: earliest.token, opened_at: earliest.step };
        let left = array::from_fn(|index| {
            let other = select(index < at, units[index], units[index + 1]);
            select(index == at, joined, other)
        });
        for (token, unit) in self.tokens.iter_mut().zip(&left) {
            *token = select_unpredictable(self.has_more, unit.token, *token);
        }
        self.count -= usize::from(self.has_more);
        left
    }

    /// Finds the first rules that join each unit with the next.
    #[inline(always)]
    fn find_joins<const UNITS: usize, const JOINS: usize>(
        &self,
        units: &[RunUnit; UNITS],
    ) -> [PairJoin; JOINS] {
        let mut joins = [PairJoin::NONE; JOINS];
        for (join, pair) in joins.iter_mut().zip(units.windows(2)) {
            let [left, right] = [pair[0].token, pair[1].token];
            *join = self.pairs.find_first(EncoderPair { left, right });
        }
        joins
    }
}

/// Returns one of two units.
#[inline(always)]
fn select(is_first: bool, first: RunUnit, second: RunUnit) -> RunUnit {
    RunUnit {
        token: select_unpredictable(is_first, first.token, second.token),
        opened_at: select_unpredictable(is_first, first.opened_at, second.opened_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::supermerge::pair_table::{JoinRule, PairTable};
    use crate::encode::supermerge::table::{BoundarySides, OpenUnit};

    /// Invents numbers below a limit.
    struct Choices(u64);

    impl Choices {
        fn below(&mut self, limit: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as u32 % limit
        }
    }

    /// Applies the first rule that joins neighbours after both were opened, the leftmost of equal ones,
    /// until there is none.
    fn merge_naively(mut units: Vec<RunUnit>, pairs: &PairTable) -> Vec<u32> {
        loop {
            let joins = units.windows(2).enumerate().filter_map(|(index, pair)| {
                let opened_at = pair[0].opened_at.max(pair[1].opened_at);
                let pair = EncoderPair { left: pair[0].token, right: pair[1].token };
                pairs.find(pair, |step| step > opened_at).map(|join| (join.step, index, join.token))
            });
            let Some((step, index, token)) = joins.min_by_key(|&(step, ..)| step) else {
                return units.iter().map(|unit| unit.token.0).collect();
            };
            units[index] = RunUnit { token, opened_at: step };
            units.remove(index + 1);
        }
    }

    /// Returns whether the run was a usual one.
    fn check<const LEN: usize>(choices: &mut Choices) -> bool {
        let rules = (1..2 + choices.below(40)).map(|step| {
            let [left, right, token] = [5, 5, 9].map(|limit| EncoderToken(choices.below(limit)));
            JoinRule { pair: EncoderPair { left, right }, join: PairJoin { step, token } }
        });
        let pairs = PairTable::new(&rules.collect::<Vec<_>>(), &[]);
        let units: [RunUnit; LEN] = array::from_fn(|_| {
            let opened_at = [0, 0, 0, 0, 0, 0, choices.below(8), NEVER][choices.below(8) as usize];
            RunUnit { token: EncoderToken(choices.below(5)), opened_at }
        });
        let encoding = |RunUnit { token, opened_at }| {
            let unit = OpenUnit { token, opened_at, reopened: 0 };
            PretokenEncoding::from_open(unit, BoundarySides::NONE)
        };
        let before = units.map(encoding);
        let mut after = before;
        let mut joins = [PairJoin::NONE; LEN];
        for (join, pair) in joins.iter_mut().zip(units.windows(2)) {
            let pair = EncoderPair { left: pair[0].token, right: pair[1].token };
            *join = pairs.view().find_first(pair);
        }
        let is_usual = merge_short_run(&mut after, &joins, pairs.view());
        if is_usual {
            let left = after.iter().filter(|unit| unit.count() > 0);
            let tokens: Vec<u32> = left.map(|unit| unit.data[0]).collect();
            assert_eq!(tokens, merge_naively(units.to_vec(), &pairs), "{units:?}");
        } else {
            assert_eq!(after.map(PretokenEncoding::words), before.map(PretokenEncoding::words));
        }
        is_usual
    }

    #[test]
    fn short_runs_are_merged_rule_by_rule_or_left_as_they_are() {
        let mut choices = Choices(1);
        let mut usual = 0;
        for _ in 0..20_000 {
            usual += usize::from(check::<3>(&mut choices));
            usual += usize::from(check::<4>(&mut choices));
            usual += usize::from(check::<5>(&mut choices));
            usual += usize::from(check::<6>(&mut choices));
        }
        assert!((10_000..70_000).contains(&usual), "{usual} of 80,000");
    }
}
