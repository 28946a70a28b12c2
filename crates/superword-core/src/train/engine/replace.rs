//! Changing tokens everywhere, and what that does to the counts of pairs.
//!
//! Each change makes or unmakes one token: joining a pair, opening a pretoken, closing it. So the
//! pairs that come or go with it are `(x, token)` and `(token, y)`; they are summed by their
//! other token, in an array, before the table of pairs is touched.

use crate::train::engine::pairs::{Pair, Pairs, Place};
use crate::train::engine::sequence::{BARRIER, Sequence, pairs_between};
use crate::train::engine::token::{TokenId, Tokens};

/// A change, to be made wherever it fits.
pub(crate) trait Change<S: Sequence> {
    /// The token that it makes or unmakes.
    fn token(&self) -> TokenId;
    /// The pair that it uses up, if it joins one.
    fn used(&self) -> Option<Pair>;
    /// Whether it can be made at a place.
    fn fits(&self, sequence: &S, at: u32) -> bool;
    /// What starts after all that it changes at a place.
    fn after(&self, sequence: &S, at: u32) -> u32;
    /// Makes it.
    fn make(&self, sequence: &mut S, at: u32);
}

/// Joining a pair into a token.
pub(crate) struct Join {
    pub(crate) pair: Pair,
    pub(crate) token: TokenId,
}

impl<S: Sequence> Change<S> for Join {
    #[inline]
    fn token(&self) -> TokenId {
        self.token
    }

    #[inline]
    fn used(&self) -> Option<Pair> {
        Some(self.pair)
    }

    #[inline]
    fn fits(&self, sequence: &S, at: u32) -> bool {
        sequence.token(at) == self.pair.left
            && sequence.token(sequence.after(at)) == self.pair.right
    }

    #[inline]
    fn after(&self, sequence: &S, at: u32) -> u32 {
        sequence.after(sequence.after(at))
    }

    #[inline]
    fn make(&self, sequence: &mut S, at: u32) {
        sequence.join(at, sequence.after(at), self.token);
    }
}

/// What a change did.
pub(crate) struct Changed {
    /// How often it was made, each time with its row's weight.
    pub(crate) weight: u64,
    /// Where it was made, in order.
    pub(crate) places: Vec<Place>,
    /// Whether some row has become the token alone.
    pub(crate) is_row: bool,
}

/// Makes changes. It keeps the memory that they need from one to the next.
#[derive(Default)]
pub(crate) struct Replacer {
    left: Side,
    right: Side,
}

/// How many places ahead memory is asked for.
const AHEAD: usize = 12;

impl Replacer {
    /// Makes a change at all the places, which are in order, where it fits, and brings the pairs
    /// up to date. `is_new` says that its token did not occur before.
    pub(crate) fn replace<S: Sequence>(
        &mut self,
        change: &impl Change<S>,
        places: &[Place],
        (sequence, weights): (&mut S, &[u64]),
        (tokens, pairs): (&Tokens, &mut Pairs),
        is_new: bool,
    ) -> Changed {
        self.left.start(tokens.len());
        self.right.start(tokens.len());
        let mut changed =
            Changed { weight: 0, places: Vec::with_capacity(places.len()), is_row: false };
        let token = change.token();
        let used = change.used();
        let (first, second) = used.map_or((BARRIER, BARRIER), |pair| (pair.left, pair.right));
        let removed = i64::from(used.is_some());
        for (i, &place) in places.iter().enumerate() {
            if let Some(ahead) = places.get(i + AHEAD) {
                sequence.prefetch(ahead.at);
            }
            if !change.fits(sequence, place.at) {
                continue;
            }
            let (before, after) = (sequence.before(place.at), change.after(sequence, place.at));
            let (x, y) = (sequence.token(before), sequence.token(after));
            // Of a run of equal tokens, pairs are half as many: it must be counted as a whole.
            let is_run = used
                .is_some_and(|pair| pair.left == pair.right || x == pair.left || y == pair.right);
            if is_run || x == token || y == token || change.fits(sequence, after) {
                self.replace_run(change, place, (sequence, weights), &mut changed);
                continue;
            }
            let weight = weights[place.weight as usize];
            let is_unmade = sequence.token(place.at) == token;
            change.make(sequence, place.at);
            let come = if is_unmade { -weight.cast_signed() } else { weight.cast_signed() };
            if x != BARRIER {
                let left_place = (!is_unmade).then_some(Place { at: before, ..place });
                self.left.add(x, removed * come, come, left_place);
            }
            if y != BARRIER {
                self.right.add(y, removed * come, come, (!is_unmade).then_some(place));
            }
            changed.is_row |= x == BARRIER && y == BARRIER;
            changed.weight += weight;
            changed.places.push(place);
        }
        let before = |right| move |left| Pair { left, right };
        let after = |left| move |right| Pair { left, right };
        self.left.settle((tokens, pairs), is_new, before(first), before(token));
        self.right.settle((tokens, pairs), is_new, after(second), after(token));
        changed
    }

    /// The same where the change fits several times in a row, or equal tokens stand beside it:
    /// all pairs around are counted before and after.
    fn replace_run<S: Sequence>(
        &mut self,
        change: &impl Change<S>,
        place: Place,
        (sequence, weights): (&mut S, &[u64]),
        changed: &mut Changed,
    ) {
        let mut start = place.at;
        if let Some(pair) = change.used().filter(|pair| pair.left == pair.right) {
            while sequence.token(sequence.before(start)) == pair.left {
                start = sequence.before(start);
            }
        }
        let mut end = start;
        while change.fits(sequence, end) {
            end = change.after(sequence, end);
        }
        let from = run_start(sequence, sequence.before(start));
        let to = run_end(sequence, end);
        let weight = weights[place.weight as usize];
        self.count(change, (sequence, from, to), place, -weight.cast_signed());
        let mut at = start;
        while at != end {
            let next = change.after(sequence, at);
            change.make(sequence, at);
            changed.weight += weight;
            changed.places.push(Place { at, ..place });
            at = next;
        }
        self.count(change, (sequence, from, to), place, weight.cast_signed());
        let (before, after) = (sequence.before(start), sequence.after(start));
        changed.is_row |= sequence.token(before) == BARRIER && sequence.token(after) == BARRIER;
    }

    /// Adds the pairs between two places to the sums.
    fn count<S: Sequence>(
        &mut self,
        change: &impl Change<S>,
        (sequence, from, to): (&S, u32, u32),
        place: Place,
        weight: i64,
    ) {
        let token = change.token();
        let used = change.used();
        let is_after = weight > 0;
        pairs_between(sequence, from, to, |pair, at, counts| {
            let weight = if counts { weight } else { 0 };
            let place = is_after.then_some(Place { at, ..place });
            if pair.right == token {
                self.left.add(pair.left, 0, weight, place);
            } else if pair.left == token {
                self.right.add(pair.right, 0, weight, place);
            } else if used.is_some_and(|used| used != pair && used.left == pair.right) {
                self.left.add(pair.left, -weight, 0, None);
            } else if used.is_some_and(|used| used != pair && used.right == pair.left) {
                self.right.add(pair.right, -weight, 0, None);
            }
        });
    }
}

/// Where the run of equal tokens that holds the one at `at` starts.
pub(crate) fn run_start<S: Sequence>(sequence: &S, mut at: u32) -> u32 {
    let token = sequence.token(at);
    while token != BARRIER && sequence.token(sequence.before(at)) == token {
        at = sequence.before(at);
    }
    at
}

/// Where the last token of the run that holds the one at `at` starts.
pub(crate) fn run_end<S: Sequence>(sequence: &S, mut at: u32) -> u32 {
    let token = sequence.token(at);
    while token != BARRIER && sequence.token(sequence.after(at)) == token {
        at = sequence.after(at);
    }
    at
}

/// The sums for one token beside the one that changes.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// By how much its pair with a token used up falls.
    gone: i64,
    /// By how much its pair with the token made rises.
    come: i64,
    /// How many places came with that.
    places: u32,
    /// One more than its index among the pairs whose places are wanted.
    wanted: u32,
    is_listed: bool,
}

/// The sums on one side.
#[derive(Default)]
struct Side {
    /// By token.
    sums: Vec<Sum>,
    /// The tokens that have sums.
    listed: Vec<TokenId>,
    places: Vec<(TokenId, Place)>,
}

impl Side {
    fn start(&mut self, tokens: usize) {
        if self.sums.len() < tokens {
            self.sums.resize(tokens + tokens / 2, Sum::default());
        }
    }

    #[inline]
    fn add(&mut self, neighbour: TokenId, gone: i64, come: i64, place: Option<Place>) {
        let sum = &mut self.sums[neighbour as usize];
        if !sum.is_listed {
            sum.is_listed = true;
            self.listed.push(neighbour);
        }
        sum.gone += gone;
        sum.come += come;
        if let Some(place) = place {
            sum.places += 1;
            self.places.push((neighbour, place));
        }
    }

    /// Hands the sums on to the pairs, and forgets them.
    fn settle(
        &mut self,
        (tokens, pairs): (&Tokens, &mut Pairs),
        is_new: bool,
        old: impl Fn(TokenId) -> Pair,
        new: impl Fn(TokenId) -> Pair,
    ) {
        let mut wanted: Vec<(Pair, u64, Vec<Place>)> = Vec::new();
        for &neighbour in &self.listed {
            let sum = &mut self.sums[neighbour as usize];
            if sum.gone > 0 {
                pairs.decrease(old(neighbour), sum.gone.cast_unsigned());
            }
            let pair = new(neighbour);
            if sum.come < 0 {
                pairs.decrease(pair, sum.come.unsigned_abs());
            }
            let come = sum.come.max(0).cast_unsigned();
            if sum.places > 0 && pairs.wants_places(pair, come, is_new) {
                wanted.push((pair, come, Vec::with_capacity(sum.places as usize)));
                sum.wanted = wanted.len() as u32;
            } else if come > 0 && !is_new {
                pairs.increase(tokens, pair, come, &[]);
            }
        }
        if !wanted.is_empty() {
            for &(neighbour, place) in &self.places {
                let index = self.sums[neighbour as usize].wanted;
                if index > 0 {
                    wanted[index as usize - 1].2.push(place);
                }
            }
        }
        for (pair, count, places) in wanted {
            if is_new {
                pairs.insert(tokens, pair, count, places);
            } else {
                pairs.increase(tokens, pair, count, &places);
            }
        }
        for neighbour in self.listed.drain(..) {
            self.sums[neighbour as usize] = Sum::default();
        }
        self.places.clear();
    }
}
