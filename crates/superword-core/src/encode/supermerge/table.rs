//! Open units, and the supermerges that join them.

use crate::Error;
use crate::encode::numbering::{EncoderPair, EncoderToken, TokenNumbering};
use crate::encode::pretoken::encoding::{IN_CACHE, PretokenEncoding};
use crate::encode::pretoken::interleaved::SmallMerge;
use crate::encode::pretoken::merger::OpenSpan;
use crate::encode::pretoken::rule_replay::{NEVER, ReplayJoin, ReplayRules, RuleReplay};
use crate::encode::supermerge::boundaries::list_boundaries;
use crate::encode::supermerge::pair_table::{JoinRule, PairJoin, PairTable, PairTableView};
use crate::model::{Model, Rule, TokenIndex};

/// An open unit: a pretoken that is one token for some steps, or a superword.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenUnit {
    pub(crate) token: EncoderToken,
    /// The step from which on it is open; [`NEVER`] for a reopened pretoken.
    pub(crate) opened_at: u32,
    /// The index of a reopened pretoken; 0 for other units.
    pub(crate) reopened: u32,
}

/// The replay of supermerges on open units.
pub(crate) type UnitReplay = RuleReplay<OpenUnit>;

/// An open unit that waits for its right neighbours, and the first rule that joins it with the unit
/// before.
#[derive(Clone, Copy)]
pub(crate) struct PendingUnit {
    pub(crate) unit: OpenUnit,
    pub(crate) join: PairJoin,
}

/// Up to this many units, a scan of all units finds the next rule fastest.
pub(crate) const MAX_SCANNED_UNITS: usize = 32;

/// A pretoken that is one token in some spans of steps, but not from some step on for good: deletes
/// split it, and merges may open it again.
pub(crate) struct Reopened {
    pub(crate) open_spans: Vec<OpenSpan>,
    /// Its tokens after all rules, in the encoder's numbering.
    pub(crate) tokens: Box<[u32]>,
}

/// The sides of a pretoken on which superwords contain a boundary.
#[derive(Clone, Copy)]
pub(crate) struct BoundarySides {
    pub(crate) after: bool,
    pub(crate) before: bool,
}

impl BoundarySides {
    /// No side.
    pub(crate) const NONE: BoundarySides = BoundarySides { after: false, before: false };

    /// Returns whether there is a boundary on either side.
    pub(crate) fn any(self) -> bool {
        self.after || self.before
    }
}

/// The rules that join open units.
pub(crate) struct SupermergeTable {
    /// The supermerges, and the boundaries inside superwords.
    pairs: PairTable,
    is_empty: bool,
    /// Whether there are too many boundaries to list, so that any pair may be one.
    allows_all: bool,
    /// By token: the sides on which superwords contain a boundary beside it as a pretoken.
    sides: Vec<BoundarySides>,
    /// The first one is unused, since index 0 stands for none.
    reopened: Vec<Reopened>,
}

impl SupermergeTable {
    /// Creates the table of a model.
    ///
    /// # Errors
    /// When the model's eligibility is a regex that exceeds its backtracking limit on a token.
    pub(crate) fn new(model: &Model, numbering: &TokenNumbering) -> Result<SupermergeTable, Error> {
        let supermerges = (1..).zip(model.rules()).filter_map(|(step, rule)| match rule {
            &Rule::Supermerge { left, right, token, .. } => {
                let [left, right, token] = [left, right, token].map(|token| numbering.token(token));
                let pair = EncoderPair { left, right };
                Some(JoinRule { pair, join: PairJoin { step, token } })
            }
            _ => None,
        });
        let supermerges: Vec<JoinRule> = supermerges.collect();
        let mut is_pretoken = vec![false; model.token_count()];
        for byte in 0..=u8::MAX {
            is_pretoken[numbering.byte(byte).as_usize()] = true;
        }
        let mut byte_lengths = vec![1; model.token_count()];
        for index in model.lookup_tokens() {
            let token = numbering.token(index).as_usize();
            byte_lengths[token] = model.token(index).len() as u32;
            is_pretoken[token] = true;
        }
        for rule in model.rules() {
            let token = numbering.token(rule.token()).as_usize();
            byte_lengths[token] = model.token(rule.token()).len() as u32;
            is_pretoken[token] |= matches!(rule, Rule::Merge { .. });
        }
        let boundaries = list_boundaries(&is_pretoken, &byte_lengths, &supermerges);
        let allows_all = boundaries.is_none();
        let boundaries = boundaries.unwrap_or_default();
        let pairs = PairTable::new(&supermerges, &boundaries);
        let all = BoundarySides { after: allows_all, before: allows_all };
        let mut sides = vec![all; model.token_count()];
        for EncoderPair { left, right } in boundaries {
            sides[left.as_usize()].after = true;
            sides[right.as_usize()].before = true;
        }
        for index in (0..model.token_count() as u32).map(TokenIndex) {
            let token = numbering.token(index).as_usize();
            let sides = &mut sides[token];
            // Only of pretokens: a regex may take long on a superword.
            if !(is_pretoken[token] && sides.any() && is_eligible(model, model.token(index))?) {
                *sides = BoundarySides::NONE;
            }
        }
        let unused = Reopened { open_spans: Vec::new(), tokens: Box::default() };
        let is_empty = supermerges.is_empty();
        Ok(SupermergeTable { pairs, is_empty, allows_all, sides, reopened: vec![unused] })
    }

    /// Adds reopened pretokens, and returns how many there were before.
    pub(crate) fn append_reopened(&mut self, reopened: Vec<Reopened>) -> u32 {
        let before = self.reopened.len() as u32 - 1;
        self.reopened.extend(reopened);
        before
    }

    /// Returns the reopened pretoken with an index.
    fn reopened(&self, index: u32) -> &Reopened {
        &self.reopened[index as usize]
    }

    /// Appends the tokens of a unit, after all rules.
    pub(crate) fn append_tokens(&self, unit: OpenUnit, out: &mut Vec<u32>) {
        if unit.reopened == 0 {
            out.push(unit.token.0);
        } else {
            out.extend_from_slice(&self.reopened(unit.reopened).tokens);
        }
    }

    /// Returns the sides on which a pretoken with this token may have a boundary: none if it is not
    /// eligible.
    #[inline]
    pub(crate) fn boundary_sides(&self, token: EncoderToken) -> BoundarySides {
        self.sides[token.as_usize()]
    }

    /// Returns the encoding of a new pretoken to which all merges were applied. If it has many tokens
    /// they go to the list `spilled` of a cache.
    #[inline(always)]
    pub(crate) fn encode_merged(
        &self,
        merged: &SmallMerge,
        spilled: &mut Vec<u32>,
    ) -> PretokenEncoding {
        let Some(token) = merged.only_token() else {
            return PretokenEncoding::from_tokens(merged.tokens(), IN_CACHE, spilled);
        };
        let unit = OpenUnit { token, opened_at: merged.last_step(), reopened: 0 };
        PretokenEncoding::from_open(unit, self.boundary_sides(token))
    }

    /// Whether no rule joins open units.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns a view for probing pairs of pretokens: the first rules that join them, and whether they are
    /// listed as boundaries.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> PairTableView<'_> {
        self.pairs.view()
    }

    /// Whether there are too many boundaries to list, so that any pair may be one.
    #[inline(always)]
    pub(crate) fn allows_all(&self) -> bool {
        self.allows_all
    }

    /// Applies all supermerges to a few units. This does what a [`UnitReplay`] does, without its
    /// bookkeeping.
    pub(crate) fn merge_few(&self, units: &mut Vec<PendingUnit>) {
        for index in 1..units.len() {
            let (left, right) = (units[index - 1].unit, units[index].unit);
            let join = &mut units[index].join;
            let is_usual = left.reopened | right.reopened == 0
                && join.step > left.opened_at.max(right.opened_at);
            if !is_usual {
                *join = self.find_unit_join(left, right);
            }
        }
        while let Some(index) = find_earliest(units) {
            let PairJoin { step, token } = units[index].join;
            for later in index + 1..units.len() {
                units[later - 1] = units[later];
            }
            units.truncate(units.len() - 1);
            units[index - 1].unit = OpenUnit { token, opened_at: step, reopened: 0 };
            for index in (index - 1).max(1)..(index + 1).min(units.len()) {
                units[index].join = self.find_unit_join(units[index - 1].unit, units[index].unit);
            }
        }
    }

    /// Finds the first rule that joins two units at a step at which both are open.
    #[inline]
    fn find_unit_join(&self, left: OpenUnit, right: OpenUnit) -> PairJoin {
        let pair = EncoderPair { left: left.token, right: right.token };
        let are_open = |step| self.is_open_at(left, step) && self.is_open_at(right, step);
        self.pairs.find(pair, are_open).unwrap_or(PairJoin::NONE)
    }

    /// Returns whether a unit is open just before a step.
    pub(crate) fn is_open_at(&self, unit: OpenUnit, step: u32) -> bool {
        if unit.reopened == 0 {
            return step > unit.opened_at;
        }
        let spans = &self.reopened(unit.reopened).open_spans;
        spans.iter().any(|span| span.opened_at < step && step < span.closed_at)
    }
}

impl ReplayRules for SupermergeTable {
    type Item = OpenUnit;

    #[inline]
    fn find_join(&self, left: OpenUnit, right: OpenUnit) -> Option<ReplayJoin<OpenUnit>> {
        let PairJoin { step, token } = self.find_unit_join(left, right);
        let item = OpenUnit { token, opened_at: step, reopened: 0 };
        (step != NEVER).then_some(ReplayJoin { step, item })
    }
}

/// Whether a pretoken is eligible. Bytes that are not UTF-8 are never a pretoken of a text.
fn is_eligible(model: &Model, pretoken: &[u8]) -> Result<bool, Error> {
    std::str::from_utf8(pretoken).map_or(Ok(false), |pretoken| model.eligibility().has(pretoken))
}

/// Returns the index of the unit that is joined first with the one before.
#[inline]
fn find_earliest(units: &[PendingUnit]) -> Option<usize> {
    let mut found = (NEVER, 0);
    for (index, pending) in units.iter().enumerate().skip(1) {
        if pending.join.step < found.0 {
            found = (pending.join.step, index);
        }
    }
    (found.0 != NEVER).then_some(found.1)
}
