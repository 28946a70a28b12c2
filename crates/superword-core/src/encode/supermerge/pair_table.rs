//! The hash table of rules that join two tokens, and of boundaries that no rule joins.
//!
//! It is written by hand because the pipeline prefetches the lines of all boundaries of a group before
//! it probes them. Four pairs and their rules take one cache line, and a probe has one branch, which is
//! almost never taken. With this, the table of pretokens and the pipeline, `benchmarks/encode.py`
//! (131,072 tokens, text seen before) went from 125 to 236 MB/s for BoundlessBPE.

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::platform::cpu::prefetch;
use crate::platform::hash::{FastMap, fold, secret};
use crate::platform::huge_pages;

/// The first step that joins two tokens, and the token that it makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairJoin {
    /// [`NEVER`] for a boundary that no rule joins directly.
    pub(crate) step: u32,
    pub(crate) token: EncoderToken,
}

impl PairJoin {
    /// No rule.
    pub(crate) const NONE: PairJoin = PairJoin { step: NEVER, token: EncoderToken(0) };
}

/// A rule that joins two tokens.
#[derive(Clone, Copy)]
pub(crate) struct JoinRule {
    pub(crate) pair: EncoderPair,
    pub(crate) join: PairJoin,
}

/// The number of pairs in a cache line. Half of them are used on average.
const PAIRS: usize = 4;

/// A slot without a pair. No token has this number.
const FREE: u64 = u64::MAX;

/// A cache line of pairs.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct PairLine {
    pairs: [u64; PAIRS],
    joins: [PairJoin; PAIRS],
}

const EMPTY: PairLine =
    PairLine { pairs: [FREE; PAIRS], joins: [PairJoin { step: 0, token: EncoderToken(0) }; PAIRS] };

/// The hash table.
pub(crate) struct PairTable {
    lines: Vec<PairLine>,
    /// The steps, ascending, of each pair that more than one rule joins.
    repeated_rules: FastMap<u64, Vec<u32>>,
}

impl PairTable {
    /// Creates the table of rules in order, and of boundaries.
    pub(crate) fn new(rules: &[JoinRule], boundaries: &[EncoderPair]) -> PairTable {
        let lines = huge_pages::filled(EMPTY, usize::midpoint(rules.len(), boundaries.len()) + 1);
        let mut table = PairTable { lines, repeated_rules: FastMap::default() };
        for &rule in rules {
            table.insert(rule);
        }
        for &pair in boundaries {
            table.insert(JoinRule { pair, join: PairJoin::NONE });
        }
        table
    }

    fn insert(&mut self, rule: JoinRule) {
        let pair = rule.pair.as_word();
        let mut index = self.home(rule.pair);
        loop {
            let line = &mut self.lines[index];
            for (slot, first) in line.pairs.iter_mut().zip(&mut line.joins) {
                if *slot == FREE {
                    (*slot, *first) = (pair, rule.join);
                    return;
                }
                if *slot == pair {
                    if rule.join.step != NEVER {
                        let steps = self.repeated_rules.entry(pair);
                        steps.or_insert_with(|| vec![first.step]).push(rule.join.step);
                    }
                    return;
                }
            }
            index = self.next_line(index);
        }
    }

    /// Prefetches the home line of a pair, and returns it.
    #[inline]
    pub(crate) fn prefetch(&self, pair: EncoderPair) -> usize {
        let home = self.home(pair);
        prefetch(&self.lines[home]);
        home
    }

    /// Probes for a pair from its home line on. Returns the first rule that joins it, and whether the
    /// pair was found.
    #[inline]
    pub(crate) fn probe(&self, home: usize, pair: EncoderPair) -> (PairJoin, bool) {
        let pair = pair.as_word();
        let line = &self.lines[home];
        let mut found = 0;
        for (index, &other) in line.pairs.iter().enumerate() {
            found |= u32::from(other == pair) << index;
        }
        // One branch, which is almost never taken. Whether a pair is found is hard to predict.
        let has_free = u32::from(line.pairs[PAIRS - 1] == FREE);
        if found | has_free == 0 {
            return self.probe_chain(home, pair);
        }
        (line.joins[found.trailing_zeros() as usize % PAIRS], found != 0)
    }

    #[cold]
    fn probe_chain(&self, home: usize, pair: u64) -> (PairJoin, bool) {
        let mut index = home;
        loop {
            index = self.next_line(index);
            let line = &self.lines[index];
            if let Some(slot) = line.pairs.iter().position(|&other| other == pair) {
                return (line.joins[slot], true);
            }
            if line.pairs[PAIRS - 1] == FREE {
                return (PairJoin::default(), false);
            }
        }
    }

    /// Returns the first rule that joins two tokens.
    #[inline]
    pub(crate) fn get(&self, pair: EncoderPair) -> Option<PairJoin> {
        let (join, is_found) = self.probe(self.home(pair), pair);
        is_found.then_some(join)
    }

    /// Returns the first rule that joins two tokens at a step that `is_allowed`.
    #[inline]
    pub(crate) fn find(
        &self,
        pair: EncoderPair,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<PairJoin> {
        let first = self.get(pair).filter(|join| join.step != NEVER)?;
        if is_allowed(first.step) {
            Some(first)
        } else {
            self.find_repeated(JoinRule { pair, join: first }, is_allowed)
        }
    }

    #[cold]
    fn find_repeated(&self, rule: JoinRule, is_allowed: impl Fn(u32) -> bool) -> Option<PairJoin> {
        let steps = self.repeated_rules.get(&rule.pair.as_word())?;
        let step = steps.iter().copied().find(|&step| is_allowed(step))?;
        Some(PairJoin { step, ..rule.join })
    }

    /// Returns the home line of a pair.
    #[inline]
    fn home(&self, pair: EncoderPair) -> usize {
        let hash = fold(pair.as_word() ^ secret(), 0x9E37_79B9_7F4A_7C15);
        (((hash >> 32) * self.lines.len() as u64) >> 32) as usize
    }

    fn next_line(&self, index: usize) -> usize {
        if index + 1 == self.lines.len() { 0 } else { index + 1 }
    }
}
