//! One text on its way to tokens.

use std::{iter, mem};

use super::bits::{bits, with_bit};
use super::cache::{self, Cache};
use super::joins::Join;
use super::outcome::{BEGINS, CACHED, ELSEWHERE, ENDS, LISTED, Outcome, WORDS};
use super::phrases::{SHORT, Unit, Units, Waiting};
use super::row::{NEVER, Rules};
use super::{Encoder, GROUP};
use crate::table::Key;

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
    #[cfg(target_arch = "x86_64")]
    is_modern: bool,
    size: usize,
    /// Their keys, and where those belong.
    keys: [Key; GROUP],
    places: [u32; GROUP],
    /// What becomes of the pretoken before the group, and of each of them, and of which kinds that
    /// is.
    outcomes: [Outcome; GROUP + 1],
    kinds: [u8; GROUP + PART],
    /// Those of the group that are looked for elsewhere.
    missing: [u32; GROUP],
    /// Where boundaries belong that some may have with the one before.
    asked: [u32; GROUP],
    /// How those that stand in one unit with the one before are joined with it.
    joins: [Join; GROUP],
    /// How many of the group were looked up before: those that may be joined with what comes next.
    carried: usize,
}

/// How many pretokens have bits in one word.
const PART: usize = 64;

/// A bit for each pretoken of a group.
type Bits = [u64; GROUP / PART];

impl<'r> Run<'r> {
    /// The tokens go to the end of `out`.
    pub(super) fn new(
        encoder: &'r Encoder,
        text: &'r str,
        cache: &'r mut Cache,
        out: &'r mut Vec<u32>,
    ) -> Run<'r> {
        cache.pending.clear();
        cache.make_room(&encoder.known);
        Run {
            encoder,
            text: text.as_bytes(),
            cache,
            out: Tokens(out),
            cuts: [0; GROUP + 1],
            #[cfg(target_arch = "x86_64")]
            is_modern: crate::processor::is_modern(),
            size: 0,
            keys: [Key::NONE; GROUP],
            places: [0; GROUP],
            outcomes: [Outcome::default(); GROUP + 1],
            kinds: [0; GROUP + PART],
            missing: [0; GROUP],
            asked: [0; GROUP],
            joins: [Join::default(); GROUP],
            carried: 0,
        }
    }

    /// Takes the next pretokens, which end in the text where bits are set, from a place on.
    #[inline]
    pub(super) fn add(&mut self, base: usize, ends: u64) {
        #[cfg(target_arch = "x86_64")]
        if self.is_modern {
            // SAFETY: the processor is modern.
            unsafe { self.collect_modern(base, ends) };
            if self.size > GROUP - 64 {
                // SAFETY: the processor is modern.
                unsafe { self.encode_group_modern(false) };
            }
            return;
        }
        self.collect(base, ends);
        if self.size > GROUP - 64 {
            self.encode_group(false);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn collect_modern(&mut self, base: usize, ends: u64) {
        self.collect(base, ends);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn encode_group_modern(&mut self, is_last: bool) {
        self.encode_group(is_last);
    }

    #[inline(always)]
    fn collect(&mut self, base: usize, mut ends: u64) {
        let count = ends.count_ones() as usize;
        let places = &mut self.cuts[self.size + 1..][..64];
        for place in &mut places[..16] {
            *place = base + ends.trailing_zeros() as usize;
            ends &= ends.wrapping_sub(1);
        }
        if ends != 0 {
            for (place, end) in places[16..].iter_mut().zip(bits(ends)) {
                *place = base + end;
            }
        }
        self.size += count;
    }

    /// Writes what is left at the end of the text.
    pub(super) fn finish(mut self) {
        self.encode_group(true);
        self.flush();
        self.cache.shrink();
    }

    /// Encodes the pretokens collected, but for those that may be joined with what comes next.
    #[inline(always)]
    fn encode_group(&mut self, is_last: bool) {
        self.ask();
        let missing = self.meet();
        if missing > 0 {
            self.look_up(missing);
        }
        let last = self.outcomes[self.size];
        let mut joined = self.find_joined();
        if !self.cache.pending.is_empty() {
            self.go_on(&mut joined);
        }
        let open = if is_last { 0 } else { self.open_end(&joined) };
        let settled = self.size - open;
        self.settle(&joined, settled);
        self.write_all(1, settled);
        self.carry(settled, last);
        self.cache.make_room(&self.encoder.known);
    }

    /// Asks for the memory that says what becomes of the pretokens.
    #[inline(always)]
    fn ask(&mut self) {
        let Run { text, cache, cuts, keys, places, .. } = self;
        let (text, lexicon) = (*text, cache.lexicon.view());
        let mut start = cuts[self.carried];
        let ends = &cuts[self.carried + 1..=self.size];
        let pretokens = ends.iter().zip(&mut keys[self.carried..]).zip(&mut places[self.carried..]);
        for ((&end, asked), place) in pretokens {
            let key = Key::of(text, start, end).unwrap_or(Key::NONE);
            *asked = key;
            *place = lexicon.ask(key) as u32;
            start = end;
        }
    }

    /// Finds out what becomes of most pretokens; keeps the others, and says how many.
    #[inline(always)]
    fn meet(&mut self) -> usize {
        let Run { cache, keys, places, outcomes, kinds, missing: list, .. } = self;
        let lexicon = cache.lexicon.view();
        let mut missing = 0;
        let carried = self.carried;
        let pretokens = keys[carried..self.size].iter().zip(&places[carried..]);
        let found = outcomes[carried + 1..].iter_mut().zip(&mut kinds[carried + 1..]);
        for (index, ((&key, &place), (outcome, kind))) in pretokens.zip(found).enumerate() {
            let (there, is_there) = lexicon.get_at(place as usize, key);
            *outcome = there;
            *kind = there.kind as u8;
            list[missing % GROUP] = (carried + index) as u32;
            missing += usize::from(!is_there);
        }
        missing
    }

    #[inline]
    fn set(&mut self, place: usize, outcome: Outcome) {
        self.outcomes[place] = outcome;
        self.kinds[place] = outcome.kind as u8;
    }

    /// Finds out what becomes of the pretokens that were not where they belong.
    #[inline(always)]
    fn look_up(&mut self, missing: usize) {
        for &index in &self.missing[..missing] {
            self.cache.lexicon.ask_after(self.places[index as usize] as usize);
        }
        let mut new = 0;
        for place in 0..missing {
            let index = self.missing[place] as usize;
            let key = self.keys[index];
            let found = if key == Key::NONE {
                let pretoken = &self.text[self.cuts[index]..self.cuts[index + 1]];
                self.cache.lexicon.get_long(pretoken)
            } else {
                self.cache.lexicon.get(self.places[index] as usize, key)
            };
            if let Some(outcome) = found {
                self.set(index + 1, outcome);
            } else {
                self.missing[new] = index as u32;
                new += 1;
            }
        }
        if new > 0 {
            self.work_out(new);
        }
    }

    /// Works out what becomes of new pretokens.
    #[inline(always)]
    fn work_out(&mut self, new: usize) {
        let Run { encoder, text, cache, cuts, keys, outcomes, kinds, missing, .. } = self;
        let Cache { lexicon, lists, pieces, shorts, tokens, .. } = &mut **cache;
        for some in missing[..new].chunks(shorts.len()) {
            let pretoken = |&index: &u32| &text[cuts[index as usize]..cuts[index as usize + 1]];
            encoder.words.take_turns(shorts, some.iter().map(pretoken), &encoder.numbers);
            for (index, short) in some.iter().zip(&mut *shorts) {
                let pretoken = pretoken(index);
                tokens.clear();
                if encoder.words.is_short(pretoken) {
                    tokens.extend(short.tokens());
                } else {
                    encoder.words.run(pretoken, &encoder.numbers, pieces, |_| ());
                    tokens.extend(pieces.items().map(|piece| piece.token));
                }
                let outcome = Outcome::plain(tokens, CACHED, lists);
                let key = keys[*index as usize];
                if key != Key::NONE {
                    lexicon.set_short(key, outcome);
                } else if pretoken.len() <= cache::LONGEST {
                    lexicon.set_long(pretoken, outcome);
                }
                outcomes[*index as usize + 1] = outcome;
                kinds[*index as usize + 1] = outcome.kind as u8;
            }
        }
    }

    /// Finds out which pretokens may come to stand in one token with the one before.
    #[inline(always)]
    fn find_joined(&mut self) -> Bits {
        let phrases = &self.encoder.phrases;
        let mut possible = Bits::default();
        for (part, start) in possible.iter_mut().zip((0..self.size).step_by(PART)) {
            let before = self.kinds[start..].first_chunk().expect("a part");
            let after = self.kinds[start + 1..].first_chunk().expect("a part");
            *part = with_bit(before, ENDS.trailing_zeros())
                & with_bit(after, BEGINS.trailing_zeros())
                & lowest(self.size - start);
            for index in bits(*part) {
                let [left, right] = [0, 1].map(|side| self.outcomes[start + index + side].data[0]);
                self.asked[start + index] = phrases.ask(left, right) as u32;
            }
        }
        let mut joined = Bits::default();
        for ((part, joined), start) in possible.iter().zip(&mut joined).zip((0..).step_by(PART)) {
            for index in bits(*part) {
                let [left, right] = [0, 1].map(|side| self.outcomes[start + index + side].data[0]);
                let place = self.asked[start + index] as usize;
                let (join, is_boundary) = phrases.boundary(place, left, right);
                self.joins[start + index] = join;
                *joined |= u64::from(is_boundary) << index;
            }
        }
        joined
    }

    /// How many at the end of the group may be joined with what comes next.
    #[inline(always)]
    fn open_end(&mut self, joined: &Bits) -> usize {
        if self.outcomes[self.size].ends() == 0 {
            return 0;
        }
        let is_joined = |&at: &usize| joined[at / PART] >> (at % PART) & 1 != 0;
        1 + (1..self.size).rev().take_while(is_joined).count()
    }

    /// Lets units wait that go on from the group before.
    #[cold]
    fn go_on(&mut self, joined: &mut Bits) {
        let end = end_of(joined, 0);
        for index in 0..end {
            self.wait(index + 1, self.joins[index]);
            joined[index / PART] &= !(1 << (index % PART));
        }
        if end < self.size {
            self.flush();
        }
    }

    /// Starts the next group with those that are not settled, or lets them wait if they are many.
    #[inline(always)]
    fn carry(&mut self, settled: usize, last: Outcome) {
        let mut carried = self.size - settled;
        if carried > PART {
            for index in settled..self.size {
                let join = if index == settled { Join::default() } else { self.joins[index] };
                self.wait(index + 1, join);
            }
            self.cuts[settled] = self.cuts[self.size];
            carried = 0;
        }
        self.cuts.copy_within(settled..=settled + carried, 0);
        let before = if self.cache.pending.is_empty() { Outcome::default() } else { last };
        self.set(0, before);
        for index in 1..=carried {
            self.set(index, self.outcomes[settled + index]);
        }
        (self.size, self.carried) = (carried, carried);
    }

    /// Joins what is settled. What is joined takes the place of its first pretoken, and nothing is
    /// left of the others, so that most of it is then written without a decision.
    #[inline(always)]
    fn settle(&mut self, joined: &Bits, settled: usize) {
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
                match end - start {
                    1 => self.pair(start),
                    2 => self.triple(start),
                    _ => self.run(start, end),
                }
            }
        }
    }

    /// Encodes three units that nothing else can join.
    #[inline(always)]
    fn triple(&mut self, start: usize) {
        let [a, b, c] = [0, 1, 2].map(|index| self.outcomes[start + index]);
        let (first, second) = (self.joins[start], self.joins[start + 1]);
        let is_usual = a.is_elsewhere() | b.is_elsewhere() | c.is_elsewhere() == 0
            && first.time > a.data[1].max(b.data[1])
            && second.time > b.data[1].max(c.data[1])
            && first.time.min(second.time) != NEVER;
        if !is_usual {
            return self.run(start, start + 2);
        }
        let is_second = second.time < first.time;
        let made = if is_second { second } else { first };
        let left = if is_second { a.data[0] } else { made.token };
        let right = if is_second { made.token } else { c.data[0] };
        let other = if is_second { a.data[1] } else { c.data[1] };
        let join = self.encoder.phrases.first_join(left, right);
        let is_joined = join.time != NEVER;
        if is_joined && join.time <= made.time.max(other) {
            return self.run(start, start + 2);
        }
        let token = if is_joined { join.token } else { left };
        self.set(start, Outcome::from(Unit { token, from: 0, fickle: 0 }));
        let rest = Outcome::from(Unit { token: right, from: 0, fickle: 0 });
        self.set(start + 1, if is_joined { Outcome::default() } else { rest });
        self.set(start + 2, Outcome::default());
    }

    /// Encodes two units that nothing else can join: one, and the next.
    #[inline(always)]
    fn pair(&mut self, first: usize) {
        let join = self.joins[first];
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
        self.set(first, joined.into());
        self.set(first + 1, Outcome::default());
    }

    /// Encodes units that nothing else can join, from one to another.
    fn run(&mut self, start: usize, end: usize) {
        let mut pending = mem::take(&mut self.cache.pending);
        let outcomes = &self.outcomes[start..=end];
        pending.push(Waiting { unit: outcomes[0].unit(), join: Join::default() });
        for (outcome, &join) in outcomes[1..].iter().zip(&self.joins[start..]) {
            pending.push(Waiting { unit: outcome.unit(), join });
        }
        self.encoder.phrases.run(&mut pending);
        let units = pending.iter().map(|waiting| waiting.unit.into());
        for (place, outcome) in (start..=end).zip(units.chain(iter::repeat(Outcome::default()))) {
            self.set(place, outcome);
        }
        pending.clear();
        self.cache.pending = pending;
    }

    /// Takes a unit out of the group, for later.
    fn wait(&mut self, place: usize, join: Join) {
        let outcome = self.outcomes[place];
        self.set(place, Outcome::default());
        self.cache.pending.push(Waiting { unit: outcome.unit(), join });
    }

    /// Writes what became of a group: the outcomes from one to another.
    #[inline(always)]
    fn write_all(&mut self, first: usize, last: usize) {
        let mut next = first;
        for start in (first..=last).step_by(PART) {
            let kinds = self.kinds[start..].first_chunk().expect("a part");
            let elsewhere = with_bit(kinds, ELSEWHERE.trailing_zeros()) & lowest(last + 1 - start);
            for index in bits(elsewhere) {
                self.out.hold(&self.outcomes[next..start + index]);
                self.write(self.outcomes[start + index]);
                next = start + index + 1;
            }
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

/// So many bits, the lowest.
#[inline(always)]
fn lowest(count: usize) -> u64 {
    if count < PART { (1 << count) - 1 } else { u64::MAX }
}

/// The place after those that follow each other in a set from a start on.
#[inline(always)]
fn end_of(set: &Bits, start: usize) -> usize {
    let mut end = start;
    while let Some(word) = set.get(end / PART) {
        let ones = (word >> (end % PART)).trailing_ones() as usize;
        end += ones;
        if ones == 0 || end % PART != 0 {
            break;
        }
    }
    end
}

/// Where the tokens go.
struct Tokens<'o>(&'o mut Vec<u32>);

impl Tokens<'_> {
    /// Adds the tokens that some outcomes hold. All words of an outcome are written, and the next
    /// go over those that are no tokens: so nothing depends on how many they are.
    #[inline(always)]
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
