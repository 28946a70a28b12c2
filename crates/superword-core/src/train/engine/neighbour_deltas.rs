//! Deltas of pair counts, added up by the neighbour of the token that changes.

use super::{Candidate, Occurrence, PairCounts, TokenPair, TrainingToken, TrainingTokens};

/// The deltas for one neighbour.
#[derive(Clone, Copy, Default)]
struct NeighbourDelta {
    /// The decrease of its pair with a token that was joined.
    lost: i64,
    /// The increase of its pair with the token that was made.
    gained: i64,
    /// The number of occurrences of the pair that was made.
    occurrences: usize,
    /// One more than the index of that pair in the list of those whose occurrences are wanted.
    wanted: u32,
    is_listed: bool,
}

/// The deltas for all neighbours on one side.
#[derive(Default)]
pub(super) struct NeighbourDeltas {
    /// By token.
    deltas: Vec<NeighbourDelta>,
    /// The tokens that have deltas.
    listed: Vec<TrainingToken>,
    occurrences: Vec<NeighbourOccurrence>,
}

/// An occurrence of the pair that was made with a neighbour.
struct NeighbourOccurrence {
    neighbour: TrainingToken,
    occurrence: Occurrence,
}

/// A pair that was made, and is or will be kept.
struct WantedPair {
    made: Candidate,
    occurrences: Vec<Occurrence>,
}

impl NeighbourDeltas {
    /// Makes room for the deltas of all tokens.
    pub(super) fn reserve(&mut self, tokens: usize) {
        if self.deltas.len() < tokens {
            self.deltas.resize(tokens + tokens / 2, NeighbourDelta::default());
        }
    }

    /// Adds to the deltas of a neighbour.
    #[inline]
    pub(super) fn add(
        &mut self,
        neighbour: TrainingToken,
        lost: i64,
        gained: i64,
        occurrence: Option<Occurrence>,
    ) {
        let delta = &mut self.deltas[neighbour.index()];
        if !delta.is_listed {
            delta.is_listed = true;
            self.listed.push(neighbour);
        }
        delta.lost += lost;
        delta.gained += gained;
        if let Some(occurrence) = occurrence {
            delta.occurrences += 1;
            self.occurrences.push(NeighbourOccurrence { neighbour, occurrence });
        }
    }

    /// Takes over the deltas of later occurrences.
    pub(super) fn append(&mut self, later: &mut NeighbourDeltas) {
        for neighbour in later.listed.drain(..) {
            let delta = std::mem::take(&mut later.deltas[neighbour.index()]);
            self.add(neighbour, delta.lost, delta.gained, None);
            self.deltas[neighbour.index()].occurrences += delta.occurrences;
        }
        self.occurrences.append(&mut later.occurrences);
    }

    /// Applies the deltas to the counts, and clears them. `old` and `new` return the pairs of a
    /// neighbour with the token that was joined and the one that was made; `is_new` says that the
    /// latter did not occur before.
    pub(super) fn flush_deltas(
        &mut self,
        tokens: &TrainingTokens,
        pairs: &mut PairCounts,
        is_new: bool,
        old: impl Fn(TrainingToken) -> TokenPair,
        new: impl Fn(TrainingToken) -> TokenPair,
    ) {
        for &neighbour in &self.listed {
            pairs.prefetch(old(neighbour));
            if !is_new {
                pairs.prefetch(new(neighbour));
            }
        }
        let mut wanted: Vec<WantedPair> = Vec::new();
        for &neighbour in &self.listed {
            let delta = &mut self.deltas[neighbour.index()];
            if delta.lost > 0 {
                pairs.decrease(old(neighbour), delta.lost.cast_unsigned());
            }
            let pair = new(neighbour);
            if delta.gained < 0 {
                pairs.decrease(pair, delta.gained.unsigned_abs());
            }
            let made = Candidate { pair, count: delta.gained.max(0).cast_unsigned() };
            if delta.occurrences > 0 && pairs.wants_occurrences(pair, made.count, is_new) {
                let occurrences = Vec::with_capacity(delta.occurrences);
                wanted.push(WantedPair { made, occurrences });
                delta.wanted = wanted.len() as u32;
            } else if made.count > 0 && !is_new {
                pairs.increase(tokens, made, &[]);
            }
        }
        if !wanted.is_empty() {
            for &NeighbourOccurrence { neighbour, occurrence } in &self.occurrences {
                let index = self.deltas[neighbour.index()].wanted;
                if index > 0 {
                    wanted[index as usize - 1].occurrences.push(occurrence);
                }
            }
        }
        for WantedPair { made, occurrences } in wanted {
            if is_new {
                pairs.insert(tokens, made, occurrences);
            } else {
                pairs.increase(tokens, made, &occurrences);
            }
        }
        for neighbour in self.listed.drain(..) {
            self.deltas[neighbour.index()] = NeighbourDelta::default();
        }
        self.occurrences.clear();
    }
}
