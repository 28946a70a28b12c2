//! Where tokens may be found.

use crate::train::engine::pairs::{Pair, Place};
use crate::train::engine::sequence::{Sequence, pairs_between};
use crate::train::engine::token::TokenId;

/// For each token, every place where it stands, in no order, and places where it stood once.
pub(crate) struct Occurrences {
    places: Vec<Vec<Place>>,
    /// Whether the single bytes are listed too.
    with_bytes: bool,
}

impl Occurrences {
    /// No tokens yet. Without bytes, a pair of bytes has to be looked for everywhere.
    pub(crate) fn new(with_bytes: bool) -> Occurrences {
        Occurrences { places: Vec::new(), with_bytes }
    }

    /// Forgets the single bytes, which are about to be listed.
    pub(crate) fn start_bytes(&mut self) {
        self.with_bytes = true;
        for byte in 0..256 {
            self.of_mut(byte).clear();
        }
    }

    /// Adds places where a token has come to stand.
    pub(crate) fn add(&mut self, token: TokenId, mut places: Vec<Place>) {
        let known = self.of_mut(token);
        if known.is_empty() {
            places.shrink_to_fit();
            *known = places;
        } else {
            known.extend(places);
        }
    }

    /// The places of a token, to be added to.
    pub(crate) fn of_mut(&mut self, token: TokenId) -> &mut Vec<Place> {
        let index = token as usize;
        if index >= self.places.len() {
            self.places.resize_with(index + 1, Vec::new);
        }
        &mut self.places[index]
    }

    /// The places of a token.
    pub(crate) fn of(&self, token: TokenId) -> &[Place] {
        self.places.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// The places of a pair, in order: those of its rarer token are looked at.
    pub(crate) fn of_pair<S: Sequence>(&self, sequence: &S, pair: Pair) -> Vec<Place> {
        let Pair { left, right } = pair;
        let cost = |token| {
            let is_listed = self.with_bytes || token > 255;
            if is_listed { self.of(token).len() } else { usize::MAX }
        };
        let by_left = cost(left) <= cost(right);
        let mut places = Vec::new();
        if cost(left).min(cost(right)) == usize::MAX {
            for row in sequence.rows() {
                pairs_between(sequence, row.start, row.end, |found, at, _| {
                    let place = Place { at, weight: row.weight };
                    places.extend((found == pair).then_some(place));
                });
            }
            return places;
        }
        for &place in self.of(if by_left { left } else { right }) {
            if by_left {
                let found = sequence.token(place.at) == left
                    && sequence.token(sequence.after(place.at)) == right;
                places.extend(found.then_some(place));
            } else if sequence.token(place.at) == right {
                let at = sequence.before(place.at);
                let found = sequence.token(at) == left;
                places.extend(found.then_some(Place { at, ..place }));
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// How often joining a pair would replace it, given all its places, in order.
pub(crate) fn count<S: Sequence>(
    sequence: &S,
    weights: &[u64],
    pair: Pair,
    places: &[Place],
) -> u64 {
    let mut count = 0;
    let mut used_to = 0;
    for place in places {
        // In `x x x` the second pair of equals shares a token with the first.
        if pair.left != pair.right || place.at >= used_to {
            count += weights[place.weight as usize];
            used_to = sequence.after(sequence.after(place.at));
        }
    }
    count
}
