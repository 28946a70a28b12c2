//! Short pretokens, on which the rules are performed as on a [`Row`](super::row::Row), without its
//! bookkeeping.
//!
//! A pretoken that is met for the first time asks for one rule after the other, and each time waits
//! for memory. So several take turns: while one waits, the others go on. For the same reason little
//! depends on a guess: where there is no neighbour, there is one that no rule joins.

use super::bits::bits;
use super::merges::Place;
use super::numbers::Numbers;
use super::row::NEVER;
use super::words::{Words, deletion_after};

/// Up to this many bytes, looking at all tokens finds the next rule fastest.
const SHORT: usize = 255;

/// The place where there is no token, before the first and after the last.
const NOWHERE: u8 = 255;

/// How many places there are.
const PLACES: usize = SHORT + 1;

/// How many events are compared at once.
const LANES: usize = 16;

/// No event.
const NOTHING: i32 = i32::MAX;

/// As many rules can be told apart in an event.
const RULES: usize = NOTHING as usize / PLACES;

impl Words {
    /// Whether rules are performed on a pretoken as on a short one.
    pub(super) fn is_short(&self, pretoken: &[u8]) -> bool {
        pretoken.len() <= SHORT && self.merges.end() <= RULES
    }

    /// Performs all rules on the short ones of some pretokens.
    #[inline(always)]
    pub(super) fn take_turns<'t>(
        &self,
        shorts: &mut [Short],
        pretokens: impl Iterator<Item = &'t [u8]>,
        numbers: &Numbers,
    ) {
        let mut active = 0_u64;
        for (index, (short, pretoken)) in shorts.iter_mut().zip(pretokens).enumerate() {
            if self.is_short(pretoken) {
                short.start(self, pretoken, numbers);
                active |= u64::from(short.look_ahead(self)) << index;
            }
        }
        while active != 0 {
            for index in bits(active) {
                shorts[index].perform(self);
            }
            for index in bits(active) {
                let goes_on = shorts[index].plan_changed(self);
                active &= !(u64::from(!goes_on) << index);
            }
        }
    }
}

/// A short pretoken. A token stays where its first byte was.
pub(super) struct Short {
    cells: [Cell; PLACES],
    /// For each, when it is split or joined with the next, whichever is first, as far as
    /// [`Merges::when`] says; then its place.
    events: [i32; PLACES],
    /// Where the token before each is, and the one after it.
    before: [u8; PLACES],
    after: [u8; PLACES],
    /// How many bytes there are.
    size: usize,
    /// Where tokens have a new neighbour, and where to look for the pairs.
    changed: [u8; 2],
    asked: [Place; 2],
    /// What happens next.
    next: i32,
}

/// A token in it.
#[derive(Clone, Copy)]
struct Cell {
    token: u32,
    /// When it was made.
    made: u32,
    /// When it is split.
    split: u32,
}

/// Where there is no token.
const NOBODY: Cell = Cell { token: NEVER, made: 0, split: NEVER };

impl Short {
    /// Room for one.
    pub(super) const fn new() -> Short {
        Short {
            cells: [NOBODY; PLACES],
            events: [NOTHING; PLACES],
            before: [NOWHERE; PLACES],
            after: [NOWHERE; PLACES],
            size: 0,
            changed: [NOWHERE; 2],
            asked: [Place::ANY; 2],
            next: NOTHING,
        }
    }

    /// The tokens.
    pub(super) fn tokens(&self) -> impl Iterator<Item = u32> {
        let places = std::iter::successors(Some(0), |&place| {
            let after = self.after[usize::from(place)];
            (after != NOWHERE).then_some(after)
        });
        places.map(|place: u8| self.cells[usize::from(place)].token)
    }

    /// Takes a pretoken.
    #[inline(always)]
    fn start(&mut self, words: &Words, pretoken: &[u8], numbers: &Numbers) {
        self.size = pretoken.len();
        for (place, &byte) in (0..NOWHERE).zip(pretoken) {
            let token = numbers.of(byte.into());
            self.cells[usize::from(place)] = Cell { token, made: 0, split: NEVER };
            self.before[usize::from(place)] = place.wrapping_sub(1);
            self.after[usize::from(place)] = place + 1;
        }
        self.after[self.size - 1] = NOWHERE;
        for (place, pair) in pretoken.windows(2).enumerate() {
            let time = words.byte_joins[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            self.events[place] = event(time, place);
        }
        self.events[self.size - 1..self.size.next_multiple_of(LANES)].fill(NOTHING);
    }

    /// Finds out what happens next, and asks for its rule; says whether anything does.
    #[inline(always)]
    fn look_ahead(&mut self, words: &Words) -> bool {
        let events = self.events[..self.size.next_multiple_of(LANES)].chunks_exact(LANES);
        let earliest = events.fold([NOTHING; LANES], |least, events| {
            std::array::from_fn(|lane| least[lane].min(events[lane]))
        });
        self.next = earliest.into_iter().fold(NOTHING, i32::min);
        if self.next == NOTHING {
            return false;
        }
        words.merges.ask((self.next.cast_unsigned() as usize / PLACES) as u32);
        true
    }

    /// Performs the next rule.
    #[inline(always)]
    fn perform(&mut self, words: &Words) {
        let event = self.next.cast_unsigned() as usize;
        let (time, place) = ((event / PLACES) as u32, event % PLACES);
        let cell = self.cells[place];
        let next = usize::from(self.after[place]);
        self.changed = [NOWHERE; 2];
        self.asked = [Place::ANY; 2];
        if cell.split == time {
            self.split(words, place as u8, time);
        } else if let Some(merge) = words.merges.get(time, cell.token, self.cells[next].token) {
            self.events[next] = NOTHING;
            self.cells[place] = Cell { token: merge.token, made: time, split: merge.split };
            self.link(place as u8, self.after[next]);
            self.changed = [self.before[place], place as u8];
            for (asked, place) in self.asked.iter_mut().zip(self.changed) {
                let next = self.after[usize::from(place)];
                let [left, right] = [place, next].map(|place| self.cells[usize::from(place)].token);
                *asked = words.merges.ask_pair(left, right);
            }
        } else {
            self.events[place] = self::event(cell.split, place);
        }
    }

    /// Finds out what happens next, where something has changed and at all; says whether anything
    /// does.
    #[inline(always)]
    fn plan_changed(&mut self, words: &Words) -> bool {
        for (place, asked) in self.changed.into_iter().zip(self.asked) {
            let (left, right) = self.pair(place);
            let after = left.made.max(right.made);
            let join = words.merges.when_at(asked, left.token, right.token, after);
            let place = usize::from(place);
            self.events[place] = event(left.split.min(join), place);
        }
        self.look_ahead(words)
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

    /// Finds out what happens next to a token.
    #[inline(always)]
    fn plan(&mut self, words: &Words, place: u8) {
        let (left, right) = self.pair(place);
        let join = words.merges.when(left.token, right.token, left.made.max(right.made));
        let place = usize::from(place);
        self.events[place] = event(left.split.min(join), place);
    }

    #[cold]
    fn split(&mut self, words: &Words, place: u8, time: u32) {
        let deletions = &words.deletions[&self.cells[usize::from(place)].token];
        for deletion in deletions.iter().filter(|deletion| deletion.time == time) {
            let (before, after) = (self.before[usize::from(place)], self.after[usize::from(place)]);
            let (mut last, mut end) = (before, place);
            for &(token, bytes) in &deletion.parts {
                let split = deletion_after(&words.deletions, token, time);
                self.cells[usize::from(end)] = Cell { token, made: time, split };
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

#[inline(always)]
fn event(time: u32, place: usize) -> i32 {
    if time == NEVER { NOTHING } else { (time * PLACES as u32 + place as u32).cast_signed() }
}
