//! Short pretokens, on which the rules are performed as on a [`Row`](super::row::Row), without its
//! bookkeeping.
//!
//! A pretoken that is met for the first time asks for one rule after the other, and each time waits
//! for memory. So several take turns: while one waits, the others go on. For the same reason little
//! depends on a guess: where there is no neighbour, there is one that no rule joins.

use super::bits::bits;
use super::numbers::Numbers;
use super::row::NEVER;
use super::words::{Words, deletion_after};

/// Up to this many bytes, looking at all tokens finds the next rule fastest.
const SHORT: usize = 64;

/// How many events are compared at once.
const LANES: usize = 8;

/// No event.
const NOTHING: i32 = i32::MAX;

/// As many rules can be told apart in an event.
const RULES: usize = NOTHING as usize / SHORT;

impl Words {
    /// Whether rules are performed on a pretoken as on a short one.
    pub(super) fn is_short(&self, pretoken: &[u8]) -> bool {
        pretoken.len() <= SHORT && self.merges.end() <= RULES
    }

    /// Performs all rules on the short ones of some pretokens.
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
                active |= 1 << index;
            }
        }
        while active != 0 {
            for index in bits(active) {
                if !shorts[index].perform(self) {
                    active &= !(1 << index);
                }
            }
            for index in bits(active) {
                shorts[index].plan_changed(self);
            }
        }
    }
}

/// A short pretoken. A token stays where its first byte was.
pub(super) struct Short {
    cells: [Cell; SHORT + 1],
    /// For each, when it is split or joined with the next, whichever is first, as far as
    /// [`Merges::when`] says; then its place.
    events: [i32; SHORT + 1],
    /// A bit for each token.
    starts: u64,
    /// How many bytes there are.
    size: usize,
    /// Where tokens have a new neighbour.
    changed: [usize; 2],
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
            cells: [NOBODY; SHORT + 1],
            events: [NOTHING; SHORT + 1],
            starts: 0,
            size: 0,
            changed: [SHORT; 2],
        }
    }

    /// The tokens.
    pub(super) fn tokens(&self) -> impl Iterator<Item = u32> {
        bits(self.starts).map(|place| self.cells[place].token)
    }

    /// Takes a pretoken.
    fn start(&mut self, words: &Words, pretoken: &[u8], numbers: &Numbers) {
        self.size = pretoken.len();
        self.starts = u64::MAX >> (SHORT - self.size);
        for (cell, &byte) in self.cells.iter_mut().zip(pretoken) {
            *cell = Cell { token: numbers.of(byte.into()), made: 0, split: NEVER };
        }
        for (place, pair) in pretoken.windows(2).enumerate() {
            let time = words.byte_joins[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            self.events[place] = event(time, place);
        }
        self.events[self.size - 1..self.size.next_multiple_of(LANES)].fill(NOTHING);
    }

    /// Performs the next rule, if there is one.
    #[inline]
    fn perform(&mut self, words: &Words) -> bool {
        let events = self.events[..self.size.next_multiple_of(LANES)].chunks_exact(LANES);
        let earliest = events.fold([NOTHING; LANES], |least, events| {
            std::array::from_fn(|lane| least[lane].min(events[lane]))
        });
        let earliest = earliest.into_iter().fold(NOTHING, i32::min);
        if earliest == NOTHING {
            return false;
        }
        let earliest = earliest.cast_unsigned() as usize;
        let (time, place) = ((earliest / SHORT) as u32, earliest % SHORT);
        let cell = self.cells[place];
        let next = self.next(place);
        self.changed = [SHORT, place];
        if cell.split == time {
            self.split(words, place, time);
        } else if let Some(merge) = words.merges.get(time, cell.token, self.cells[next].token) {
            self.starts &= !(1 << next);
            self.events[next] = NOTHING;
            self.cells[place] = Cell { token: merge.token, made: time, split: merge.split };
            self.changed[0] = self.last(place);
            for place in self.changed {
                let right = self.cells[self.next(place)];
                words.merges.prefetch(self.cells[place].token, right.token);
            }
        } else {
            self.events[place] = event(cell.split, place);
            self.changed = [SHORT; 2];
        }
        true
    }

    /// Finds out what happens next where something has changed.
    #[inline]
    fn plan_changed(&mut self, words: &Words) {
        for place in self.changed {
            self.plan(words, place);
        }
    }

    /// Where the next token is.
    #[inline]
    fn next(&self, place: usize) -> usize {
        let after = self.starts.wrapping_shr(place as u32) >> 1;
        (place + 1 + after.trailing_zeros() as usize).min(SHORT)
    }

    /// Where the token before is.
    #[inline]
    fn last(&self, place: usize) -> usize {
        let before = self.starts & ((1 << place) - 1);
        (SHORT - 1).wrapping_sub(before.leading_zeros() as usize).min(SHORT)
    }

    /// Finds out what happens next to a token.
    #[inline]
    fn plan(&mut self, words: &Words, place: usize) {
        let (left, right) = (self.cells[place], self.cells[self.next(place)]);
        let join = words.merges.when(left.token, right.token, left.made.max(right.made));
        self.events[place] = event(left.split.min(join), place);
    }

    #[cold]
    fn split(&mut self, words: &Words, place: usize, time: u32) {
        let deletions = &words.deletions[&self.cells[place].token];
        for deletion in deletions.iter().filter(|deletion| deletion.time == time) {
            let mut end = place;
            for &(token, bytes) in &deletion.parts {
                let split = deletion_after(&words.deletions, token, time);
                self.cells[end] = Cell { token, made: time, split };
                self.starts |= 1 << end;
                end += bytes;
            }
            self.plan(words, self.last(place));
            for part in bits(self.starts).filter(|part| (place..end).contains(part)) {
                self.plan(words, part);
            }
            self.changed = [SHORT; 2];
        }
    }
}

#[inline]
fn event(time: u32, place: usize) -> i32 {
    if time == NEVER { NOTHING } else { (time * SHORT as u32 + place as u32).cast_signed() }
}
