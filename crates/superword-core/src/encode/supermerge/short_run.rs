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

/// A unit of a run, none of them reopened.
#[derive(Clone, Copy)]
struct RunUnit {
    token: EncoderToken,
    opened_at: u32,
}

/// The result of supermerges on a run of `LEN` units.
struct RunMerge<const LEN: usize> {
    /// The tokens of the units that are left, then anything.
    tokens: [EncoderToken; LEN],
    count: usize,
    /// Whether the last step applied a rule.
    has_more: bool,
    /// Whether each first rule that joins two units comes after both were opened. If not, a later rule
    /// may join them, and the result may be wrong.
    is_usual: bool,
}

impl<const LEN: usize> RunMerge<LEN> {
    /// Applies the first of the rules that join neighbours, if there is one. Returns the units after it.
    #[inline(always)]
    fn apply_first<const BEFORE: usize, const AFTER: usize>(
        &mut self,
        units: [RunUnit; BEFORE],
        joins: [PairJoin; AFTER],
    ) -> [RunUnit; AFTER] {
        const { assert!(AFTER + 1 == BEFORE) };
        for (join, pair) in joins.iter().zip(units.windows(2)) {
            let opened_at = pair[0].opened_at.max(pair[1].opened_at);
            self.is_usual &= (join.step > opened_at) | !self.has_more;
        }
        let (mut first, mut at) = (joins[0], 0);
        for (index, join) in joins.iter().enumerate().skip(1) {
            let is_earlier = join.step < first.step;
            first.step = select_unpredictable(is_earlier, join.step, first.step);
            first.token.0 = select_unpredictable(is_earlier, join.token.0, first.token.0);
            at = select_unpredictable(is_earlier, index, at);
        }
        self.has_more &= first.step != NEVER;
        let joined = RunUnit { token: first.token, opened_at: first.step };
        let after = array::from_fn(|index| {
            let other = select(index < at, units[index], units[index + 1]);
            select(index == at, joined, other)
        });
        for (token, unit) in self.tokens.iter_mut().zip(&after) {
            token.0 = select_unpredictable(self.has_more, unit.token.0, token.0);
        }
        self.count -= usize::from(self.has_more);
        after
    }
}

/// Returns one of two units without a branch.
#[inline(always)]
fn select(is_first: bool, first: RunUnit, second: RunUnit) -> RunUnit {
    RunUnit {
        token: EncoderToken(select_unpredictable(is_first, first.token.0, second.token.0)),
        opened_at: select_unpredictable(is_first, first.opened_at, second.opened_at),
    }
}

/// Finds the first rules that join neighbours.
#[inline(always)]
fn find_joins<const UNITS: usize, const JOINS: usize>(
    units: &[RunUnit; UNITS],
    pairs: PairTableView<'_>,
) -> [PairJoin; JOINS] {
    let mut joins = [PairJoin::NONE; JOINS];
    for (join, pair) in joins.iter_mut().zip(units.windows(2)) {
        *join = pairs.find_first(EncoderPair { left: pair[0].token, right: pair[1].token });
    }
    joins
}

/// Applies all supermerges to a run of units, given the first rules that join neighbours.
///
/// The units that are left come first, the others are empty. Returns `false`, and changes nothing, if the
/// run is unusual.
#[inline(always)]
pub(crate) fn merge_short_run<const LEN: usize>(
    encodings: &mut [PretokenEncoding; LEN],
    joins: &[PairJoin; LEN],
    pairs: PairTableView<'_>,
) -> bool {
    const { assert!(3 < LEN && LEN < 7) };
    let units = encodings
        .map(|encoding| RunUnit { token: encoding.first_token(), opened_at: encoding.opened_at() });
    let tokens = units.map(|unit| unit.token);
    let mut merge = RunMerge { tokens, count: LEN, has_more: true, is_usual: true };
    let (units, joins) = (&units[..], &joins[..LEN - 1]);
    let mut four = [units[0]; 4];
    let mut joins_of_four = [joins[0]; 3];
    if LEN == 4 {
        four.copy_from_slice(units);
        joins_of_four.copy_from_slice(joins);
    } else {
        let mut five = [units[0]; 5];
        let mut joins_of_five = [joins[0]; 4];
        if LEN == 5 {
            five.copy_from_slice(units);
            joins_of_five.copy_from_slice(joins);
        } else {
            let six: [RunUnit; 6] = array::from_fn(|index| units[index]);
            five = merge.apply_first(six, array::from_fn::<_, 5, _>(|index| joins[index]));
            joins_of_five = find_joins(&five, pairs);
        }
        four = merge.apply_first(five, joins_of_five);
        joins_of_four = find_joins(&four, pairs);
    }
    let three = merge.apply_first(four, joins_of_four);
    let two: [RunUnit; 2] = merge.apply_first(three, find_joins(&three, pairs));
    let _: [RunUnit; 1] = merge.apply_first(two, find_joins(&two, pairs));
    if merge.is_usual {
        for (index, encoding) in encodings.iter_mut().enumerate() {
            encoding.data[0] = merge.tokens[index].0;
            encoding.kind = u32::from(index < merge.count);
        }
    }
    merge.is_usual
}
