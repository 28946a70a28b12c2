//! Merges and deletes on up to 32 short pretokens at once.
//!
//! This does what [`RuleReplay`](super::rule_replay::RuleReplay) does, without its bookkeeping. A new
//! pretoken probes one pair after the other, and each probe waits for memory. So 32 pretokens take
//! turns: each step of a turn is a loop over all of them, and while the memory of one is on its way,
//! the others go on. To avoid branches, positions without a neighbour have one that no rule joins.

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::pipeline::bits::bits;
use crate::encode::pretoken::merge_index::MergeProbe;
use crate::encode::pretoken::merger::PretokenMerger;
use crate::encode::pretoken::rule_replay::NEVER;

/// The most bytes of a short pretoken. Up to here, a scan of all tokens finds the next rule fastest.
const MAX_LEN: usize = 255;

/// The position before the first token, and after the last.
const NO_POSITION: u8 = 255;

/// The number of positions.
const POSITIONS: usize = MAX_LEN + 1;

/// The number of events that are compared at once.
const LANES: usize = 16;

/// No event. It is after all events.
const NO_EVENT: i32 = i32::MAX;

/// The most rules whose steps fit an event.
const MAX_RULES: usize = NO_EVENT as usize / POSITIONS;

/// The number of pretokens that take turns.
pub(crate) const INTERLEAVED: usize = 32;

impl PretokenMerger {
    /// Returns whether a pretoken is short enough for [`PretokenMerger::merge_interleaved`].
    pub(crate) fn is_small(&self, pretoken: &[u8]) -> bool {
        pretoken.len() <= MAX_LEN && self.merges.end() <= MAX_RULES
    }

    /// Applies all rules to the short ones of at most 32 pretokens. Each step is a loop over all of
    /// them, so that a write of one step is done when the next reads it, and more of them overlap.
    #[inline(always)]
    pub(crate) fn merge_interleaved<'t>(
        &self,
        small_merges: &mut [SmallMerge],
        pretokens: impl Iterator<Item = &'t [u8]>,
    ) {
        let small_merges: &mut [SmallMerge; INTERLEAVED] =
            small_merges.try_into().expect("room for all");
        let mut active = 0;
        for (index, (small, pretoken)) in small_merges.iter_mut().zip(pretokens).enumerate() {
            if self.is_small(pretoken) {
                small.load(self, pretoken);
                active |= 1 << index;
            }
        }
        loop {
            for index in bits(active) {
                let has_next = small_merges[index % INTERLEAVED].find_next(self);
                active &= !(u64::from(!has_next) << index);
            }
            if active == 0 {
                break;
            }
            let mut changed = 0;
            for index in bits(active) {
                changed |= u64::from(small_merges[index % INTERLEAVED].apply_next(self)) << index;
            }
            for index in bits(changed) {
                small_merges[index % INTERLEAVED].schedule_changed(self);
            }
        }
    }
}

/// A short pretoken to which rules are applied. A token stays at the position of its first byte.
pub(crate) struct SmallMerge {
    nodes: [SmallNode; POSITIONS],
    /// By position: the step at which the token is split or joined with the next, or an earlier step;
    /// then the position.
    events: [i32; POSITIONS],
    /// By position: the positions of the tokens before and after.
    before: [u8; POSITIONS],
    after: [u8; POSITIONS],
    /// The number of positions that have events.
    size: usize,
    /// The step of the last rule.
    last_step: u32,
    /// The next event.
    next: i32,
    /// The probes of the two pairs that the last rule has made.
    probes: [MergeProbe; 2],
}

/// A token of a short pretoken.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct SmallNode {
    token: EncoderToken,
    /// The step that deletes it.
    split_at: u32,
}

/// Stands where there is no token.
const NO_NODE: SmallNode = SmallNode { token: EncoderToken::NONE, split_at: NEVER };

/// The neighbours of all positions at the start.
const BEFORE: [u8; POSITIONS] = neighbours(u8::MAX);
const AFTER: [u8; POSITIONS] = neighbours(1);

const fn neighbours(distance: u8) -> [u8; POSITIONS] {
    let mut neighbours = [0; POSITIONS];
    let mut position = 0;
    while position < POSITIONS {
        neighbours[position] = (position as u8).wrapping_add(distance);
        position += 1;
    }
    neighbours
}

impl SmallMerge {
    /// Creates one without a pretoken.
    pub(crate) const fn new() -> SmallMerge {
        SmallMerge {
            nodes: [NO_NODE; POSITIONS],
            events: [NO_EVENT; POSITIONS],
            before: BEFORE,
            after: AFTER,
            size: 0,
            last_step: 0,
            next: NO_EVENT,
            probes: [MergeProbe::ANY; 2],
        }
    }

    /// Returns the step of the last rule that was applied; 0 if none was. So a character that starts as
    /// one token is open from the start, which makes no difference, since no rule names it before.
    pub(crate) fn last_step(&self) -> u32 {
        self.last_step
    }

    /// Returns the token, if there is only one.
    #[inline(always)]
    pub(crate) fn only_token(&self) -> Option<EncoderToken> {
        (self.after[0] == NO_POSITION).then_some(self.nodes[0].token)
    }

    /// Returns the tokens.
    #[inline(always)]
    pub(crate) fn tokens(&self) -> impl Iterator<Item = EncoderToken> {
        let positions = std::iter::successors(Some(0), |&position| {
            let after = self.after[usize::from(position)];
            (after != NO_POSITION).then_some(after)
        });
        positions.map(|position: u8| self.nodes[usize::from(position)].token)
    }

    /// Starts with the bytes of a pretoken.
    #[inline(always)]
    fn load(&mut self, merger: &PretokenMerger, pretoken: &[u8]) {
        self.last_step = 0;
        self.size = pretoken.len().next_multiple_of(LANES);
        let neighbours =
            self.before.chunks_exact_mut(LANES).zip(self.after.chunks_exact_mut(LANES));
        let first = BEFORE.chunks_exact(LANES).zip(AFTER.chunks_exact(LANES));
        let events = self.events.chunks_exact_mut(LANES);
        for (((before, after), (first_before, first_after)), events) in
            neighbours.zip(first).zip(events).take(self.size / LANES)
        {
            before.copy_from_slice(first_before);
            after.copy_from_slice(first_after);
            events.fill(NO_EVENT);
        }
        self.after[pretoken.len() - 1] = NO_POSITION;
        self.after[usize::from(NO_POSITION)] = NO_POSITION;
        if !pretoken.is_ascii() {
            return self.load_chars(merger, pretoken);
        }
        for (node, &byte) in self.nodes.iter_mut().zip(pretoken) {
            *node = SmallNode { token: merger.bytes[usize::from(byte)], split_at: NEVER };
        }
        for (position, (pair, to)) in pretoken.windows(2).zip(&mut self.events).enumerate() {
            let step = merger.byte_joins[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            *to = event(step, position);
        }
    }

    /// Starts with the characters of a pretoken that may start as one token, and with its other bytes.
    #[inline(always)]
    fn load_chars(&mut self, merger: &PretokenMerger, pretoken: &[u8]) {
        let (mut position, mut last) = (0, NO_POSITION);
        while position < pretoken.len() {
            let (token, len) = match merger.whole_chars.find(pretoken, position) {
                Some((found, len)) => (found.token, len),
                None => (merger.bytes[usize::from(pretoken[position])], 1),
            };
            self.nodes[position] = SmallNode { token, split_at: NEVER };
            if position > 0 {
                self.link(last, position as u8);
            }
            last = position as u8;
            merger.merges.prefetch_pair(self.pair_before(last));
            position += len;
        }
        self.link(last, NO_POSITION);
        let mut position = self.after[0];
        while position != NO_POSITION {
            let pair = self.pair_before(position);
            let step = merger.merges.lower_bound(merger.merges.probe(pair), pair);
            let before = self.before[usize::from(position)];
            self.events[usize::from(before)] = event(step, before.into());
            position = self.after[usize::from(position)];
        }
    }

    /// Finds the next event, and prefetches its rule. Returns whether there is one.
    #[inline(always)]
    fn find_next(&mut self, merger: &PretokenMerger) -> bool {
        let (first, others) = self.events.split_at(LANES);
        let mut earliest: [i32; LANES] = first.try_into().expect("as many lanes");
        for events in others[..self.size - LANES].chunks_exact(LANES) {
            earliest = std::array::from_fn(|lane| earliest[lane].min(events[lane]));
        }
        self.next = earliest.into_iter().fold(NO_EVENT, i32::min);
        let (step, _) = self.next();
        let has_next = step < merger.merges.no_step();
        if has_next {
            merger.merges.prefetch_merge(step);
        }
        has_next
    }

    /// Returns the step and the position of the next event.
    #[inline(always)]
    fn next(&self) -> (u32, u8) {
        let next = self.next.cast_unsigned();
        (next / POSITIONS as u32, next as u8)
    }

    /// Applies the next rule. Returns whether it has made pairs whose events are yet to be found.
    #[inline(always)]
    fn apply_next(&mut self, merger: &PretokenMerger) -> bool {
        let (step, position) = self.next();
        let Some(merge) = merger.merges.get_if_joins(step, self.pair_at(position)) else {
            self.resolve_collision(merger);
            return false;
        };
        if step < self.last_step {
            self.resolve_collision(merger);
            return false;
        }
        self.last_step = step;
        let next = usize::from(self.after[usize::from(position)]);
        self.events[next] = NO_EVENT;
        self.nodes[usize::from(position)] =
            SmallNode { token: merge.token, split_at: merge.split_at };
        self.link(position, self.after[next]);
        let before = self.before[usize::from(position)];
        let [before, after] = [before, self.after[usize::from(position)]];
        let [before, after] =
            [before, after].map(|position| self.nodes[usize::from(position)].token);
        self.probes = [
            merger.merges.prefetch_pair(EncoderPair { left: before, right: merge.token }),
            merger.merges.prefetch_pair(EncoderPair { left: merge.token, right: after }),
        ];
        true
    }

    /// Finds the events of the pairs that the last rule has made.
    #[inline(always)]
    fn schedule_changed(&mut self, merger: &PretokenMerger) {
        let (_, position) = self.next();
        let positions = [self.before[usize::from(position)], position];
        for (position, probe) in positions.into_iter().zip(self.probes) {
            let join = merger.merges.lower_bound(probe, self.pair_at(position));
            let split_at = self.nodes[usize::from(position)].split_at;
            self.events[usize::from(position)] = event(split_at.min(join), position.into());
        }
    }

    /// Makes two positions neighbours.
    #[inline(always)]
    fn link(&mut self, left: u8, right: u8) {
        self.after[usize::from(left)] = right;
        self.before[usize::from(right)] = left;
    }

    /// Returns the token at a position, and the one after it.
    #[inline(always)]
    fn pair_at(&self, position: u8) -> EncoderPair {
        let next = self.after[usize::from(position)];
        let [left, right] = [position, next].map(|at| self.nodes[usize::from(at)].token);
        EncoderPair { left, right }
    }

    /// Returns the token before a position, and the one at it.
    #[inline(always)]
    fn pair_before(&self, position: u8) -> EncoderPair {
        let before = self.before[usize::from(position)];
        let [left, right] = [before, position].map(|at| self.nodes[usize::from(at)].token);
        EncoderPair { left, right }
    }

    /// Handles an event that is not a merge of this pair: a delete, or a step that is past or belongs
    /// to another pair with the same tag.
    #[cold]
    fn resolve_collision(&mut self, merger: &PretokenMerger) {
        let (step, position) = self.next();
        if self.nodes[usize::from(position)].split_at == step {
            self.last_step = step;
            self.split(merger, position, step);
        } else {
            self.schedule(merger, position);
        }
    }

    /// Finds the exact event of a position.
    fn schedule(&mut self, merger: &PretokenMerger, position: u8) {
        let join = merger.merges.search_step_after(self.pair_at(position), self.last_step);
        let split_at = self.nodes[usize::from(position)].split_at;
        let step = split_at.min(join).min(merger.merges.no_step());
        self.events[usize::from(position)] = event(step, position.into());
    }

    /// Splits the token at a position into the parts of its delete.
    fn split(&mut self, merger: &PretokenMerger, position: u8, step: u32) {
        let delete = merger.deletes.at(self.nodes[usize::from(position)].token, step);
        let before = self.before[usize::from(position)];
        let after = self.after[usize::from(position)];
        let (mut last, mut end) = (before, position);
        for part in &delete.parts {
            let split_at = merger.deletes.first_step_after(part.token, step);
            self.nodes[usize::from(end)] = SmallNode { token: part.token, split_at };
            self.link(last, end);
            last = end;
            end += part.byte_len as u8;
        }
        self.link(last, after);
        self.schedule(merger, before);
        let mut part = position;
        while part != after {
            self.schedule(merger, part);
            part = self.after[usize::from(part)];
        }
    }
}

/// Packs a step, at most the one that stands for no rule, and a position.
#[inline(always)]
fn event(step: u32, position: usize) -> i32 {
    (step * POSITIONS as u32 + position as u32).cast_signed()
}
