//! What supermerges make of open pretokens side by side.

use crate::encode::ids::Numbers;
use crate::encode::pretoken::merger::Life;
use crate::encode::pretoken::rule_replay::{NEVER, Row, Rules};
use crate::encode::supermerge::boundaries::{Joining, boundaries};
use crate::encode::supermerge::pair_table::{Join, Joins};
use crate::model::{Model, Rule};

/// An open unit: a pretoken that is one token for some time, or a superword.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) token: u32,
    /// After when it may be joined; [`NEVER`] for a fickle one.
    pub(crate) from: u32,
    /// The number of a fickle pretoken, zero for all others.
    pub(crate) fickle: u32,
}

/// A row of them.
pub(crate) type Units = Row<Unit>;

/// An open unit in a run, and the first rule that joins it with the one before.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) unit: Unit,
    pub(crate) join: Join,
}

/// Up to this many units, looking at all of them finds the next rule fastest.
pub(crate) const SHORT: usize = 32;

/// A pretoken that is one token for some time, but not for good.
pub(crate) struct Fickle {
    pub(crate) lives: Vec<Life>,
    /// What it ends as.
    pub(crate) tokens: Box<[u32]>,
}

/// The rules that join open units.
pub(crate) struct Phrases {
    /// The supermerges, and all boundaries: the pairs of pretokens that stand side by side in some
    /// superword.
    joins: Joins,
    /// Whether there are too many boundaries to list, so that any pair may be one.
    is_boundless: bool,
    /// By token: whether a boundary comes after it as a pretoken, and whether before it.
    ends: Vec<bool>,
    begins: Vec<bool>,
    /// The fickle pretokens; the first is none.
    fickle: Vec<Fickle>,
}

impl Phrases {
    /// The rules of a model.
    pub(crate) fn new(model: &Model, numbers: &Numbers) -> Phrases {
        let supermerges = (1..).zip(model.rules()).filter_map(|(time, rule)| match rule {
            &Rule::Supermerge { left, right, token, .. } => {
                let [left, right, token] = [left, right, token].map(|token| numbers.of(token));
                Some((left, right, Join { time, token }))
            }
            _ => None,
        });
        let supermerges: Vec<Joining> = supermerges.collect();
        let mut is_pretoken = vec![false; model.token_count()];
        for byte in 0..=u8::MAX {
            is_pretoken[numbers.of(byte.into()) as usize] = true;
        }
        let mut lengths = vec![1; model.token_count()];
        for rule in model.rules() {
            let token = numbers.of(rule.token()) as usize;
            lengths[token] = model.token(rule.token()).len() as u32;
            is_pretoken[token] |= matches!(rule, Rule::Merge { .. });
        }
        let boundaries = boundaries(&is_pretoken, &lengths, &supermerges);
        let is_boundless = boundaries.is_none();
        let boundaries = boundaries.unwrap_or_default();
        let joins = Joins::new(&supermerges, boundaries.iter().copied());
        let mut ends = vec![is_boundless; model.token_count()];
        let mut begins = ends.clone();
        for (left, right) in boundaries {
            ends[left as usize] = true;
            begins[right as usize] = true;
        }
        let nobody = Fickle { lives: Vec::new(), tokens: Box::default() };
        Phrases { joins, is_boundless, ends, begins, fickle: vec![nobody] }
    }

    /// Adds a fickle pretoken, and gives its number.
    pub(crate) fn add(&mut self, fickle: Fickle) -> u32 {
        self.fickle.push(fickle);
        self.fickle.len() as u32 - 1
    }

    /// The fickle pretoken with a number.
    pub(crate) fn fickle(&self, number: u32) -> &Fickle {
        &self.fickle[number as usize]
    }

    /// Whether a boundary may come after a token that is a pretoken, and whether before it.
    pub(crate) fn sides(&self, token: u32) -> (bool, bool) {
        (self.ends[token as usize], self.begins[token as usize])
    }

    /// Where to look for two pretokens. Asks for the memory of that place.
    #[inline]
    pub(crate) fn ask(&self, left: u32, right: u32) -> usize {
        self.joins.ask(left, right)
    }

    /// The first rule that joins two pretokens, and whether they may come to stand in one token.
    #[inline]
    pub(crate) fn boundary(&self, place: usize, left: u32, right: u32) -> (Join, bool) {
        let (join, is_boundary) = self.joins.get_at(place, left, right);
        if !is_boundary & self.is_boundless {
            return (Join { time: NEVER, token: 0 }, true);
        }
        (join, is_boundary)
    }

    /// The first rule that joins two tokens.
    #[inline]
    pub(crate) fn first_join(&self, left: u32, right: u32) -> Join {
        self.joins.get(left, right).unwrap_or(Join { time: NEVER, token: 0 })
    }

    /// Performs all supermerges in a short run: what a row does, without its bookkeeping.
    pub(crate) fn run(&self, units: &mut Vec<Waiting>) {
        for place in 1..units.len() {
            let (left, right) = (units[place - 1].unit, units[place].unit);
            let join = &mut units[place].join;
            let is_usual = left.fickle | right.fickle == 0 && join.time > left.from.max(right.from);
            if !is_usual {
                *join = self.join_of(left, right);
            }
        }
        while let Some(place) = earliest(units) {
            let Join { time, token } = units[place].join;
            for later in place + 1..units.len() {
                units[later - 1] = units[later];
            }
            units.truncate(units.len() - 1);
            units[place - 1].unit = Unit { token, from: time, fickle: 0 };
            for place in (place - 1).max(1)..(place + 1).min(units.len()) {
                units[place].join = self.join_of(units[place - 1].unit, units[place].unit);
            }
        }
    }

    /// The first rule that joins two units at a time when both live.
    #[inline]
    fn join_of(&self, left: Unit, right: Unit) -> Join {
        let suits = |time| self.lives(left, time) && self.lives(right, time);
        self.joins.find(left.token, right.token, suits).unwrap_or(Join { time: NEVER, token: 0 })
    }

    fn lives(&self, unit: Unit, time: u32) -> bool {
        if unit.fickle == 0 {
            return time > unit.from;
        }
        let lives = &self.fickle(unit.fickle).lives;
        lives.iter().any(|&(from, to)| from < time && time < to)
    }
}

impl Rules for Phrases {
    type Item = Unit;

    #[inline]
    fn join(&self, left: Unit, right: Unit) -> Option<(u32, Unit)> {
        let Join { time, token } = self.join_of(left, right);
        (time != NEVER).then_some((time, Unit { token, from: time, fickle: 0 }))
    }
}

/// The place, after the first, of the unit that is joined first with the one before.
#[inline]
fn earliest(units: &[Waiting]) -> Option<usize> {
    let mut found = (NEVER, 0);
    for (place, waiting) in units.iter().enumerate().skip(1) {
        if waiting.join.time < found.0 {
            found = (waiting.join.time, place);
        }
    }
    (found.0 != NEVER).then_some(found.1)
}
