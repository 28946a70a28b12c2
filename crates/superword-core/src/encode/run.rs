//! One text on its way to tokens.

use std::mem;

use super::cache::{self, Cache};
use super::joins::Join;
use super::outcome::{BEGINS, CACHED, ENDS, FICKLE, INLINE, LISTED, Outcome};
use super::phrases::{Unit, Units};
use super::row::{NEVER, Rules};
use super::{Encoder, GROUP};
use crate::table::Sought;

/// A text being encoded.
pub(super) struct Run<'r> {
    encoder: &'r Encoder,
    text: &'r [u8],
    pub(super) cache: &'r mut Cache,
    out: Buffer<'r>,
    /// Pretokens that wait for others to be looked up with: where they start and end, what becomes
    /// of them, and a bit for each of which that is not known yet.
    spans: [(usize, usize); GROUP],
    outcomes: [Outcome; GROUP],
    missing: u32,
    size: usize,
    /// What became of the pretoken before them.
    last: Outcome,
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
            spans: [(0, 0); GROUP],
            outcomes: [Outcome::default(); GROUP],
            missing: 0,
            size: 0,
            last: Outcome::default(),
        }
    }

    /// Takes the next pretoken, from where to where it goes in the text.
    #[inline]
    pub(super) fn add(&mut self, start: usize, end: usize) {
        let met = self.cache.front.get(&Sought::new(self.text, start, end));
        self.missing |= u32::from(met.is_none()) << self.size;
        self.outcomes[self.size] = met.unwrap_or_default();
        self.spans[self.size] = (start, end);
        self.size += 1;
        if self.size == GROUP {
            self.group();
        }
    }

    /// Encodes the pretokens that wait. Most are looked up and written. The few for which there is
    /// something to decide are told apart by bits beforehand: a processor that has to guess at
    /// every pretoken often guesses wrong.
    #[inline(never)]
    fn group(&mut self) {
        let Some(last) = self.size.checked_sub(1) else { return };
        self.look_up();
        let outcomes = self.outcomes;
        let outcomes = &outcomes[..=last];
        let mut joins = [Join::default(); GROUP];
        // Which stand in one unit with the one before, as far as boundaries say.
        let joined = self.boundaries(outcomes, &mut joins);
        // Which wait for the one after.
        let waits = joined >> 1 | u32::from(outcomes[last].kind & ENDS != 0) << last;
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
                self.cache.pending.push(outcome.unit());
                if !has(waits, end) {
                    self.flush();
                }
            } else if !has(waits, end) {
                self.write(outcome);
            } else if end < last && !has(waits, index) {
                self.pair(outcome, outcomes[index], joins[index]);
                index += 1;
            } else {
                self.cache.pending.push(outcome.unit());
            }
        }
        self.last = outcomes[last];
        self.size = 0;
        self.cache.make_room();
    }

    /// Writes what is left at the end of the text.
    pub(super) fn finish(mut self) {
        self.group();
        self.flush();
        self.out.write();
        self.cache.shrink();
    }

    /// Finds out what becomes of the pretokens that were not met lately. The memory for each is
    /// asked for ahead of its use.
    #[inline]
    fn look_up(&mut self) {
        let known = &self.encoder.known;
        let mut sought = [Sought::default(); GROUP];
        for index in bits(self.missing) {
            let (start, end) = self.spans[index];
            sought[index] = known.sought(self.text, start, end);
        }
        let mut unknown = 0;
        for index in bits(mem::take(&mut self.missing)) {
            if let Some(outcome) = known.get(self.text, &sought[index]) {
                self.cache.front.set(&sought[index], outcome);
                self.outcomes[index] = outcome;
            } else {
                self.cache.table.prefetch(&sought[index]);
                unknown |= 1 << index;
            }
        }
        for index in bits(unknown) {
            let outcome = self.remembered(&sought[index]);
            self.cache.front.set(&sought[index], outcome);
            self.outcomes[index] = outcome;
        }
    }

    /// What becomes of a pretoken that spells no token.
    fn remembered(&mut self, sought: &Sought) -> Outcome {
        if let Some(outcome) = self.cache.table.get(self.text, sought) {
            return outcome;
        }
        let pretoken = &self.text[sought.start..sought.end];
        let Cache { table, lists, pieces, tokens, .. } = &mut *self.cache;
        self.encoder.words.run(pretoken, &self.encoder.numbers, pieces, |_| ());
        tokens.clear();
        tokens.extend(pieces.items().map(|piece| piece.token));
        let outcome = Outcome::plain(tokens, CACHED, lists);
        if pretoken.len() <= cache::LONGEST {
            table.set(pretoken, outcome);
        }
        outcome
    }

    /// A bit for each pretoken that may come to stand in one token with the one before, and how.
    #[inline]
    fn boundaries(&self, outcomes: &[Outcome], joins: &mut [Join; GROUP]) -> u32 {
        let phrases = &self.encoder.phrases;
        let mut possible = 0_u32;
        let mut left = self.last;
        for (index, &right) in outcomes.iter().enumerate() {
            let are_open = left.kind & ENDS != 0 && right.kind & BEGINS != 0;
            let may = are_open & phrases.may_be_boundary(left.data[0], right.data[0]);
            possible |= u32::from(may) << index;
            left = right;
        }
        let before = |index: usize| if index == 0 { self.last } else { outcomes[index - 1] };
        for index in bits(possible) {
            phrases.prefetch(before(index).data[0], outcomes[index].data[0]);
        }
        let mut found = 0;
        for index in bits(possible) {
            if let Some(join) = phrases.boundary(before(index).data[0], outcomes[index].data[0]) {
                joins[index] = join;
                found |= 1 << index;
            }
        }
        found
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
        if let [unit] = pending[..] {
            self.unit(unit);
        } else {
            let mut units = mem::replace(&mut self.cache.units, Units::new());
            units.run(&self.encoder.phrases, pending.iter().copied(), |_, _| ());
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
