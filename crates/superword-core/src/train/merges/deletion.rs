//! Deletion: a token that hardly occurs outside the token just made is split again.

use std::ops::Range;

use super::pretoken_sequence::PretokenSequence;
use crate::model::Deletion;
use crate::platform::hash::FastMap;
use crate::train::engine::{
    Candidate, Occurrence, PairCounts, PairEngine, TokenPair, TokenSequence, TrainingToken,
    TrainingTokens, for_each_pair, run_end, run_start,
};

/// Knows how each token was made, and so what deleting it leaves.
pub(super) struct TokenDeleter {
    mode: Deletion,
    /// The pair of the first merge that made each token.
    first_pair: Vec<Option<TokenPair>>,
    /// Whether each token was deleted, and no merge has made it again since.
    is_deleted: Vec<bool>,
}

impl TokenDeleter {
    pub(super) fn new(mode: Deletion) -> TokenDeleter {
        TokenDeleter { mode, first_pair: Vec::new(), is_deleted: Vec::new() }
    }

    /// Records a merge.
    pub(super) fn record_merge(&mut self, pair: TokenPair, token: TrainingToken) {
        let index = token.index();
        if index >= self.first_pair.len() {
            self.first_pair.resize(index + 1, None);
            self.is_deleted.resize(index + 1, false);
        }
        self.first_pair[index].get_or_insert(pair);
        self.is_deleted[index] = false;
    }

    /// Returns the parts of a token: its bytes, or the pair of the first merge that made it. A part
    /// of the pair that is deleted is split again the same way.
    fn parts(&self, tokens: &TrainingTokens, token: TrainingToken) -> Box<[TrainingToken]> {
        if self.mode == Deletion::Bytes {
            return tokens.bytes(token).iter().map(|&byte| TrainingToken::from(byte)).collect();
        }
        let mut parts = Vec::new();
        let mut pending = vec![token];
        while let Some(part) = pending.pop() {
            let pair = self.first_pair.get(part.index()).copied().flatten();
            match pair {
                Some(pair) if part == token || self.is_deleted[part.index()] => {
                    pending.extend([pair.right, pair.left]);
                }
                _ => parts.push(part),
            }
        }
        parts.into()
    }

    /// Splits a token wherever it occurs, and returns its parts. `counts` are the counts of tokens.
    pub(super) fn delete(
        &mut self,
        token: TrainingToken,
        engine: &mut PairEngine<PretokenSequence>,
        tokens: &TrainingTokens,
        counts: &mut [u64],
    ) -> Box<[TrainingToken]> {
        let PairEngine { sequence, occurrences, pairs, .. } = engine;
        let parts = self.parts(tokens, token);
        let mut token_occurrences = std::mem::take(occurrences.of_mut(token));
        token_occurrences.sort_unstable();
        let mut deltas = PairDeltas::default();
        for occurrence in token_occurrences {
            if sequence.token(occurrence.at()) != token {
                continue;
            }
            let weight = sequence.weight(occurrence.weight_class());
            let from = run_start(sequence, sequence.before(occurrence.at()));
            let mut end = occurrence.at();
            while sequence.token(end) == token {
                end = sequence.after(end);
            }
            let around = from..run_end(sequence, end);
            deltas.subtract(sequence, around.clone(), weight);
            let mut at = occurrence.at();
            while at != end {
                let next = sequence.after(at);
                sequence.split(at, &parts);
                for &part in &parts {
                    counts[part.index()] += weight;
                    occurrences.of_mut(part).push(occurrence.moved_to(at));
                    at = sequence.after(at);
                }
                debug_assert_eq!(at, next);
            }
            deltas.add(sequence, around, weight, occurrence.weight_class());
        }
        deltas.flush_deltas(tokens, pairs);
        counts[token.index()] = 0;
        self.is_deleted[token.index()] = true;
        parts
    }
}

/// Deltas of pair counts, with the occurrences after the change.
#[derive(Default)]
struct PairDeltas(FastMap<TokenPair, PairDelta>);

#[derive(Default)]
struct PairDelta {
    count: i64,
    occurrences: Vec<Occurrence>,
}

impl PairDeltas {
    /// Subtracts the pairs of a range.
    fn subtract(&mut self, sequence: &PretokenSequence, range: Range<usize>, weight: u64) {
        for_each_pair(sequence, range, |pair, _, counts| {
            self.0.entry(pair).or_default().count -= if counts { weight.cast_signed() } else { 0 };
        });
    }

    /// Adds the pairs of a range, and records their occurrences.
    fn add(
        &mut self,
        sequence: &PretokenSequence,
        range: Range<usize>,
        weight: u64,
        weight_class: u32,
    ) {
        for_each_pair(sequence, range, |pair, at, counts| {
            let delta = self.0.entry(pair).or_default();
            delta.count += if counts { weight.cast_signed() } else { 0 };
            delta.occurrences.push(Occurrence::new(at, weight_class));
        });
    }

    /// Applies the deltas to the counts.
    fn flush_deltas(self, tokens: &TrainingTokens, pairs: &mut PairCounts) {
        for (pair, PairDelta { count, occurrences }) in self.0 {
            if count < 0 {
                pairs.decrease(pair, count.unsigned_abs());
            }
            if count > 0 || !occurrences.is_empty() {
                let by = Candidate { pair, count: count.max(0).cast_unsigned() };
                pairs.increase(tokens, by, &occurrences);
            }
        }
    }
}
