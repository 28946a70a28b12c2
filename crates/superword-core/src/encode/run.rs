//! One text on its way to tokens.

use std::mem;

use super::bits::bits;
use super::cache::{self, Cache};
use super::joins::Join;
use super::outcome::{CACHED, LISTED, Outcome, WORDS};
use super::phrases::{SHORT, Unit, Units, Waiting};
use super::row::{NEVER, Rules};
use super::{Encoder, GROUP};
use crate::table::Sought;

/// A text being encoded.
///
/// Pretokens go through in groups, each step in a loop of its own: such loops are short, and wait
/// for memory together.
pub(super) struct Run<'r> {
    encoder: &'r Encoder,
    text: &'r [u8],
    pub(super) cache: &'r mut Cache,
    out: Tokens<'r>,
    /// Where the first pretoken of the group starts, and where each of them ends.
    cuts: [usize; GROUP + 1],
    size: usize,
    /// What becomes of the pretoken before the group, and of each of them.
    outcomes: [Outcome; GROUP + 1],
    /// Those of the group that were not met lately, and their places in it.
    missing: [(usize, Sought); GROUP],
    /// How those of a part that stand in one unit with the one before are joined with it.
    joins: [Join; PART],
}

/// How many pretokens are joined together: one bit of a word is for each.
const PART: usize = 64;

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
            out: Tokens(out),
            cuts: [0; GROUP + 1],
            size: 0,
            outcomes: [Outcome::default(); GROUP + 1],
            missing: [(0, Sought::default()); GROUP],
            joins: [Join::default(); PART],
        }
    }

    /// Takes the next pretoken, which ends there in the text.
    #[inline]
    pub(super) fn add(&mut self, end: usize) {
        self.size += 1;
        self.cuts[self.size] = end;
        if self.size == GROUP {
            self.encode_group();
        }
    }

    /// Writes what is left at the end of the text.
    pub(super) fn finish(mut self) {
        self.encode_group();
        self.flush();
        self.cache.shrink();
    }

    /// Encodes the pretokens collected, but for those that may be joined with what comes next.
    #[inline(never)]
    fn encode_group(&mut self) {
        let misses = self.meet();
        self.look_up(misses);
        for start in (0..self.size).step_by(PART) {
            let size = (self.size - start).min(PART);
            let possible = self.find_boundaries(start, size);
            self.settle(start, size, possible);
        }
        self.cuts[0] = self.cuts[self.size];
        self.outcomes[0] = self.outcomes[self.size];
        self.size = 0;
        self.cache.make_room();
    }

    /// Finds out what becomes of the pretokens met lately; keeps the others, and says how many.
    #[inline]
    fn meet(&mut self) -> usize {
        let (mut misses, mut start) = (0, self.cuts[0]);
        for index in 0..self.size.min(GROUP) {
            let end = self.cuts[index + 1];
            let (outcome, is_it) = self.cache.front.get(self.text, start, end);
            self.outcomes[index + 1] = outcome;
            self.missing[misses].0 = index;
            misses += usize::from(!is_it);
            start = end;
        }
        misses
    }

    /// Finds out what becomes of the pretokens that were not met lately: first those that spell a
    /// token, then those that were met at some time, then those that are new.
    #[inline]
    fn look_up(&mut self, misses: usize) {
        let Run { encoder, text, cache, cuts, outcomes, missing, .. } = self;
        for (index, sought) in &mut missing[..misses] {
            *sought = Sought::new(text, cuts[*index], cuts[*index + 1]);
            encoder.known.prefetch(sought);
        }
        let mut unknown = 0;
        for place in 0..misses {
            let (index, sought) = missing[place];
            if let Some(outcome) = encoder.known.get(text, &sought) {
                cache.front.set(&sought, outcome);
                outcomes[index + 1] = outcome;
            } else {
                cache.table.prefetch(&sought);
                missing[unknown] = (index, sought);
                unknown += 1;
            }
        }
        let mut new = 0;
        for place in 0..unknown {
            let (index, sought) = missing[place];
            if let Some(outcome) = cache.table.get(text, &sought) {
                cache.front.set(&sought, outcome);
                outcomes[index + 1] = outcome;
            } else {
                missing[new] = (index, sought);
                new += 1;
            }
        }
        if new > 0 {
            self.work_out(new);
        }
    }

    /// Works out what becomes of new pretokens.
    #[inline(never)]
    fn work_out(&mut self, new: usize) {
        let Run { encoder, text, cache, outcomes, missing, .. } = self;
        let Cache { front, table, lists, pieces, shorts, tokens, .. } = &mut **cache;
        for some in missing[..new].chunks(shorts.len()) {
            let pretokens = some.iter().map(|(_, sought)| &text[sought.start..sought.end]);
            encoder.words.take_turns(shorts, pretokens, &encoder.numbers);
            for ((index, sought), short) in some.iter().zip(&mut *shorts) {
                let pretoken = &text[sought.start..sought.end];
                tokens.clear();
                if encoder.words.is_short(pretoken) {
                    tokens.extend(short.tokens());
                } else {
                    encoder.words.run(pretoken, &encoder.numbers, pieces, |_| ());
                    tokens.extend(pieces.items().map(|piece| piece.token));
                }
                let outcome = Outcome::plain(tokens, CACHED, lists);
                if pretoken.len() <= cache::LONGEST {
                    table.set(pretoken, outcome);
                }
                front.set(sought, outcome);
                outcomes[index + 1] = outcome;
            }
        }
    }

    /// Finds out which pretokens may come to stand in one token with the one before, as far as can
    /// be told at once, and asks for the memory that says whether they do.
    #[inline]
    fn find_boundaries(&self, start: usize, size: usize) -> u64 {
        let phrases = &self.encoder.phrases;
        let outcomes = &self.outcomes[start..=start + size];
        let mut possible = 0_u64;
        let mut left = outcomes[0];
        for (index, &right) in outcomes[1..].iter().enumerate() {
            let may = phrases.may_be_boundary(left.data[0], right.data[0]);
            possible |= (u64::from(may) & left.ends() & right.begins()) << index;
            left = right;
        }
        for index in bits(possible) {
            phrases.prefetch(outcomes[index].data[0], outcomes[index + 1].data[0]);
        }
        possible
    }

    /// Joins and writes a part. What is joined takes the place of its first pretoken, and nothing is
    /// left of the others, so that most of the part is then written without a decision.
    #[inline]
    fn settle(&mut self, from: usize, size: usize, possible: u64) {
        let outcomes = &self.outcomes[from..=from + size];
        // Which stand in one unit with the one before, as far as boundaries say.
        let mut joined = 0_u64;
        for index in bits(possible) {
            let (left, right) = (outcomes[index].data[0], outcomes[index + 1].data[0]);
            if let Some(join) = self.encoder.phrases.boundary(left, right) {
                self.joins[index] = join;
                joined |= 1 << index;
            }
        }
        let last = outcomes[size];
        let goes_on = last.ends() != 0;
        let is_alone = joined >> (size - 1) == 0;
        if joined & 1 == 0 {
            self.flush();
        }
        while joined != 0 {
            let start = joined.trailing_zeros() as usize;
            let end = start + (joined >> start).trailing_ones() as usize;
            joined &= joined.wrapping_add(1 << start);
            if start == 0 || goes_on && end == size {
                self.long_run(from, start, end);
                if end < size || !goes_on {
                    self.flush();
                }
            } else if end == start + 1 {
                self.pair(from + start, self.joins[start]);
            } else {
                self.run(from, start, end);
            }
        }
        if goes_on && is_alone {
            self.wait(from + size, Join::default());
        }
        self.write_part(from + 1, from + size);
        self.outcomes[from + size] = last;
    }

    /// Encodes two units that nothing else can join: one, and the next.
    #[inline]
    fn pair(&mut self, first: usize, join: Join) {
        let (left, right) = (self.outcomes[first], self.outcomes[first + 1]);
        let is_usual = left.is_elsewhere() | right.is_elsewhere() == 0 && join.time != NEVER;
        let joined = if is_usual && join.time > left.data[1].max(right.data[1]) {
            Unit { token: join.token, from: 0, fickle: 0 }
        } else {
            match self.encoder.phrases.join(left.unit(), right.unit()) {
                Some((_, unit)) => unit,
                None => return,
            }
        };
        self.outcomes[first] = joined.into();
        self.outcomes[first + 1] = Outcome::default();
    }

    /// Encodes a run of units of a part, in which those from `start` to `end` are joined with the
    /// one before.
    fn run(&mut self, from: usize, start: usize, end: usize) {
        let mut pending = mem::take(&mut self.cache.pending);
        let places = &mut self.outcomes[from + start..=from + end];
        pending.push(Waiting { unit: places[0].unit(), join: Join::default() });
        for (outcome, &join) in places[1..].iter().zip(&self.joins[start..]) {
            pending.push(Waiting { unit: outcome.unit(), join });
        }
        self.encoder.phrases.run(&mut pending);
        places.fill(Outcome::default());
        for (outcome, waiting) in places.iter_mut().zip(&pending) {
            *outcome = waiting.unit.into();
        }
        pending.clear();
        self.cache.pending = pending;
    }

    /// Lets units wait that began in another part, or may end in another.
    fn long_run(&mut self, from: usize, start: usize, end: usize) {
        if start > 0 {
            self.wait(from + start, Join::default());
        }
        for index in start..end {
            self.wait(from + index + 1, self.joins[index]);
        }
    }

    /// Takes a unit out of the group, for later.
    fn wait(&mut self, place: usize, join: Join) {
        let outcome = mem::take(&mut self.outcomes[place]);
        self.cache.pending.push(Waiting { unit: outcome.unit(), join });
    }

    /// Writes what became of a part: the outcomes from one to another.
    #[inline]
    fn write_part(&mut self, first: usize, last: usize) {
        let mut elsewhere = 0;
        for (index, outcome) in self.outcomes[first..=last].iter().enumerate() {
            elsewhere |= outcome.is_elsewhere() << index;
        }
        let mut next = first;
        for index in bits(elsewhere) {
            self.out.hold(&self.outcomes[next..first + index]);
            self.write(self.outcomes[first + index]);
            next = first + index + 1;
        }
        self.out.hold(&self.outcomes[next..=last]);
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
            self.out.0.push(unit.token);
        } else {
            self.out.0.extend_from_slice(&self.encoder.phrases.fickle(unit.fickle).tokens);
        }
    }

    /// Writes an outcome that does not hold its tokens.
    fn write(&mut self, outcome: Outcome) {
        match outcome.kind {
            LISTED => self.out.0.extend_from_slice(outcome.list(&self.encoder.lists)),
            CACHED => self.out.0.extend_from_slice(outcome.list(&self.cache.lists)),
            _ => self.unit(outcome.unit()),
        }
    }
}

/// Where the tokens go.
struct Tokens<'o>(&'o mut Vec<u32>);

impl Tokens<'_> {
    /// Adds the tokens that some outcomes hold. All words of an outcome are written, and the next
    /// go over those that are no tokens: so nothing depends on how many they are.
    #[inline]
    fn hold(&mut self, outcomes: &[Outcome]) {
        self.0.reserve(outcomes.len() * WORDS);
        let mut used = self.0.len();
        for outcome in outcomes {
            // SAFETY: there is room for all words of all outcomes, of which at most these were
            // used.
            unsafe { self.0.as_mut_ptr().add(used).cast::<[u32; WORDS]>().write(outcome.words()) };
            used += outcome.count();
        }
        // SAFETY: all tokens up to there have been written.
        unsafe { self.0.set_len(used) };
    }
}
