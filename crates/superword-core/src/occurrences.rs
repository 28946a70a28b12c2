//! Where tokens may be found.

use crate::pairs::{Pair, Place};
use crate::sequence::Sequence;
use crate::token::TokenId;

/// For each token, every place where it stands, in no order, and places where it stood once.
#[derive(Default)]
pub(crate) struct Occurrences(Vec<Vec<Place>>);

impl Occurrences {
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
        if index >= self.0.len() {
            self.0.resize_with(index + 1, Vec::new);
        }
        &mut self.0[index]
    }

    /// The places of a token.
    pub(crate) fn of(&self, token: TokenId) -> &[Place] {
        self.0.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// The places of a pair, in order: those of its rarer token are looked at.
    pub(crate) fn of_pair<S: Sequence>(&self, sequence: &S, pair: Pair) -> Vec<Place> {
        let Pair { left, right } = pair;
        let by_left = self.of(left).len() <= self.of(right).len();
        let mut places = Vec::new();
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
