//! Long pretokens, as models with a second stage have them.
//!
//! Words repeat, and sentences do not; but the rules of the first stage were learned on words. So a
//! pretoken is cut between two bytes wherever no token of the first stage has them side by side.
//! The first stage's rules never join across such a cut, and what they make of a piece is looked up
//! like a word. Then the second stage's rules join the tokens of all pieces, again only between
//! those that may come to stand in one token.
//!
//! None of this depends on where the first stage ends: any number of rules may be the first.

use crate::encode::ids::Numbers;
use crate::encode::pretoken::merger::{Piece, Pieces};
use crate::encode::pretoken::rule_replay::Rules;
use crate::encode::supermerge::boundaries::{Joining, boundaries};
use crate::encode::supermerge::pair_table::{Join, Joins};
use crate::model::{Model, Rule, SecondStage};

/// How many of a model's rules belong to the first stage: those up to the one with which the
/// vocabulary has as many tokens as the transition says.
pub(crate) fn first_rules(model: &Model) -> usize {
    let Some(SecondStage { transition, .. }) = model.parameters().second_stage else {
        return model.rules().len();
    };
    // Tokens are numbered as rules make them.
    let makes_last = |rule: &Rule| rule.token().0 + 1 == transition;
    match transition {
        256 => 0,
        _ => model.rules().iter().position(makes_last).map_or(model.rules().len(), |at| at + 1),
    }
}

/// How the stages of a model come together.
pub(crate) struct Stages {
    /// A bit for every two bytes that a token of the first stage has side by side.
    crossed: Box<[u64; 1 << 10]>,
    /// The rules of the second stage, and all pairs of tokens that may come to stand in one token.
    joins: Joins,
    /// Whether those are too many to list, so that any pair may.
    is_boundless: bool,
    /// By token: how many bytes it has.
    lengths: Vec<u32>,
}

impl Stages {
    /// The stages of a model, the first with so many of its rules; `None` if there is only one.
    pub(crate) fn new(model: &Model, numbers: &Numbers, first_rules: usize) -> Option<Stages> {
        model.parameters().second_stage.as_ref()?;
        let mut crossed = Box::new([0; 1 << 10]);
        let mut is_atom = vec![false; model.token_count()];
        let mut lengths = vec![1; model.token_count()];
        for byte in 0..=u8::MAX {
            is_atom[numbers.of(byte.into()) as usize] = true;
        }
        let mut late: Vec<Joining> = Vec::new();
        for (index, rule) in model.rules().iter().enumerate() {
            let &Rule::Merge { left, right, token, .. } = rule else { continue };
            let number = numbers.of(token);
            lengths[number as usize] = model.token(token).len() as u32;
            if index < first_rules {
                is_atom[number as usize] = true;
                if let (Some(&before), Some(&after)) =
                    (model.token(left).last(), model.token(right).first())
                {
                    let (word, bit) = place(before, after);
                    crossed[word] |= bit;
                }
            } else {
                let join = Join { time: index as u32 + 1, token: number };
                late.push((numbers.of(left), numbers.of(right), join));
            }
        }
        let boundaries = boundaries(&is_atom, &lengths, &late);
        let is_boundless = boundaries.is_none();
        let joins = Joins::new(&late, boundaries.unwrap_or_default());
        Some(Stages { crossed, joins, is_boundless, lengths })
    }

    /// Calls `each` with where the pieces of a pretoken start and end.
    #[inline]
    pub(crate) fn cut(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        mut each: impl FnMut(usize, usize),
    ) {
        let mut from = start;
        for at in start + 1..end {
            let (word, bit) = place(text[at - 1], text[at]);
            if self.crossed[word] & bit == 0 {
                each(from, at);
                from = at;
            }
        }
        each(from, end);
    }

    /// Calls `each` with the tokens of each pretoken, given those of a whole text, and where its
    /// pretokens end in the text.
    pub(crate) fn split(&self, tokens: &[u32], ends: &[usize], mut each: impl FnMut(&[u32])) {
        let mut rest = tokens;
        let mut at = 0;
        for &end in ends {
            let mut count = 0;
            while at < end {
                at += self.lengths[rest[count] as usize] as usize;
                count += 1;
            }
            let (pretoken, after) = rest.split_at(count);
            each(pretoken);
            rest = after;
        }
    }

    /// Appends what the second stage makes of the tokens of a pretoken.
    pub(crate) fn join(&self, tokens: &[u32], row: &mut Pieces, out: &mut Vec<u32>) {
        let mut from = 0;
        for at in 1..=tokens.len() {
            if at < tokens.len() && self.may_meet(tokens[at - 1], tokens[at]) {
                continue;
            }
            match tokens[from..at] {
                [token] => out.push(token),
                [left, right] => match self.joins.find(left, right, |_| true) {
                    Some(join) => out.push(join.token),
                    None => out.extend([left, right]),
                },
                ref tokens => {
                    row.run(self, tokens.iter().map(|&token| Piece { token, made: 0 }), |_, _| ());
                    out.extend(row.items().map(|piece| piece.token));
                }
            }
            from = at;
        }
    }

    /// Whether two tokens of the first stage may come to stand in one.
    #[inline]
    fn may_meet(&self, left: u32, right: u32) -> bool {
        self.is_boundless || self.joins.get(left, right).is_some()
    }
}

impl Rules for Stages {
    type Item = Piece;

    #[inline]
    fn join(&self, left: Piece, right: Piece) -> Option<(u32, Piece)> {
        let after = left.made.max(right.made);
        let join = self.joins.find(left.token, right.token, |time| time > after)?;
        Some((join.time, Piece { token: join.token, made: join.time }))
    }
}

/// Where the bit of two bytes is: in which word, and which.
#[inline]
fn place(left: u8, right: u8) -> (usize, u64) {
    let pair = usize::from(left) << 8 | usize::from(right);
    (pair >> 6, 1 << (pair & 63))
}
