//! Encoding: the rules of a model applied to a text, as table look-up.
//!
//! What merges and deletions make of a pretoken depends on its bytes alone, so it is worked out
//! once: for the pretokens that spell a token of the model when the encoder is made, for others
//! when they are met. Supermerges then join pretokens that are one token, and only a pretoken that
//! spells a token of the model ever is one. Two neighbours can only come to stand in one token if
//! they do so in some superword, so a text is cut at all other boundaries, and what is left between
//! the cuts is short.

mod batch;
mod cache;
mod front;
mod joins;
mod numbers;
mod phrases;
mod replay;
mod row;
mod words;

use std::mem;
use std::sync::Mutex;

use crate::Error;
use crate::model::{Model, Rule};
use crate::pretokenize::{Eligibility, Pattern};
use crate::table::{Sought, Table};

pub use self::batch::Encoded;
use self::cache::Cache;
use self::numbers::Numbers;
use self::phrases::{Fickle, Phrases, Unit};
pub use self::replay::{Step, replay};
use self::row::{NEVER, Rules};
use self::words::Words;

/// How many pretokens are looked up together: by the time that the first is compared, the memory
/// for all of them is on its way.
const GROUP: usize = 32;

/// What a pretoken becomes.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// How many tokens, up to `INLINE`; or one of the kinds below.
    kind: u32,
    data: [u32; INLINE],
}

/// How many tokens an outcome holds itself.
const INLINE: usize = 3;
/// Tokens in a list: where they start, and how many they are. The encoder's list, or the cache's.
const LISTED: u32 = 4;
const CACHED: u32 = 5;
/// A unit that is open at some time: its token, from when on, its number if it is fickle.
const OPEN: u32 = 8;
/// Whether superwords have a boundary after it, and before it.
const ENDS: u32 = 16;
const BEGINS: u32 = 32;

/// What encodes texts as a model says. It never changes; what changes is in a [`Cache`].
pub struct Encoder {
    pattern: Pattern,
    numbers: Numbers,
    words: Words,
    phrases: Phrases,
    /// All pretokens that spell a token which some merge makes, and the single bytes.
    known: Table<Outcome>,
    lists: Vec<u32>,
    /// Whether texts may be cut at their seams.
    has_seams: bool,
    /// What threads that have come and gone remember.
    caches: Mutex<Vec<Cache>>,
}

impl Encoder {
    /// The encoder of a model.
    ///
    /// # Errors
    /// When an eligibility of the user's own backtracks too much on a token.
    pub fn new(model: &Model) -> Result<Encoder, Error> {
        let numbers = Numbers::new(model);
        let mut encoder = Encoder {
            pattern: model.pattern().clone(),
            words: Words::new(model, &numbers),
            phrases: Phrases::new(model, &numbers),
            known: Table::with_room(model.token_count()),
            lists: Vec::new(),
            has_seams: model.pattern().has_seams() && model.eligibility().is_default(),
            caches: Mutex::default(),
            numbers,
        };
        let mut cache = Cache::new();
        let made = model.rules().iter().filter(|rule| matches!(rule, Rule::Merge { .. }));
        for token in (0..256).chain(made.map(Rule::token)) {
            encoder.learn(model.token(token), token, model.eligibility(), &mut cache)?;
        }
        Ok(encoder)
    }

    /// Works out what becomes of a pretoken that spells a token.
    fn learn(
        &mut self,
        pretoken: &[u8],
        token: u32,
        eligibility: &Eligibility,
        cache: &mut Cache,
    ) -> Result<(), Error> {
        if self.known.find(pretoken).is_some() {
            return Ok(());
        }
        let token = self.numbers.of(token);
        let mut lives = Vec::new();
        self.words.run(pretoken, &self.numbers, &mut cache.pieces, |life| lives.push(life));
        let tokens: Vec<u32> = cache.pieces.items().map(|piece| piece.token).collect();
        // What is no text on its own is never a pretoken of a text.
        let is_eligible = match std::str::from_utf8(pretoken) {
            Ok(pretoken) => eligibility.has(pretoken)?,
            Err(_) => false,
        };
        let (ends, begins) = self.phrases.sides(token);
        let outcome = if is_eligible && !lives.is_empty() && (ends || begins) {
            let sides = if ends { ENDS } else { 0 } | if begins { BEGINS } else { 0 };
            let (from, fickle) = match lives[..] {
                [(from, NEVER)] => (from, 0),
                _ => (NEVER, self.phrases.add(Fickle { lives, tokens: tokens.into() })),
            };
            Outcome { kind: OPEN | sides, data: [token, from, fickle] }
        } else {
            Outcome::plain(&tokens, LISTED, &mut self.lists)
        };
        self.known.set(pretoken, outcome);
        Ok(())
    }

    /// The ids of a text.
    ///
    /// # Errors
    /// When a regex gives up, or the model has no id for a byte.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut cache = self.take_cache();
        let mut ids = Vec::new();
        self.encode_text(text, &mut cache, &mut ids)?;
        self.give_back(cache);
        Ok(ids)
    }

    /// Somebody's cache, or a new one. Nobody waits for it: a process may have been forked while
    /// another thread was here.
    fn take_cache(&self) -> Cache {
        self.caches.try_lock().ok().and_then(|mut caches| caches.pop()).unwrap_or_default()
    }

    fn give_back(&self, cache: Cache) {
        if let Ok(mut caches) = self.caches.try_lock() {
            caches.push(cache);
        }
    }

    /// Appends the ids of bytes. Those that are no UTF-8 are pretokens of their own, each, and what
    /// is between them are texts of their own.
    fn encode_bytes(
        &self,
        bytes: &[u8],
        cache: &mut Cache,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            return self.encode_text(text, cache, ids);
        }
        for chunk in bytes.utf8_chunks() {
            self.encode_text(chunk.valid(), cache, ids)?;
            let start = ids.len();
            ids.extend(chunk.invalid().iter().map(|&byte| self.numbers.of(byte.into())));
            self.numbers.to_ids(&mut ids[start..])?;
        }
        Ok(())
    }

    /// Appends the ids of a text.
    fn encode_text(&self, text: &str, cache: &mut Cache, ids: &mut Vec<u32>) -> Result<(), Error> {
        let start = ids.len();
        let mut run = Run {
            encoder: self,
            text: text.as_bytes(),
            cache,
            out: Buffer::new(ids),
            last: Outcome::default(),
        };
        let mut group = [Sought::default(); GROUP];
        let mut size = 0;
        let mut result = Ok(());
        self.pattern.spans(text).for_each(|span| match span {
            Ok(span) => {
                let sought = Sought::new(text.as_bytes(), span.start, span.end);
                run.cache.front.prefetch(&sought);
                group[size] = sought;
                size += 1;
                if size == GROUP {
                    run.group(&group);
                    size = 0;
                }
            }
            Err(error) => result = Err(error),
        });
        run.group(&group[..size]);
        run.flush();
        run.out.write();
        cache.shrink();
        result?;
        self.numbers.to_ids(&mut ids[start..])
    }
}

impl Outcome {
    /// Tokens that no supermerge joins; they go to the list, of this kind, if they are many.
    fn plain(tokens: &[u32], kind: u32, list: &mut Vec<u32>) -> Outcome {
        let mut data = [0; INLINE];
        if tokens.len() <= INLINE {
            data[..tokens.len()].copy_from_slice(tokens);
            return Outcome { kind: tokens.len() as u32, data };
        }
        data[0] = list.len() as u32;
        data[1] = tokens.len() as u32;
        list.extend_from_slice(tokens);
        Outcome { kind, data }
    }

    fn list<'l>(&self, list: &'l [u32]) -> &'l [u32] {
        &list[self.data[0] as usize..][..self.data[1] as usize]
    }
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

    fn extend(&mut self, tokens: impl IntoIterator<Item = u32>) {
        self.write();
        self.out.extend(tokens);
    }

    fn write(&mut self) {
        self.out.extend_from_slice(&self.tokens[..self.used]);
        self.used = 0;
    }
}

/// One text being encoded.
struct Run<'r> {
    encoder: &'r Encoder,
    text: &'r [u8],
    cache: &'r mut Cache,
    out: Buffer<'r>,
    /// What became of the pretoken before.
    last: Outcome,
}

impl Run<'_> {
    /// Encodes pretokens that follow each other.
    fn group(&mut self, group: &[Sought]) {
        let encoder = self.encoder;
        let mut outcomes = [Outcome::default(); GROUP];
        let mut missing = [0; GROUP];
        let mut misses = 0;
        self.cache.make_room();
        for (index, sought) in group.iter().enumerate() {
            let known = self.cache.front.get(sought);
            missing[misses] = index;
            misses += usize::from(known.is_none());
            outcomes[index] = known.unwrap_or_default();
        }
        for &index in &missing[..misses] {
            encoder.known.prefetch(&group[index]);
            self.cache.table.prefetch(&group[index]);
        }
        for &index in &missing[..misses] {
            let sought = &group[index];
            let known = encoder.known.get(self.text, sought);
            let outcome = known.unwrap_or_else(|| self.remembered(sought));
            self.cache.front.set(sought, outcome);
            outcomes[index] = outcome;
        }
        let mut may_join = [false; GROUP];
        let mut left = self.last;
        for (outcome, may_join) in outcomes.iter().zip(&mut may_join).take(group.len()) {
            if left.kind & ENDS != 0 && outcome.kind & BEGINS != 0 {
                *may_join = encoder.phrases.may_be_boundary(left.data[0], outcome.data[0]);
            }
            left = *outcome;
        }
        self.last = left;
        for (outcome, may_join) in outcomes.iter().zip(may_join).take(group.len()) {
            self.add(outcome, may_join);
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

    #[inline]
    fn add(&mut self, outcome: &Outcome, may_join: bool) {
        let &Outcome { kind, data } = outcome;
        if kind & OPEN == 0 {
            if !self.cache.pending.is_empty() {
                self.flush();
            }
            match kind {
                LISTED => self.out.extend(outcome.list(&self.encoder.lists).iter().copied()),
                CACHED => self.out.extend(outcome.list(&self.cache.lists).iter().copied()),
                count => self.out.push(data, count as usize),
            }
            return;
        }
        let [token, from, fickle] = data;
        let unit = Unit { token, from, fickle };
        if let Some(&last) = self.cache.pending.last()
            && !(may_join && self.encoder.phrases.is_boundary(last, unit))
        {
            self.flush();
        }
        self.cache.pending.push(unit);
    }

    /// Encodes the open units that wait.
    #[inline]
    fn flush(&mut self) {
        match self.cache.pending[..] {
            [] => return,
            [unit] => self.unit(unit),
            [left, right] => match self.encoder.phrases.join(left, right) {
                Some((_, unit)) => self.unit(unit),
                None => {
                    self.unit(left);
                    self.unit(right);
                }
            },
            _ => self.flush_many(),
        }
        self.cache.pending.clear();
    }

    fn flush_many(&mut self) {
        let mut units = mem::replace(&mut self.cache.units, phrases::Units::new());
        units.run(&self.encoder.phrases, self.cache.pending.iter().copied(), |_, _| ());
        for unit in units.items() {
            self.unit(unit);
        }
        self.cache.units = units;
    }

    #[inline]
    fn unit(&mut self, unit: Unit) {
        if unit.fickle == 0 {
            self.out.push([unit.token, 0, 0], 1);
        } else {
            let tokens = &self.encoder.phrases.fickle(unit.fickle).tokens;
            self.out.extend(tokens.iter().copied());
        }
    }
}
