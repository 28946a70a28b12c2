//! What merges and deletions make of one pretoken.

use crate::encode::ids::Numbers;
use crate::encode::pretoken::merge_index::{Merge, Merges};
use crate::encode::pretoken::rule_replay::{NEVER, Row, Rules};
use crate::model::{Model, Rule, TokenIndex};
use crate::platform::hash::FastMap;

/// A token inside a pretoken.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) token: u32,
    /// When it was made.
    pub(crate) made: u32,
}

/// A row of them.
pub(crate) type Pieces = Row<Piece>;

/// The times between which a pretoken is one token: after the first, before the second.
pub(crate) type Life = (u32, u32);

/// The rules that apply inside a pretoken.
pub(crate) struct Words {
    pub(crate) merges: Merges,
    /// The tokens of the single bytes.
    pub(crate) bytes: [u32; 256],
    /// When two of them are joined, by both.
    pub(crate) byte_joins: Vec<u32>,
    pub(crate) deletions: FastMap<u32, Vec<Deletion>>,
}

/// A token's deletion: when, and the parts with their lengths in bytes.
pub(crate) struct Deletion {
    pub(crate) time: u32,
    pub(crate) parts: Box<[(u32, usize)]>,
}

impl Words {
    /// The first few rules of a model.
    pub(crate) fn new(model: &Model, numbers: &Numbers, rules: &[Rule]) -> Words {
        let end = rules.len() as u32 + 1;
        let rules = || (1..).zip(rules);
        let mut deletions: FastMap<u32, Vec<Deletion>> = FastMap::default();
        for (time, rule) in rules() {
            if let Rule::Delete { token, parts } = rule {
                let part = |&part: &TokenIndex| (numbers.of(part), model.token(part).len());
                let parts = parts.iter().map(part).collect();
                deletions.entry(numbers.of(*token)).or_default().push(Deletion { time, parts });
            }
        }
        let merges = rules().filter_map(|(time, rule)| match rule {
            Rule::Merge { left, right, token, .. } => {
                let [left, right, token] = [left, right, token].map(|token| numbers.of(*token));
                let split = deletion_after(&deletions, token, time);
                Some((time, Merge { left, right, token, split }))
            }
            Rule::Supermerge { .. } | Rule::Delete { .. } => None,
        });
        let merges = Merges::new(merges, end);
        let bytes = std::array::from_fn(|byte| numbers.of(TokenIndex(byte as u32)));
        let mut byte_joins = Vec::with_capacity(1 << 16);
        for &left in &bytes {
            let joins = bytes.iter().map(|&right| merges.when(left, right, 0).min(merges.never()));
            byte_joins.extend(joins);
        }
        Words { merges, bytes, byte_joins, deletions }
    }

    /// Performs all rules on a pretoken; the tokens are then in the row. Calls `lives` with each
    /// time in which it was one token.
    pub(crate) fn run(&self, pretoken: &[u8], row: &mut Pieces, mut lives: impl FnMut(Life)) {
        let mut since = (pretoken.len() == 1).then_some(0);
        let token = |&byte: &u8| self.bytes[usize::from(byte)];
        let pieces = pretoken.iter().map(|byte| Piece { token: token(byte), made: 0 });
        row.run(self, pieces, |time, tokens| {
            if tokens == 1 {
                since = Some(time);
            } else if let Some(since) = since.take() {
                lives((since, time));
            }
        });
        if let Some(since) = since {
            lives((since, NEVER));
        }
    }
}

impl Rules for Words {
    type Item = Piece;

    #[inline]
    fn join(&self, left: Piece, right: Piece) -> Option<(u32, Piece)> {
        let time = self.merges.when(left.token, right.token, left.made.max(right.made));
        let merge = (time != NEVER).then(|| self.merges.at(time))?;
        Some((time, Piece { token: merge.token, made: time }))
    }

    #[inline]
    fn split(&self, piece: Piece) -> u32 {
        deletion_after(&self.deletions, piece.token, piece.made)
    }

    fn parts(&self, piece: Piece, time: u32, mut each: impl FnMut(Piece, usize)) {
        let deletions = &self.deletions[&piece.token];
        for deletion in deletions.iter().filter(|deletion| deletion.time == time) {
            for &(token, places) in &deletion.parts {
                each(Piece { token, made: time }, places);
            }
        }
    }
}

/// When a token is deleted first, after some time.
pub(crate) fn deletion_after(
    deletions: &FastMap<u32, Vec<Deletion>>,
    token: u32,
    after: u32,
) -> u32 {
    let times = deletions.get(&token).into_iter().flatten().map(|deletion| deletion.time);
    times.into_iter().find(|&time| time > after).unwrap_or(NEVER)
}
