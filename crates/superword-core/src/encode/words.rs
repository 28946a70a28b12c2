//! What merges and deletions make of one pretoken.

use super::joins::{Join, Joins};
use super::numbers::Numbers;
use super::row::{NEVER, Row, Rules};
use crate::hash::FastMap;
use crate::model::{Model, Rule};

/// A token inside a pretoken.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) token: u32,
    /// When it was made.
    made: u32,
}

/// A row of them.
pub(super) type Pieces = Row<Piece>;

/// The times between which a pretoken is one token: after the first, before the second.
pub(super) type Life = (u32, u32);

/// The rules that apply inside a pretoken.
pub(super) struct Words {
    joins: Joins,
    /// The rules that join the first 256 tokens, the single bytes, by both.
    byte_joins: Vec<Join>,
    /// By token: whether it is ever deleted.
    is_deleted: Vec<bool>,
    deletions: FastMap<u32, Vec<Deletion>>,
}

/// A token's deletion: when, and the parts with their lengths in bytes.
struct Deletion {
    time: u32,
    parts: Box<[(u32, usize)]>,
}

impl Words {
    /// The rules of a model.
    pub(super) fn new(model: &Model, numbers: &Numbers) -> Words {
        let mut merges = Vec::new();
        let mut byte_joins = vec![Join { time: NEVER, token: 0 }; 1 << 16];
        let mut is_deleted = vec![false; model.token_count()];
        let mut deletions: FastMap<u32, Vec<Deletion>> = FastMap::default();
        for (time, rule) in (1..).zip(model.rules()) {
            match rule {
                Rule::Merge { left, right, token, .. } => {
                    let [left, right, token] = [left, right, token].map(|token| numbers.of(*token));
                    let join = Join { time, token };
                    merges.push((left, right, join));
                    if left < 256 && right < 256 {
                        let first = &mut byte_joins[(left << 8 | right) as usize];
                        *first = if first.time == NEVER { join } else { *first };
                    }
                }
                Rule::Supermerge { .. } => {}
                Rule::Delete { token, parts } => {
                    let part = |&part: &u32| (numbers.of(part), model.token(part).len());
                    let parts = parts.iter().map(part).collect();
                    let token = numbers.of(*token);
                    is_deleted[token as usize] = true;
                    deletions.entry(token).or_default().push(Deletion { time, parts });
                }
            }
        }
        Words { joins: Joins::new(&merges, []), byte_joins, is_deleted, deletions }
    }

    /// Performs all rules on a pretoken; the tokens are then in the row. Calls `lives` with each
    /// time in which it was one token.
    pub(super) fn run(
        &self,
        pretoken: &[u8],
        numbers: &Numbers,
        row: &mut Pieces,
        mut lives: impl FnMut(Life),
    ) {
        let mut since = (pretoken.len() == 1).then_some(0);
        let pieces = pretoken.iter().map(|&byte| Piece { token: numbers.of(byte.into()), made: 0 });
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
        let after = left.made.max(right.made);
        if after == 0 && left.token < 256 && right.token < 256 {
            let join = self.byte_joins[(left.token << 8 | right.token) as usize];
            let joined = Piece { token: join.token, made: join.time };
            return (join.time != NEVER).then_some((join.time, joined));
        }
        let join = self.joins.find(left.token, right.token, |time| time > after)?;
        Some((join.time, Piece { token: join.token, made: join.time }))
    }

    #[inline]
    fn split(&self, piece: Piece) -> u32 {
        if !self.is_deleted[piece.token as usize] {
            return NEVER;
        }
        let deletions = &self.deletions[&piece.token];
        deletions
            .iter()
            .map(|deletion| deletion.time)
            .find(|&time| time > piece.made)
            .unwrap_or(NEVER)
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
