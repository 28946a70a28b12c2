//! Making a change at all its occurrences.
//!
//! A change makes or removes one token. So it changes the counts of the pairs of this token, and of
//! the tokens that it joins, with their neighbours. The deltas are added up by neighbour before
//! they are applied to the counts.

use std::ops::Range;

use super::neighbour_deltas::NeighbourDeltas;
use super::occurrences::PREFETCH_DISTANCE;
use super::{
    Change, ChangeSummary, Occurrence, PairCounts, TokenPair, TokenSequence, TrainingToken,
    TrainingTokens, for_each_pair, run_end, run_start,
};

/// Makes changes. It reuses its memory from one change to the next.
#[derive(Default)]
pub(crate) struct Replacer {
    left: NeighbourDeltas,
    right: NeighbourDeltas,
}

impl Replacer {
    /// Makes a change at the occurrences, which are in order, where it fits. The deltas of the
    /// counts are added up; call [`Replacer::flush_deltas`] next.
    pub(crate) fn replace<S: TokenSequence>(
        &mut self,
        change: &impl Change<S>,
        occurrences: &[Occurrence],
        sequence: &S,
        token_count: usize,
    ) -> ChangeSummary {
        self.left.reserve(token_count);
        self.right.reserve(token_count);
        let mut summary = ChangeSummary::default();
        summary.occurrences.reserve(occurrences.len());
        let token = change.token();
        let joined = change.joined_pair();
        let removed = i64::from(joined.is_some());
        for (i, &occurrence) in occurrences.iter().enumerate() {
            if let Some(ahead) = occurrences.get(i + PREFETCH_DISTANCE) {
                sequence.prefetch(ahead.at());
            }
            let at = occurrence.at();
            if !change.fits(sequence, at) {
                continue;
            }
            let (before, after) = (sequence.before(at), change.end(sequence, at));
            let (x, y) = (sequence.token(before), sequence.token(after));
            // Of a run of equal tokens every other pair counts, so it is counted as a whole.
            let is_run = joined
                .is_some_and(|pair| pair.left == pair.right || x == pair.left || y == pair.right);
            if is_run || x == token || y == token || change.fits(sequence, after) {
                self.replace_run(change, occurrence, sequence, &mut summary);
                continue;
            }
            let weight = sequence.weight(occurrence.weight_class());
            let is_removal = sequence.token(at) == token;
            change.make(sequence, at);
            let gained = if is_removal { -weight.cast_signed() } else { weight.cast_signed() };
            if x != TrainingToken::BARRIER {
                let occurrence = (!is_removal).then_some(occurrence.moved_to(before));
                self.left.add(x, removed * gained, gained, occurrence);
            }
            if y != TrainingToken::BARRIER {
                let occurrence = (!is_removal).then_some(occurrence);
                self.right.add(y, removed * gained, gained, occurrence);
            }
            summary.fills_span |= x == TrainingToken::BARRIER && y == TrainingToken::BARRIER;
            summary.weight += weight;
            summary.occurrences.push(occurrence);
        }
        summary
    }

    /// Takes over the deltas that another replacer has added up at later offsets.
    pub(super) fn append(&mut self, later: &mut Replacer) {
        self.left.append(&mut later.left);
        self.right.append(&mut later.right);
    }

    /// Applies the deltas of a change to the counts. `is_new` says that its token did not occur
    /// before.
    pub(crate) fn flush_deltas<S: TokenSequence>(
        &mut self,
        change: &impl Change<S>,
        tokens: &TrainingTokens,
        pairs: &mut PairCounts,
        is_new: bool,
    ) {
        let token = change.token();
        let (first, second) =
            change.joined_pair().map_or((TrainingToken::BARRIER, TrainingToken::BARRIER), |pair| {
                (pair.left, pair.right)
            });
        let before = |right| move |left| TokenPair { left, right };
        let after = |left| move |right| TokenPair { left, right };
        self.left.flush_deltas(tokens, pairs, is_new, before(first), before(token));
        self.right.flush_deltas(tokens, pairs, is_new, after(second), after(token));
    }

    /// Makes a change that fits several times in a row, or that has equal tokens beside it: all
    /// pairs around it are counted before and after.
    fn replace_run<S: TokenSequence>(
        &mut self,
        change: &impl Change<S>,
        occurrence: Occurrence,
        sequence: &S,
        summary: &mut ChangeSummary,
    ) {
        let mut start = occurrence.at();
        if let Some(pair) = change.joined_pair().filter(|pair| pair.left == pair.right) {
            while sequence.token(sequence.before(start)) == pair.left {
                start = sequence.before(start);
            }
        }
        let mut end = start;
        while change.fits(sequence, end) {
            end = change.end(sequence, end);
        }
        let around = run_start(sequence, sequence.before(start))..run_end(sequence, end);
        let weight = sequence.weight(occurrence.weight_class());
        self.add_pairs(change, sequence, around.clone(), -weight.cast_signed(), None);
        let mut at = start;
        while at != end {
            let next = change.end(sequence, at);
            change.make(sequence, at);
            summary.weight += weight;
            summary.occurrences.push(occurrence.moved_to(at));
            at = next;
        }
        self.add_pairs(change, sequence, around, weight.cast_signed(), Some(occurrence));
        let (before, after) = (sequence.before(start), sequence.after(start));
        summary.fills_span |= sequence.token(before) == TrainingToken::BARRIER
            && sequence.token(after) == TrainingToken::BARRIER;
    }

    /// Adds the pairs of a range to the deltas. After a change, their occurrences are recorded like
    /// `occurrence`.
    fn add_pairs<S: TokenSequence>(
        &mut self,
        change: &impl Change<S>,
        sequence: &S,
        range: Range<usize>,
        weight: i64,
        occurrence: Option<Occurrence>,
    ) {
        let token = change.token();
        let joined = change.joined_pair();
        for_each_pair(sequence, range, |pair, at, counts| {
            let weight = if counts { weight } else { 0 };
            let occurrence = occurrence.map(|occurrence| occurrence.moved_to(at));
            if pair.right == token {
                self.left.add(pair.left, 0, weight, occurrence);
            } else if pair.left == token {
                self.right.add(pair.right, 0, weight, occurrence);
            } else if joined.is_some_and(|joined| joined != pair && joined.left == pair.right) {
                self.left.add(pair.left, -weight, 0, None);
            } else if joined.is_some_and(|joined| joined != pair && joined.right == pair.left) {
                self.right.add(pair.right, -weight, 0, None);
            }
        });
    }
}
