//! One text on its way to tokens.

use std::mem;

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
    /// Where boundaries belong that some of a part may have with the one before.
    asked: [u32; GROUP],
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
            joins: [Join::default(); PART],
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
                unsafe { self.encode_group_modern() };
            }
            return;
        }
        self.collect(base, ends);
        if self.size > GROUP - 64 {
            self.encode_group();
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
    fn encode_group_modern(&mut self) {
        self.encode_group();
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
        self.encode_group();
        self.flush();
        self.cache.shrink();
    }

    /// Encodes the pretokens collected, but for those that may be joined with what comes next.
    #[inline(always)]
    fn encode_group(&mut self) {
        self.ask();
        let missing = self.meet();
        if missing > 0 {
            self.look_up(missing);
        }
        let mut possible = [0; GROUP / PART];
        for (possible, start) in possible.iter_mut().zip((0..self.size).step_by(PART)) {
            *possible = self.find_boundaries(start);
        }
        for (possible, start) in possible.into_iter().zip((0..self.size).step_by(PART)) {
            self.settle(start, (self.size - start).min(PART), possible);
        }
        self.cuts[0] = self.cuts[self.size];
        self.set(0, self.outcomes[self.size]);
        self.size = 0;
        self.cache.make_room(&self.encoder.known);
    }

    /// Asks for the memory that says what becomes of the pretokens.
    #[inline(always)]
    fn ask(&mut self) {
        let Run { text, cache, cuts, keys, places, .. } = self;
        let (text, lexicon) = (*text, cache.lexicon.view());
        let mut start = cuts[0];
        let pretokens = cuts[1..=self.size].iter().zip(keys).zip(places);
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
        let pretokens = keys[..self.size].iter().zip(places);
        let found = outcomes[1..].iter_mut().zip(&mut kinds[1..]);
        for (index, ((&key, &mut place), (outcome, kind))) in pretokens.zip(found).enumerate() {
            let (there, is_there) = lexicon.get_at(place as usize, key);
            *outcome = there;
            *kind = there.kind as u8;
            list[missing % GROUP] = index as u32;
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

    /// Finds out which pretokens of a part may come to stand in one token with the one before, as
    /// far as they say themselves, and asks for the memory that says whether they do.
    #[inline(always)]
    fn find_boundaries(&mut self, start: usize) -> u64 {
        let before = self.kinds[start..].first_chunk().expect("a part");
        let after = self.kinds[start + 1..].first_chunk().expect("a part");
        let left = self.size - start;
        let part = if left < PART { (1 << left) - 1 } else { u64::MAX };
        let possible = with_bit(before, ENDS.trailing_zeros())
            & with_bit(after, BEGINS.trailing_zeros())
            & part;
        for index in bits(possible) {
            let (left, right) = (self.outcomes[start + index], self.outcomes[start + index + 1]);
            self.asked[start + index] =
                self.encoder.phrases.ask(left.data[0], right.data[0]) as u32;
        }
        possible
    }

    /// Joins and writes a part. What is joined takes the place of its first pretoken, and nothing is
    /// left of the others, so that most of the part is then written without a decision.
    #[inline(always)]
    fn settle(&mut self, from: usize, size: usize, possible: u64) {
        let outcomes = &self.outcomes[from..=from + size];
        // Which stand in one unit with the one before, as far as boundaries say.
        let mut joined = 0_u64;
        for index in bits(possible) {
            let (left, right) = (outcomes[index].data[0], outcomes[index + 1].data[0]);
            let place = self.asked[from + index] as usize;
            let (join, is_boundary) = self.encoder.phrases.boundary(place, left, right);
            self.joins[index] = join;
            joined |= u64::from(is_boundary) << index;
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
            } else if end == start + 2 {
                self.triple(from, start);
            } else {
                self.run(from, start, end);
            }
        }
        if goes_on && is_alone {
            self.wait(from + size, Join::default());
        }
        self.write_part(from + 1, from + size);
        self.set(from + size, last);
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
        self.set(first, joined.into());
        self.set(first + 1, Outcome::default());
    }

    /// Encodes three units that nothing else can join.
    #[inline]
    fn triple(&mut self, from: usize, start: usize) {
        let place = from + start;
        let [a, b, c] = [0, 1, 2].map(|index| self.outcomes[place + index]);
        let (first, second) = (self.joins[start], self.joins[start + 1]);
        let is_usual = a.is_elsewhere() | b.is_elsewhere() | c.is_elsewhere() == 0
            && first.time > a.data[1].max(b.data[1])
            && second.time > b.data[1].max(c.data[1]);
        if !is_usual {
            return self.run(from, start, start + 2);
        }
        let is_second = second.time < first.time;
        let made = if is_second { second } else { first };
        let left = if is_second { a.data[0] } else { made.token };
        let right = if is_second { made.token } else { c.data[0] };
        let other = if is_second { a.data[1] } else { c.data[1] };
        let (join, is_there) = self.encoder.phrases.get(left, right);
        let is_joined = is_there && join.time != NEVER;
        if made.time == NEVER || is_joined && join.time <= made.time.max(other) {
            return self.run(from, start, start + 2);
        }
        let token = if is_joined { join.token } else { left };
        self.set(place, Outcome::from(Unit { token, from: 0, fickle: 0 }));
        let rest = Outcome::from(Unit { token: right, from: 0, fickle: 0 });
        self.set(place + 1, if is_joined { Outcome::default() } else { rest });
        self.set(place + 2, Outcome::default());
    }

    /// Encodes a run of units of a part, in which those from `start` to `end` are joined with the
    /// one before.
    fn run(&mut self, from: usize, start: usize, end: usize) {
        let mut pending = mem::take(&mut self.cache.pending);
        let places = from + start..=from + end;
        let outcomes = &self.outcomes[places.clone()];
        pending.push(Waiting { unit: outcomes[0].unit(), join: Join::default() });
        for (outcome, &join) in outcomes[1..].iter().zip(&self.joins[start..]) {
            pending.push(Waiting { unit: outcome.unit(), join });
        }
        self.encoder.phrases.run(&mut pending);
        let units = pending.iter().map(|waiting| waiting.unit.into());
        for (place, outcome) in places.zip(units.chain(std::iter::repeat(Outcome::default()))) {
            self.set(place, outcome);
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
        let outcome = self.outcomes[place];
        self.set(place, Outcome::default());
        self.cache.pending.push(Waiting { unit: outcome.unit(), join });
    }

    /// Writes what became of a part: the outcomes from one to another.
    #[inline(always)]
    fn write_part(&mut self, first: usize, last: usize) {
        let kinds = self.kinds[first..].first_chunk().expect("a part");
        let elsewhere = with_bit(kinds, ELSEWHERE.trailing_zeros());
        let elsewhere = elsewhere & (2_u64 << (last - first)).wrapping_sub(1);
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
