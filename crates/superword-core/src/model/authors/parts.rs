//! What the tokens that are deleted split into, which the authors' files leave to be worked out.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Ordered;
use crate::model::{Deletion, SpelledRule};

/// The parts of every token that is deleted.
pub(super) struct Parts<'a> {
    /// By the token: the lengths of its parts. A token that is not here splits into its bytes.
    lengths: HashMap<&'a [u8], Vec<usize>>,
}

impl<'a> Parts<'a> {
    /// The parts that rules, in order, give: bytes, or the pair that the first merge of a token
    /// joined.
    ///
    /// A pair stays as it stands, even if a part of it was deleted too. Only if a vocabulary is
    /// given, a deleted part that it does not have is split the same way: it has no id.
    pub(super) fn new(
        rules: &'a [Ordered],
        deletion: Deletion,
        vocabulary: Option<&HashSet<&[u8]>>,
    ) -> Parts<'a> {
        let mut lengths: HashMap<&[u8], Vec<usize>> = HashMap::new();
        if deletion == Deletion::Bytes {
            return Parts { lengths };
        }
        let stays = |part: &[u8]| vocabulary.is_none_or(|tokens| tokens.contains(part));
        // Parts are shorter than the whole: with the shortest first, theirs are known by then.
        let mut deleted: Vec<(&[u8], usize)> = first_pairs(rules);
        deleted.sort_unstable_by_key(|(token, _)| token.len());
        for (token, middle) in deleted {
            let (left, right) = token.split_at(middle);
            let mut parts = Vec::new();
            for part in [left, right] {
                match lengths.get(part).filter(|_| !stays(part)) {
                    Some(inner) => parts.extend_from_slice(inner),
                    None => parts.push(part.len()),
                }
            }
            lengths.insert(token, parts);
        }
        Parts { lengths }
    }

    /// The parts of a token that is deleted.
    pub(super) fn of<'t>(&self, token: &'t [u8]) -> Vec<Cow<'t, [u8]>> {
        let Some(lengths) = self.lengths.get(token) else {
            return token.chunks(1).map(Cow::Borrowed).collect();
        };
        let mut rest = token;
        let parts = lengths.iter().map(|&length| {
            let (part, after) = rest.split_at(length);
            rest = after;
            Cow::Borrowed(part)
        });
        parts.collect()
    }
}

/// The tokens that are deleted, with the lengths of what the first merge of each had on its left.
fn first_pairs(rules: &[Ordered]) -> Vec<(&[u8], usize)> {
    let mut first: HashMap<&[u8], Option<usize>> = HashMap::new();
    for Ordered { rule, .. } in rules {
        if let SpelledRule::Delete { token, .. } = rule {
            first.insert(token, None);
        }
    }
    let mut joined = Vec::new();
    for Ordered { rule, .. } in rules {
        if let SpelledRule::Merge { left, right, .. } = rule {
            joined.clear();
            joined.extend_from_slice(left);
            joined.extend_from_slice(right);
            if let Some(middle) = first.get_mut(&*joined) {
                middle.get_or_insert(left.len());
            }
        }
    }
    first.into_iter().filter_map(|(token, middle)| Some((token, middle?))).collect()
}
