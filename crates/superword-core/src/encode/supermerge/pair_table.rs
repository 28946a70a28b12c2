//! Rules that join two tokens, by the tokens.

use crate::encode::pretoken::rule_replay::NEVER;
use crate::platform::cpu::prefetch;
use crate::platform::hash::{FastMap, fold, secret};
use crate::platform::huge_pages;

/// When the two tokens are joined first, and the token that they become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Join {
    /// [`NEVER`] if no rule joins them, and yet they may come to stand in one token.
    pub(crate) time: u32,
    pub(crate) token: u32,
}

/// How many pairs a line of memory holds. Half of them are in use.
const LINE: usize = 4;

/// No pair: no token has this number.
const NOBODY: u64 = u64::MAX;

/// Pairs that the processor fetches together.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    pairs: [u64; LINE],
    joins: [Join; LINE],
}

const EMPTY: Line = Line { pairs: [NOBODY; LINE], joins: [Join { time: 0, token: 0 }; LINE] };

/// Pairs of tokens, and how they are joined: a hash table of lines.
pub(crate) struct Joins {
    lines: Vec<Line>,
    /// All times of pairs that are joined by more than one rule, ascending.
    again: FastMap<u64, Vec<u32>>,
}

impl Joins {
    /// The rules given, in order; then pairs that no rule joins.
    pub(crate) fn new(
        rules: &[(u32, u32, Join)],
        others: impl IntoIterator<Item = (u32, u32)>,
    ) -> Joins {
        let others =
            others.into_iter().map(|(left, right)| (left, right, Join { time: NEVER, token: 0 }));
        let all: Vec<_> = rules.iter().copied().chain(others).collect();
        let lines = huge_pages::filled(EMPTY, all.len() / 2 + 1);
        let mut joins = Joins { lines, again: FastMap::default() };
        for (left, right, join) in all {
            joins.add(left, right, join);
        }
        joins
    }

    fn add(&mut self, left: u32, right: u32, join: Join) {
        let pair = key(left, right);
        let mut place = self.place(left, right);
        loop {
            let line = &mut self.lines[place];
            for (there, first) in line.pairs.iter_mut().zip(&mut line.joins) {
                if *there == NOBODY {
                    (*there, *first) = (pair, join);
                    return;
                }
                if *there == pair {
                    if join.time != NEVER {
                        let times = self.again.entry(pair).or_insert_with(|| vec![first.time]);
                        times.push(join.time);
                    }
                    return;
                }
            }
            place = self.after(place);
        }
    }

    /// Where two tokens belong. Asks for the memory of that place.
    #[inline]
    pub(crate) fn ask(&self, left: u32, right: u32) -> usize {
        let place = self.place(left, right);
        prefetch(&self.lines[place]);
        place
    }

    /// The first rule that joins two tokens, given where they belong, and whether they are there.
    #[inline]
    pub(crate) fn get_at(&self, place: usize, left: u32, right: u32) -> (Join, bool) {
        let pair = key(left, right);
        let line = &self.lines[place];
        let mut found = 0;
        for (at, &other) in line.pairs.iter().enumerate() {
            found |= u32::from(other == pair) << at;
        }
        // One condition, which hardly ever holds: whether a pair is there is often guessed wrong.
        let has_room = u32::from(line.pairs[LINE - 1] == NOBODY);
        if found | has_room == 0 {
            return self.get_after(place, pair);
        }
        (line.joins[found.trailing_zeros() as usize % LINE], found != 0)
    }

    #[cold]
    fn get_after(&self, place: usize, pair: u64) -> (Join, bool) {
        let mut place = place;
        loop {
            place = self.after(place);
            let line = &self.lines[place];
            if let Some(index) = line.pairs.iter().position(|&other| other == pair) {
                return (line.joins[index], true);
            }
            if line.pairs[LINE - 1] == NOBODY {
                return (Join::default(), false);
            }
        }
    }

    /// The first rule that joins two tokens.
    #[inline]
    pub(crate) fn get(&self, left: u32, right: u32) -> Option<Join> {
        let (join, is_there) = self.get_at(self.place(left, right), left, right);
        is_there.then_some(join)
    }

    /// The first rule that joins two tokens at a time that suits.
    #[inline]
    pub(crate) fn find(&self, left: u32, right: u32, suits: impl Fn(u32) -> bool) -> Option<Join> {
        let first = self.get(left, right).filter(|join| join.time != NEVER)?;
        if suits(first.time) { Some(first) } else { self.find_again(left, right, first, suits) }
    }

    #[cold]
    fn find_again(
        &self,
        left: u32,
        right: u32,
        first: Join,
        suits: impl Fn(u32) -> bool,
    ) -> Option<Join> {
        let times = self.again.get(&key(left, right))?;
        let time = times.iter().copied().find(|&time| suits(time))?;
        Some(Join { time, ..first })
    }

    /// Where two tokens belong.
    #[inline]
    pub(crate) fn place(&self, left: u32, right: u32) -> usize {
        let hash = fold(key(left, right) ^ secret(), 0x9E37_79B9_7F4A_7C15);
        (((hash >> 32) * self.lines.len() as u64) >> 32) as usize
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.lines.len() { 0 } else { place + 1 }
    }
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
