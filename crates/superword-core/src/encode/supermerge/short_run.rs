//! Supermerges on short runs of open units.
//!
//! Which rule of a run comes first is hard to predict, so no branch depends on it. The runs of a group
//! take turns: a turn applies one rule, which leaves a run that is a unit shorter, and prefetches the
//! lines of the pairs that the new unit is in. The longest runs come first, so that all runs of a length
//! have their turns together. The units that are left of a run come first, and the others are empty.

use std::hint::select_unpredictable;

use crate::encode::numbering::EncoderPair;
use crate::encode::pretoken::encoding::PretokenEncoding;
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::supermerge::pair_table::{PairJoin, PairTableView};

/// The most units of a short run.
pub(crate) const SHORT_RUN: usize = 6;

/// A run that a rule has made a unit shorter.
#[derive(Clone, Copy, Default)]
pub(crate) struct ShortenedRun {
    /// The index of its first unit in the group.
    pub(crate) first: u32,
    /// The index in the run of the unit that the rule made.
    pub(crate) joined: u32,
}

/// What became of a run.
#[derive(Default)]
pub(crate) struct Applied {
    /// Whether there was a rule to apply.
    pub(crate) is_shortened: bool,
    /// The index in the run of the unit that it made.
    pub(crate) joined: usize,
}

/// Applies the first of the rules that join each of `LEN` units with the next. The last join is unused.
///
/// Returns `None`, and changes nothing, if a first rule that joins two units does not come after both
/// were opened: then a later rule may join them.
#[inline(always)]
pub(crate) fn apply_first<const LEN: usize>(
    units: &mut [PretokenEncoding; LEN],
    joins: &mut [PairJoin; LEN],
) -> Option<Applied> {
    const { assert!(2 <= LEN && LEN <= SHORT_RUN) };
    let mut is_usual = true;
    for (join, pair) in joins.iter().zip(units.windows(2)) {
        is_usual &= join.step > pair[0].opened_at().max(pair[1].opened_at());
    }
    if !is_usual {
        return None;
    }
    let (mut first, mut joined) = (joins[0], 0);
    for (index, join) in joins.iter().enumerate().take(LEN - 1).skip(1) {
        let is_earlier = join.step < first.step;
        first.step = select_unpredictable(is_earlier, join.step, first.step);
        first.token = select_unpredictable(is_earlier, join.token, first.token);
        joined = select_unpredictable(is_earlier, index, joined);
    }
    let is_shortened = first.step != NEVER;
    let unit = &mut units[joined.min(LEN - 2)];
    let [token, opened_at] = [unit.first_token().0, unit.opened_at()];
    unit.data[0] = select_unpredictable(is_shortened, first.token.0, token);
    unit.data[1] = select_unpredictable(is_shortened, first.step, opened_at);
    // What is after the unit moves forward.
    let moved_after = select_unpredictable(is_shortened, joined, LEN);
    for index in 1..LEN - 1 {
        units[index] = units[index + usize::from(moved_after < index)];
    }
    for index in 1..LEN.max(3) - 2 {
        joins[index] = joins[index + usize::from(moved_after < index)];
    }
    units[LEN - 1].kind = select_unpredictable(is_shortened, 0, units[LEN - 1].kind);
    Some(Applied { is_shortened, joined })
}

/// Finds the first rules that join a unit with its neighbours.
#[inline(always)]
pub(crate) fn find_new_joins<const LEN: usize>(
    units: &[PretokenEncoding; LEN],
    joins: &mut [PairJoin; LEN],
    unit: usize,
    pairs: PairTableView<'_>,
) {
    for index in pairs_of(unit, LEN) {
        joins[index] = pairs.find_first(pair_at(units, index));
    }
}

/// Returns the indices of the two pairs that a unit has with its neighbours in a run of `len` units. They
/// are the same for a unit at an end.
#[inline(always)]
pub(crate) fn pairs_of(unit: usize, len: usize) -> [usize; 2] {
    [unit.clamp(1, len - 1) - 1, unit.min(len - 2)]
}

/// Returns the tokens of an open unit and the next.
#[inline(always)]
pub(crate) fn pair_at(units: &[PretokenEncoding], index: usize) -> EncoderPair {
    EncoderPair { left: units[index].first_token(), right: units[index + 1].first_token() }
}

#[cfg(test)]
mod tests {
    use std::array;

    use super::*;
    use crate::encode::numbering::EncoderToken;
    use crate::encode::supermerge::pair_table::{JoinRule, PairTable};
    use crate::encode::supermerge::table::{BoundarySides, OpenUnit};

    /// A unit of a short run.
    #[derive(Clone, Copy, Debug)]
    struct RunUnit {
        token: EncoderToken,
        opened_at: u32,
    }

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

    /// Applies a rule to the first `LEN` units. Returns `None` if they are no usual run.
    fn apply<const LEN: usize>(
        units: &mut [PretokenEncoding],
        joins: &mut [PairJoin],
        last: Option<usize>,
        pairs: &PairTable,
    ) -> Option<Applied> {
        let units: &mut [_; LEN] = units.first_chunk_mut().expect("the units");
        let joins = joins.first_chunk_mut().expect("the joins");
        if let Some(last) = last {
            find_new_joins(units, joins, last, pairs.view());
        }
        apply_first(units, joins)
    }

    /// Applies rules to a run as long as there are any. Returns whether it remained a usual one.
    fn merge(units: &mut [PretokenEncoding], joins: &mut [PairJoin], pairs: &PairTable) -> bool {
        let mut last = None;
        for len in (2..=units.len()).rev() {
            let applied = match len {
                2 => apply::<2>(units, joins, last, pairs),
                3 => apply::<3>(units, joins, last, pairs),
                4 => apply::<4>(units, joins, last, pairs),
                5 => apply::<5>(units, joins, last, pairs),
                _ => apply::<6>(units, joins, last, pairs),
            };
            match applied {
                Some(Applied { is_shortened: true, joined }) => last = Some(joined),
                applied => return applied.is_some(),
            }
        }
        true
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
        let mut after = units.map(|RunUnit { token, opened_at }| {
            let unit = OpenUnit { token, opened_at, reopened: 0 };
            PretokenEncoding::from_open(unit, BoundarySides::NONE)
        });
        let mut joins = [PairJoin::NONE; LEN];
        for (index, join) in joins.iter_mut().take(LEN - 1).enumerate() {
            *join = pairs.view().find_first(pair_at(&after, index));
        }
        let is_usual = merge(&mut after, &mut joins, &pairs);
        let left = after.iter().filter(|unit| unit.count() > 0);
        let left: Vec<RunUnit> = left
            .map(|unit| RunUnit { token: unit.first_token(), opened_at: unit.opened_at() })
            .collect();
        let merged = merge_naively(units.to_vec(), &pairs);
        if is_usual {
            let tokens: Vec<u32> = left.iter().map(|unit| unit.token.0).collect();
            assert_eq!(tokens, merged, "{units:?}");
        } else {
            // Whatever was applied came first, and its results can be merged on.
            assert_eq!(merge_naively(left, &pairs), merged, "{units:?}");
        }
        is_usual
    }

    #[test]
    fn short_runs_are_merged_rule_by_rule_or_left_to_be_merged_on() {
        let mut choices = Choices(1);
        let mut usual = 0;
        for _ in 0..20_000 {
            usual += usize::from(check::<2>(&mut choices));
            usual += usize::from(check::<3>(&mut choices));
            usual += usize::from(check::<4>(&mut choices));
            usual += usize::from(check::<5>(&mut choices));
            usual += usize::from(check::<6>(&mut choices));
        }
        assert!((10_000..90_000).contains(&usual), "{usual} of 100,000");
    }
}
