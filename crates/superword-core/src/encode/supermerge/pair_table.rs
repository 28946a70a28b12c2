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
use crate::platform::huge_pages::HugeBlock;
use crate::platform::lanes::{LANES, find_equal};

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

    /// Returns the rule if it `is_found`, else one that is never applied. Takes no branch, because it
    /// would be hard to predict.
    #[inline(always)]
    pub(crate) fn or_never(self, is_found: bool) -> PairJoin {
        const { assert!(NEVER == u32::MAX) };
        PairJoin { step: self.step | u32::from(is_found).wrapping_sub(1), token: self.token }
    }
}

/// A rule that joins two tokens.
#[derive(Clone, Copy)]
pub(crate) struct JoinRule {
    pub(crate) pair: EncoderPair,
    pub(crate) join: PairJoin,
}

/// The number of pairs in a cache line. Half of them are used on average.
const PAIRS: usize = LANES;

/// The bytes of a cache line.
const LINE_BYTES: usize = size_of::<PairLine>();

/// The tokens of a slot without a pair.
const FREE: u32 = EncoderToken::NONE.0;

/// A cache line of pairs.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct PairLine {
    lefts: [u32; PAIRS],
    rights: [u32; PAIRS],
    joins: [PairJoin; PAIRS],
}

const EMPTY: PairLine =
    PairLine { lefts: [FREE; PAIRS], rights: [FREE; PAIRS], joins: [PairJoin::NONE; PAIRS] };

impl PairLine {
    /// Returns the set of slots that hold a pair, with at most one bit.
    #[inline(always)]
    fn find(&self, pair: EncoderPair) -> u32 {
        find_equal(&self.lefts, pair.left.0) & find_equal(&self.rights, pair.right.0)
    }

    /// Whether no slot is free.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.rights[PAIRS - 1] != FREE
    }
}

/// The hash table.
pub(crate) struct PairTable {
    /// A power of two of lines. The home of a pair is the offset, in bytes, of the line that its hash
    /// selects.
    lines: HugeBlock<PairLine>,
    /// The odd factors of its hash. They are secret, so that no model can be made whose pairs collide.
    left_factor: u64,
    right_factor: u64,
    /// The steps, ascending, of each pair that more than one rule joins.
    repeated_rules: FastMap<u64, Vec<u32>>,
}

impl PairTable {
    /// Creates the table of rules in order, and of boundaries.
    pub(crate) fn new(rules: &[JoinRule], boundaries: &[EncoderPair]) -> PairTable {
        let lines = usize::midpoint(rules.len(), boundaries.len()) + 1;
        let mut table = PairTable {
            lines: HugeBlock::filled(EMPTY, lines.next_power_of_two()),
            left_factor: secret() | 1,
            right_factor: fold(secret(), 0x9E37_79B9_7F4A_7C15) | 1,
            repeated_rules: FastMap::default(),
        };
        for &rule in rules {
            table.insert(rule);
        }
        for &pair in boundaries {
            table.insert(JoinRule { pair, join: PairJoin::NONE });
        }
        table
    }

    fn insert(&mut self, rule: JoinRule) {
        let JoinRule { pair, join } = rule;
        let mut index = self.view().home(pair) / LINE_BYTES;
        loop {
            let line = &mut self.lines[index];
            let found = line.find(pair);
            if found != 0 {
                if join.step != NEVER {
                    let first = line.joins[found.trailing_zeros() as usize];
                    let steps = self.repeated_rules.entry(pair.as_word());
                    steps.or_insert_with(|| vec![first.step]).push(join.step);
                }
                return;
            }
            if let Some(slot) = line.rights.iter().position(|&right| right == FREE) {
                (line.lefts[slot], line.rights[slot]) = (pair.left.0, pair.right.0);
                line.joins[slot] = join;
                return;
            }
            index = (index + 1) & (self.lines.len() - 1);
        }
    }

    /// Returns a view for probing.
    #[inline(always)]
    pub(crate) fn view(&self) -> PairTableView<'_> {
        let lines = &*self.lines;
        assert!(!lines.is_empty(), "masked offsets are those of lines");
        PairTableView {
            lines,
            home_mask: size_of_val(lines) - LINE_BYTES,
            left_factor: self.left_factor,
            right_factor: self.right_factor,
        }
    }

    /// Returns whether a rule joins two tokens, or they are a boundary.
    #[inline]
    pub(crate) fn contains(&self, pair: EncoderPair) -> bool {
        let table = self.view();
        table.probe(table.home(pair), pair).1
    }

    /// Returns the first rule that joins two tokens at a step that `is_allowed`.
    #[inline]
    pub(crate) fn find(
        &self,
        pair: EncoderPair,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<PairJoin> {
        let first = self.view().find_first(pair);
        if first.step == NEVER {
            return None;
        }
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
}

/// A table for probing. Its fields stay in registers, which those behind a reference do not.
#[derive(Clone, Copy)]
pub(crate) struct PairTableView<'t> {
    lines: &'t [PairLine],
    /// The offset, in bytes, of the last line. It selects every line, because their number is a power of
    /// two.
    home_mask: usize,
    left_factor: u64,
    right_factor: u64,
}

impl<'t> PairTableView<'t> {
    /// Returns the home of a pair.
    #[inline(always)]
    fn home(self, pair: EncoderPair) -> usize {
        let left = u64::from(pair.left.0).wrapping_mul(self.left_factor);
        let right = u64::from(pair.right.0).wrapping_mul(self.right_factor);
        (left.wrapping_add(right) >> 32) as usize & self.home_mask
    }

    /// Returns the line at a home.
    #[inline(always)]
    fn line(self, home: usize) -> &'t PairLine {
        // SAFETY: the masked offset is a multiple of a line, and at most that of the last one. Computed from an index, it would take two
        // instructions more, in a hot loop of encoding.
        unsafe { &*self.lines.as_ptr().byte_add(home & self.home_mask) }
    }

    /// Prefetches the home line of a pair, and returns its home.
    #[inline(always)]
    pub(crate) fn prefetch(self, pair: EncoderPair) -> usize {
        let home = self.home(pair);
        prefetch(self.line(home));
        home
    }

    /// Probes for a pair from its home line on. Returns the first rule that joins it, and whether the
    /// pair was found.
    #[inline(always)]
    pub(crate) fn probe(self, home: usize, pair: EncoderPair) -> (&'t PairJoin, bool) {
        let line = self.line(home);
        let found = line.find(pair);
        // One branch, which is almost never taken. Whether a pair is found is hard to predict.
        if found | u32::from(!line.is_full()) == 0 {
            return probe_chain(self.lines, home, pair);
        }
        (&line.joins[found.trailing_zeros() as usize % PAIRS], found != 0)
    }

    /// Returns the first rule that joins two tokens, or [`PairJoin::NONE`].
    #[inline(always)]
    pub(crate) fn find_first(self, pair: EncoderPair) -> PairJoin {
        let (join, is_found) = self.probe(self.home(pair), pair);
        join.or_never(is_found)
    }
}

/// Probes for a pair from the line after its home line on. All arguments are passed in registers: a view
/// would be written to memory before each probe, even if no chain is probed.
#[cold]
fn probe_chain(lines: &[PairLine], home: usize, pair: EncoderPair) -> (&PairJoin, bool) {
    let mut index = home / LINE_BYTES;
    loop {
        index = (index + 1) & (lines.len() - 1);
        let line = &lines[index];
        let found = line.find(pair);
        if found != 0 || !line.is_full() {
            return (&line.joins[found.trailing_zeros() as usize % PAIRS], found != 0);
        }
    }
}
