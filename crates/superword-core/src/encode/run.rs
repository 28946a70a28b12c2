//! One text on its way to tokens.

use std::mem;

use super::cache::{self, Cache};
use super::joins::Join;
use super::outcome::{BEGINS, CACHED, ENDS, FICKLE, INLINE, LISTED, Outcome};
use super::phrases::{SHORT, Unit, Units, Waiting};
use super::row::{NEVER, Rules};
use super::{Encoder, GROUP};
use crate::table::Sought;

/// A text being encoded.
///
/// Pretokens go through in groups, and three groups are on their way: by the time that something
/// is looked up for one of them, its memory has been asked for while the others were worked on.
pub(super) struct Run<'r> {
    encoder: &'r Encoder,
    text: &'r [u8],
    pub(super) cache: &'r mut Cache,
    out: Buffer<'r>,
    /// The pretokens that are being collected.
    sought: [Sought; GROUP],
    size: usize,
    /// The group before them.
    group: Group,
    /// Those of it that were not met lately, and their places in it.
    missing: [(usize, Sought); GROUP],
    misses: usize,
    /// The group before that: all that is left to do is to join and to write.
    before: Group,
}

/// Pretokens that are encoded together.
#[derive(Clone, Copy)]
struct Group {
    /// What becomes of them.
    outcomes: [Outcome; GROUP],
    size: usize,
    /// What became of the pretoken before them.
    last: Outcome,
    /// A bit for each that may come to stand in one token with the one before.
    possible: u32,
}

impl Group {
    fn new() -> Group {
        let last = Outcome::default();
        Group { outcomes: [last; GROUP], size: 0, last, possible: 0 }
    }

    /// What became of the pretoken before one of them, or of the last.
    #[inline]
    fn before(&self, index: usize) -> Outcome {
        if index == 0 { self.last } else { self.outcomes[index - 1] }
    }
}

impl<'r> Run<'r> {
    /// The tokens go to the end of `out`.
    pub(super) fn new(
        encoder: &'r Encoder,
        text: &'r str,
        cache: &'r mut Cache,
        out: &'r mut Vec<u32>,
    ) -> Run<'r> {
        cache.pending.clear();
        cache.make_room();
        Run {
            encoder,
            text: text.as_bytes(),
            cache,
            out: Buffer::new(out),
            sought: [Sought::default(); GROUP],
            size: 0,
            group: Group::new(),
            missing: [(0, Sought::default()); GROUP],
            misses: 0,
            before: Group::new(),
        }
    }

    /// Takes the next pretoken, from where to where it goes in the text.
    #[inline]
    pub(super) fn add(&mut self, start: usize, end: usize) {
        let sought = Sought::new(self.text, start, end);
        self.cache.front.prefetch(&sought);
        self.sought[self.size] = sought;
        self.size += 1;
        if self.size == GROUP {
            self.next_group();
        }
    }

    /// Lets every group go one step.
    #[inline(never)]
    fn next_group(&mut self) {
        self.advance();
        self.meet();
        if self.cache.is_full() {
            self.advance();
            self.settle(self.group.last.kind & ENDS != 0);
            self.cache.make_room();
        }
    }

    /// Writes what is left at the end of the text.
    pub(super) fn finish(mut self) {
        self.next_group();
        self.advance();
        self.settle(false);
        self.flush();
        self.out.write();
        self.cache.shrink();
    }

    /// Makes a group of the pretokens collected: finds out what becomes of those met lately.
    #[inline]
    fn meet(&mut self) {
        for (index, sought) in self.sought[..self.size].iter().enumerate() {
            if let Some(outcome) = self.cache.front.get(sought) {
                self.group.outcomes[index] = outcome;
            } else {
                self.encoder.known.prefetch(sought);
                self.missing[self.misses] = (index, *sought);
                self.misses += 1;
            }
        }
        self.group.size = mem::take(&mut self.size);
    }

    /// Lets the group and the one before it go one step; what is next is a new group.
    #[inline]
    fn advance(&mut self) {
        self.look_up();
        self.find_boundaries();
        self.settle(self.group.possible & 1 != 0);
        self.before = self.group;
        self.group.last = self.group.before(self.group.size);
        self.group.size = 0;
    }

    /// Finds out what becomes of the pretokens that were not met lately.
    #[inline]
    fn look_up(&mut self) {
        let misses = mem::take(&mut self.misses);
        let mut unknown = 0_u32;
        for place in 0..misses {
            let (index, sought) = &self.missing[place];
            if let Some(outcome) = self.encoder.known.get(self.text, sought) {
                self.cache.front.set(sought, outcome);
                self.group.outcomes[*index] = outcome;
            } else {
                self.cache.table.prefetch(sought);
                unknown |= 1 << place;
            }
        }
        for place in bits(unknown) {
            let (index, sought) = self.missing[place];
            let outcome = self.remembered(&sought);
            self.cache.front.set(&sought, outcome);
            self.group.outcomes[index] = outcome;
        }
    }

    /// Finds out which pretokens may come to stand in one token with the one before, as far as can
    /// be told at once, and asks for the memory that says whether they do.
    #[inline]
    fn find_boundaries(&mut self) {
        let phrases = &self.encoder.phrases;
        let mut possible = 0_u32;
        let mut left = self.group.last;
        for (index, &right) in self.group.outcomes[..self.group.size].iter().enumerate() {
            let are_open = left.kind & ENDS != 0 && right.kind & BEGINS != 0;
            let may = are_open & phrases.may_be_boundary(left.data[0], right.data[0]);
            possible |= u32::from(may) << index;
            left = right;
        }
        for index in bits(possible) {
            let (left, right) = (self.group.before(index), self.group.outcomes[index]);
            phrases.prefetch(left.data[0], right.data[0]);
        }
        self.group.possible = possible;
    }

    /// Joins and writes the group before; `goes_on` says whether its last may be joined with what
    /// comes next. Most pretokens are just written. The few for which there is something to decide
    /// are told apart by bits beforehand: a processor that has to guess at every pretoken often
    /// guesses wrong.
    #[inline]
    fn settle(&mut self, goes_on: bool) {
        let group = self.before;
        let Some(last) = group.size.checked_sub(1) else { return };
        self.before.size = 0;
        let outcomes = &group.outcomes[..=last];
        let mut joins = [Join::default(); GROUP];
        // Which stand in one unit with the one before, as far as boundaries say.
        let mut joined = 0_u32;
        for index in bits(group.possible) {
            let (left, right) = (group.before(index).data[0], outcomes[index].data[0]);
            if let Some(join) = self.encoder.phrases.boundary(left, right) {
                joins[index] = join;
                joined |= 1 << index;
            }
        }
        // Which wait for the one after.
        let waits = joined >> 1 | u32::from(goes_on) << last;
        let mut special = joined | waits;
        for (index, outcome) in outcomes.iter().enumerate() {
            special |= u32::from(outcome.is_elsewhere()) << index;
        }
        if joined & 1 == 0 {
            self.flush();
        }
        let mut index = 0;
        while index < outcomes.len() {
            let plain = (special >> index).trailing_zeros() as usize;
            let end = (index + plain).min(outcomes.len());
            for outcome in &outcomes[index..end] {
                self.out.push(outcome.data, outcome.count());
            }
            let Some(&outcome) = outcomes.get(end) else { break };
            index = end + 1;
            let has = |bits: u32, index: usize| bits >> index & 1 != 0;
            if has(joined, end) {
                self.wait(outcome, joins[end]);
                if !has(waits, end) {
                    self.flush();
                }
            } else if !has(waits, end) {
                self.write(outcome);
            } else if end < last && !has(waits, index) {
                self.pair(outcome, outcomes[index], joins[index]);
                index += 1;
            } else {
                self.wait(outcome, Join::default());
            }
        }
    }

    /// What becomes of a pretoken that spells no token.
    fn remembered(&mut self, sought: &Sought) -> Outcome {
        if let Some(outcome) = self.cache.table.get(self.text, sought) {
            return outcome;
        }
        let pretoken = &self.text[sought.start..sought.end];
        let Cache { table, lists, pieces, tokens, .. } = &mut *self.cache;
        tokens.clear();
        self.encoder.words.tokens(pretoken, &self.encoder.numbers, pieces, tokens);
        let outcome = Outcome::plain(tokens, CACHED, lists);
        if pretoken.len() <= cache::LONGEST {
            table.set(pretoken, outcome);
        }
        outcome
    }

    /// Encodes two units that nothing else can join.
    #[inline]
    fn pair(&mut self, left: Outcome, right: Outcome, join: Join) {
        let is_usual = (left.kind | right.kind) & FICKLE == 0 && join.time != NEVER;
        if is_usual && join.time > left.data[1].max(right.data[1]) {
            self.out.push([join.token, 0, 0], 1);
        } else if let Some((_, unit)) = self.encoder.phrases.join(left.unit(), right.unit()) {
            self.unit(unit);
        } else {
            self.unit(left.unit());
            self.unit(right.unit());
        }
    }

    #[inline]
    fn wait(&mut self, outcome: Outcome, join: Join) {
        self.cache.pending.push(Waiting { unit: outcome.unit(), join });
    }

    /// Encodes the open units that wait.
    #[inline]
    fn flush(&mut self) {
        if !self.cache.pending.is_empty() {
            self.flush_all();
        }
    }

    #[inline(never)]
    fn flush_all(&mut self) {
        let mut pending = mem::take(&mut self.cache.pending);
        if pending.len() <= SHORT {
            self.encoder.phrases.run(&mut pending);
            for waiting in &pending {
                self.unit(waiting.unit);
            }
        } else {
            let mut units = mem::replace(&mut self.cache.units, Units::new());
            let waiting = pending.iter().map(|waiting| waiting.unit);
            units.run(&self.encoder.phrases, waiting, |_, _| ());
            for unit in units.items() {
                self.unit(unit);
            }
            self.cache.units = units;
        }
        pending.clear();
        self.cache.pending = pending;
    }

    fn unit(&mut self, unit: Unit) {
        if unit.fickle == 0 {
            self.out.push([unit.token, 0, 0], 1);
        } else {
            self.out.extend(&self.encoder.phrases.fickle(unit.fickle).tokens);
        }
    }

    /// Writes an outcome that does not hold its tokens.
    fn write(&mut self, outcome: Outcome) {
        match outcome.kind {
            LISTED => self.out.extend(outcome.list(&self.encoder.lists)),
            CACHED => self.out.extend(outcome.list(&self.cache.lists)),
            _ => self.unit(outcome.unit()),
        }
    }
}

/// The places of the bits that are set, from the lowest on.
#[inline]
fn bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(index)
    })
}

/// Tokens on their way out: a short array, since a vector would ask for room with each.
struct Buffer<'o> {
    tokens: [u32; 4 * GROUP],
    used: usize,
    out: &'o mut Vec<u32>,
}

impl<'o> Buffer<'o> {
    fn new(out: &'o mut Vec<u32>) -> Buffer<'o> {
        Buffer { tokens: [0; 4 * GROUP], used: 0, out }
    }

    /// Adds the first few of some tokens.
    #[inline]
    fn push(&mut self, tokens: [u32; INLINE], count: usize) {
        if self.used + INLINE > self.tokens.len() {
            self.write();
        }
        self.tokens[self.used..self.used + INLINE].copy_from_slice(&tokens);
        self.used += count;
    }

    fn extend(&mut self, tokens: &[u32]) {
        self.write();
        self.out.extend_from_slice(tokens);
    }

    fn write(&mut self) {
        self.out.extend_from_slice(&self.tokens[..self.used]);
        self.used = 0;
    }
}
