//! Supermerges on a group of pretokens.
//!
//! What is joined takes the place of its first pretoken, and nothing is left of the others, so that
//! most of a group is then written without a decision.

use crate::encode::pipeline::bits::{bits, end_of, lowest, with_bit};
use crate::encode::pipeline::group::{Bits, GROUP, PART};
use crate::encode::pipeline::text_encoder::Run;
use crate::encode::pretoken::cache::Cache;
use crate::encode::pretoken::encoding::{BEGINS, ENDS, Outcome};
use crate::encode::pretoken::rule_replay::{NEVER, Rules};
use crate::encode::supermerge::pair_table::Join;
use crate::encode::supermerge::table::{SHORT, Unit, Waiting};

impl Run<'_> {
    /// Finds out which pretokens may come to stand in one token with the one before.
    #[inline(always)]
    pub(crate) fn find_joined(&mut self) -> Bits {
        let phrases = &self.encoder.phrases;
        let mut possible = Bits::default();
        for (part, start) in possible.iter_mut().zip((0..self.size).step_by(PART)) {
            let before = self.group.kinds[start..].first_chunk().expect("a part");
            let after = self.group.kinds[start + 1..].first_chunk().expect("a part");
            *part = with_bit(before, ENDS.trailing_zeros())
                & with_bit(after, BEGINS.trailing_zeros())
                & lowest(self.size - start);
            for index in bits(*part) {
                let [left, right] =
                    [0, 1].map(|side| self.group.outcomes[start + index + side].data[0]);
                self.group.asked[start + index] = phrases.ask(left, right) as u32;
            }
        }
        let mut joined = Bits::default();
        for ((part, joined), start) in possible.iter().zip(&mut joined).zip((0..).step_by(PART)) {
            for index in bits(*part) {
                let [left, right] =
                    [0, 1].map(|side| self.group.outcomes[start + index + side].data[0]);
                let place = self.group.asked[start + index] as usize;
                let (join, is_boundary) = phrases.boundary(place, left, right);
                self.group.joins[start + index] = join;
                *joined |= u64::from(is_boundary) << index;
            }
        }
        joined
    }

    /// How many at the end of the group may be joined with what comes next.
    #[inline(always)]
    pub(crate) fn open_end(&mut self, joined: &Bits) -> usize {
        if self.group.outcomes[self.size].ends() == 0 {
            return 0;
        }
        let is_joined = |&at: &usize| joined[at / PART] >> (at % PART) & 1 != 0;
        1 + (1..self.size).rev().take_while(is_joined).count()
    }

    /// Lets units wait that go on from the group before.
    #[cold]
    pub(crate) fn go_on(&mut self, joined: &mut Bits) {
        let end = end_of(joined, 0);
        for index in 0..end {
            self.wait(index + 1, self.group.joins[index]);
            joined[index / PART] &= !(1 << (index % PART));
        }
        if end < self.size {
            self.flush();
        }
    }

    /// Starts the next group with those that are not settled, or lets them wait if they are many.
    #[inline(always)]
    pub(crate) fn carry(&mut self, settled: usize, last: Outcome) {
        let mut carried = self.size - settled;
        if carried > PART {
            for index in settled..self.size {
                let join = if index == settled { Join::default() } else { self.group.joins[index] };
                self.wait(index + 1, join);
            }
            self.group.cuts[settled] = self.group.cuts[self.size];
            carried = 0;
        }
        self.group.cuts.copy_within(settled..=settled + carried, 0);
        let before = if self.cache.pending.is_empty() { Outcome::default() } else { last };
        self.group.set(0, before);
        for index in 1..=carried {
            self.group.set(index, self.group.outcomes[settled + index]);
        }
        (self.size, self.carried) = (carried, carried);
    }

    /// Joins what is settled: the first few pretokens.
    #[inline(always)]
    pub(crate) fn settle(&mut self, joined: &Bits, settled: usize) {
        let mut runs = [(0, 0); GROUP / 3];
        let mut asked = 0;
        let mut carry = 0;
        for (part, &word) in joined.iter().enumerate() {
            let starts = word & !(word << 1 | carry);
            carry = word >> (PART - 1);
            for index in bits(starts) {
                let start = part * PART + index;
                if start >= settled {
                    break;
                }
                let end = end_of(joined, start);
                if end == start + 1 {
                    self.pair(start);
                } else {
                    self.ask_ahead(start, end);
                    runs[asked] = (start, end);
                    asked += 1;
                }
            }
        }
        for &(start, end) in &runs[..asked] {
            if end == start + 2 { self.triple(start) } else { self.run(start, end) }
        }
    }

    /// Encodes two units that nothing else can join: one, and the next.
    #[inline(always)]
    fn pair(&mut self, first: usize) {
        let join = self.group.joins[first];
        let (left, right) = (self.group.outcomes[first], self.group.outcomes[first + 1]);
        let is_usual = left.is_elsewhere() | right.is_elsewhere() == 0 && join.time != NEVER;
        let joined = if is_usual && join.time > left.data[1].max(right.data[1]) {
            Unit { token: join.token, from: 0, fickle: 0 }
        } else {
            match self.encoder.phrases.join(left.unit(), right.unit()) {
                Some((_, unit)) => unit,
                None => return,
            }
        };
        self.group.set(first, joined.into());
        self.group.set(first + 1, Outcome::default());
    }

    /// Asks for the memory that will be needed when the first rule is performed on some units: that
    /// of what it makes with either neighbour.
    #[inline(always)]
    fn ask_ahead(&self, start: usize, end: usize) {
        let (mut at, mut first) = (start, self.group.joins[start]);
        for place in start + 1..end {
            let join = self.group.joins[place];
            (at, first) = if join.time < first.time { (place, join) } else { (at, first) };
        }
        let token = |place: usize| self.group.outcomes[place.min(GROUP)].data[0];
        self.encoder.phrases.ask(token(at.saturating_sub(1)), first.token);
        self.encoder.phrases.ask(first.token, token(at + 2));
    }

    /// Encodes three units that nothing else can join.
    #[inline(always)]
    fn triple(&mut self, start: usize) {
        let [a, b, c] = [0, 1, 2].map(|index| self.group.outcomes[start + index]);
        let (first, second) = (self.group.joins[start], self.group.joins[start + 1]);
        let is_usual = a.is_elsewhere() | b.is_elsewhere() | c.is_elsewhere() == 0
            && first.time > a.data[1].max(b.data[1])
            && second.time > b.data[1].max(c.data[1])
            && first.time.min(second.time) != NEVER;
        if !is_usual {
            return self.run(start, start + 2);
        }
        let is_second = second.time < first.time;
        let made = first.time.min(second.time);
        let left = if is_second { a.data[0] } else { first.token };
        let right = if is_second { second.token } else { c.data[0] };
        let other = if is_second { a.data[1] } else { c.data[1] };
        let join = self.encoder.phrases.first_join(left, right);
        let is_joined = join.time != NEVER;
        if is_joined && join.time <= made.max(other) {
            return self.run(start, start + 2);
        }
        let token = if is_joined { join.token } else { left };
        self.group.set(start, Outcome::from(Unit { token, from: 0, fickle: 0 }));
        let rest = Outcome::from(Unit { token: right, from: 0, fickle: 0 });
        self.group.set(start + 1, if is_joined { Outcome::default() } else { rest });
        self.group.set(start + 2, Outcome::default());
    }

    /// Encodes units that nothing else can join, from one to another.
    fn run(&mut self, start: usize, end: usize) {
        for place in start..=end {
            let join = if place == start { Join::default() } else { self.group.joins[place - 1] };
            self.wait(place, join);
        }
        self.join_waiting();
        for (place, waiting) in (start..=end).zip(&self.cache.pending) {
            self.group.set(place, waiting.unit.into());
        }
        self.cache.pending.clear();
    }

    /// Takes a unit out of the group, for later.
    fn wait(&mut self, place: usize, join: Join) {
        let outcome = self.group.outcomes[place];
        self.group.set(place, Outcome::default());
        self.cache.pending.push(Waiting { unit: outcome.unit(), join });
    }

    /// Joins and writes the units that wait.
    pub(crate) fn flush(&mut self) {
        self.join_waiting();
        for index in 0..self.cache.pending.len() {
            self.write_unit(self.cache.pending[index].unit);
        }
        self.cache.pending.clear();
    }

    /// Performs all supermerges on the units that wait.
    fn join_waiting(&mut self) {
        let Cache { pending, units, .. } = &mut *self.cache;
        if pending.len() <= SHORT {
            return self.encoder.phrases.run(pending);
        }
        units.run(&self.encoder.phrases, pending.iter().map(|waiting| waiting.unit), |_, _| ());
        pending.clear();
        pending.extend(units.items().map(|unit| Waiting { unit, join: Join::default() }));
    }
}
