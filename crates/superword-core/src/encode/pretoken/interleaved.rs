//! Short pretokens, on which the rules are performed as on a [`Row`](crate::encode::pretoken::rule_replay::Row), without its
//! bookkeeping.
//!
//! A pretoken that is met for the first time asks for one rule after the other, and each time waits
//! for memory. So several take turns: while one waits, the others go on. For the same reason little
//! depends on a guess: where there is no neighbour, there is one that no rule joins.

use crate::encode::pipeline::bits::bits;
use crate::encode::pretoken::merge_index::Place;
use crate::encode::pretoken::merger::{Words, deletion_after};
use crate::encode::pretoken::rule_replay::NEVER;

/// Up to this many bytes, looking at all tokens finds the next rule fastest.
const SHORT: usize = 255;

/// The place where there is no token, before the first and after the last.
const NOWHERE: u8 = 255;

/// How many places there are.
const PLACES: usize = SHORT + 1;

/// How many events are compared at once.
const LANES: usize = 16;

/// No event. It comes after all events.
const NOTHING: i32 = i32::MAX;

/// As many rules can be told apart in an event.
const RULES: usize = NOTHING as usize / PLACES;

/// How many short pretokens take turns.
pub(crate) const SHORTS: usize = 32;

impl Words {
    /// Whether rules are performed on a pretoken as on a short one.
    pub(crate) fn is_short(&self, pretoken: &[u8]) -> bool {
        pretoken.len() <= SHORT && self.merges.end() <= RULES
    }

    /// Performs all rules on the short ones of some pretokens. Each step is a loop of its own, so
    /// that what one writes is in memory when the next reads it, more at once.
    #[inline(always)]
    pub(crate) fn take_turns<'t>(
        &self,
        shorts: &mut [Short],
        pretokens: impl Iterator<Item = &'t [u8]>,
    ) {
        let shorts: &mut [Short; SHORTS] = shorts.try_into().expect("room for all");
        let mut active = 0;
        for (index, (short, pretoken)) in shorts.iter_mut().zip(pretokens).enumerate() {
            if self.is_short(pretoken) {
                short.start(self, pretoken);
                active |= 1 << index;
            }
        }
        loop {
            for index in bits(active) {
                let goes_on = shorts[index % SHORTS].look_ahead(self);
                active &= !(u64::from(!goes_on) << index);
            }
            if active == 0 {
                break;
            }
            let mut changed = 0;
            for index in bits(active) {
                changed |= u64::from(shorts[index % SHORTS].perform(self)) << index;
            }
            for index in bits(changed) {
                shorts[index % SHORTS].plan_changed(self);
            }
        }
    }
}

/// A short pretoken. A token stays where its first byte was.
pub(crate) struct Short {
    cells: [Cell; PLACES],
    /// For each, when it is split or joined with the next, whichever is first, or an earlier time;
    /// then its place.
    events: [i32; PLACES],
    /// Where the token before each is, and the one after it.
    before: [u8; PLACES],
    after: [u8; PLACES],
    /// How many places have events.
    size: usize,
    /// The time of the last rule.
    now: u32,
    /// What happens next.
    next: i32,
    /// Where to look for the pairs that the last rule has made.
    asked: [Place; 2],
}

/// A token in it.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Cell {
    token: u32,
    /// When it is split.
    split: u32,
}

/// Where there is no token.
const NOBODY: Cell = Cell { token: NEVER, split: NEVER };

/// The neighbours of places at first.
const BEFORE: [u8; PLACES] = neighbours(u8::MAX);
const AFTER: [u8; PLACES] = neighbours(1);

const fn neighbours(distance: u8) -> [u8; PLACES] {
    let mut neighbours = [0; PLACES];
    let mut place = 0;
    while place < PLACES {
        neighbours[place] = (place as u8).wrapping_add(distance);
        place += 1;
    }
    neighbours
}

impl Short {
    /// Room for one.
    pub(crate) const fn new() -> Short {
        Short {
            cells: [NOBODY; PLACES],
            events: [NOTHING; PLACES],
            before: BEFORE,
            after: AFTER,
            size: 0,
            now: 0,
            next: NOTHING,
            asked: [Place::ANY; 2],
        }
    }

    /// The tokens.
    #[inline(always)]
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> {
        let places = std::iter::successors(Some(0), |&place| {
            let after = self.after[usize::from(place)];
            (after != NOWHERE).then_some(after)
        });
        places.map(|place: u8| self.cells[usize::from(place)].token)
    }

    /// Takes a pretoken.
    #[inline(always)]
    fn start(&mut self, words: &Words, pretoken: &[u8]) {
        self.now = 0;
        self.size = pretoken.len().next_multiple_of(LANES);
        let neighbours =
            self.before.chunks_exact_mut(LANES).zip(self.after.chunks_exact_mut(LANES));
        let first = BEFORE.chunks_exact(LANES).zip(AFTER.chunks_exact(LANES));
        let events = self.events.chunks_exact_mut(LANES);
        for (((before, after), (first_before, first_after)), events) in
            neighbours.zip(first).zip(events).take(self.size / LANES)
        {
            before.copy_from_slice(first_before);
            after.copy_from_slice(first_after);
            events.fill(NOTHING);
        }
        self.after[pretoken.len() - 1] = NOWHERE;
        self.after[usize::from(NOWHERE)] = NOWHERE;
        for (cell, &byte) in self.cells.iter_mut().zip(pretoken) {
            *cell = Cell { token: words.bytes[usize::from(byte)], split: NEVER };
        }
        for (place, (pair, to)) in pretoken.windows(2).zip(&mut self.events).enumerate() {
            let time = words.byte_joins[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            *to = event(time, place);
        }
    }

    /// Finds out what happens next, and asks for its rule; says whether anything does.
    #[inline(always)]
    fn look_ahead(&mut self, words: &Words) -> bool {
        let (first, others) = self.events.split_at(LANES);
        let mut earliest: [i32; LANES] = first.try_into().expect("so many");
        for events in others[..self.size - LANES].chunks_exact(LANES) {
            earliest = std::array::from_fn(|lane| earliest[lane].min(events[lane]));
        }
        self.next = earliest.into_iter().fold(NOTHING, i32::min);
        let (time, _) = self.next();
        let happens = time < words.merges.never();
        if happens {
            words.merges.ask(time);
        }
        happens
    }

    /// When what happens next does, and where.
    #[inline(always)]
    fn next(&self) -> (u32, u8) {
        let next = self.next.cast_unsigned();
        (next / PLACES as u32, next as u8)
    }

    /// Performs the next rule; says whether it has made new pairs whose time is yet to be found.
    #[inline(always)]
    fn perform(&mut self, words: &Words) -> bool {
        let (time, place) = self.next();
        let (left, right) = self.pair(place);
        let Some(merge) = words.merges.get(time, left.token, right.token) else {
            self.look_closer(words);
            return false;
        };
        if time < self.now {
            self.look_closer(words);
            return false;
        }
        self.now = time;
        let next = usize::from(self.after[usize::from(place)]);
        self.events[next] = NOTHING;
        self.cells[usize::from(place)] = Cell { token: merge.token, split: merge.split };
        self.link(place, self.after[next]);
        let before = self.before[usize::from(place)];
        let [before, after] = [before, self.after[usize::from(place)]];
        let [before, after] = [before, after].map(|place| self.cells[usize::from(place)].token);
        self.asked =
            [words.merges.ask_pair(before, merge.token), words.merges.ask_pair(merge.token, after)];
        true
    }

    /// Finds out when the pairs are joined that the last rule has made.
    #[inline(always)]
    fn plan_changed(&mut self, words: &Words) {
        let (_, place) = self.next();
        let places = [self.before[usize::from(place)], place];
        for (place, asked) in places.into_iter().zip(self.asked) {
            let (left, right) = self.pair(place);
            let join = words.merges.earliest(asked, left.token, right.token);
            self.events[usize::from(place)] = event(left.split.min(join), place.into());
        }
    }

    /// Makes two places neighbours.
    #[inline(always)]
    fn link(&mut self, left: u8, right: u8) {
        self.after[usize::from(left)] = right;
        self.before[usize::from(right)] = left;
    }

    /// What is in a place, and in the next.
    #[inline(always)]
    fn pair(&self, place: u8) -> (Cell, Cell) {
        let next = self.after[usize::from(place)];
        (self.cells[usize::from(place)], self.cells[usize::from(next)])
    }

    /// When it turns out that no merge comes next: a token is split, or the time of a pair is past or
    /// another's.
    #[cold]
    fn look_closer(&mut self, words: &Words) {
        let (time, place) = self.next();
        if self.cells[usize::from(place)].split == time {
            self.now = time;
            self.split(words, place, time);
        } else {
            self.plan(words, place);
        }
    }

    /// Finds out when a token is split or joined with the next.
    fn plan(&mut self, words: &Words, place: u8) {
        let (left, right) = self.pair(place);
        let join = words.merges.when_exactly(left.token, right.token, self.now);
        let time = left.split.min(join).min(words.merges.never());
        self.events[usize::from(place)] = event(time, place.into());
    }

    fn split(&mut self, words: &Words, place: u8, time: u32) {
        let deletions = &words.deletions[&self.cells[usize::from(place)].token];
        for deletion in deletions.iter().filter(|deletion| deletion.time == time) {
            let (before, after) = (self.before[usize::from(place)], self.after[usize::from(place)]);
            let (mut last, mut end) = (before, place);
            for &(token, bytes) in &deletion.parts {
                let split = deletion_after(&words.deletions, token, time);
                self.cells[usize::from(end)] = Cell { token, split };
                self.link(last, end);
                last = end;
                end += bytes as u8;
            }
            self.link(last, after);
            self.plan(words, before);
            let mut part = place;
            while part != after {
                self.plan(words, part);
                part = self.after[usize::from(part)];
            }
        }
    }
}

/// At most the time that stands for never.
#[inline(always)]
fn event(time: u32, place: usize) -> i32 {
    (time * PLACES as u32 + place as u32).cast_signed()
}
