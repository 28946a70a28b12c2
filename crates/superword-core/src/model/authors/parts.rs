//! How deleted tokens split, which the authors' files do not say.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::IndexedRule;
use crate::model::{Deletion, SpelledRule};

/// The parts of every deleted token.
pub(super) struct Parts<'a> {
    /// By token: the lengths of its parts. A token that is not listed splits into its bytes.
    lengths: HashMap<&'a [u8], Vec<usize>>,
}

impl<'a> Parts<'a> {
    /// The parts that the rules imply: the bytes of a token, or the pair of the first merge that
    /// made it.
    ///
    /// A part that was itself deleted stays whole, unless a vocabulary is given that does not
    /// contain it: then it has no id, and splits in the same way.
    pub(super) fn new(
        rules: &'a [IndexedRule],
        deletion: Deletion,
        vocabulary: Option<&HashSet<&[u8]>>,
    ) -> Parts<'a> {
        let mut lengths: HashMap<&[u8], Vec<usize>> = HashMap::new();
        if deletion == Deletion::Bytes {
            return Parts { lengths };
        }
        let stays = |part: &[u8]| vocabulary.is_none_or(|tokens| tokens.contains(part));
        // Parts are shorter than the whole, so shortest first makes their own parts known in time.
        let mut deleted: Vec<(&[u8], usize)> = find_first_pairs(rules);
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

    /// The parts of a deleted token.
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

/// Finds the deleted tokens that a merge made, with the length of the left side of their first merge.
fn find_first_pairs(rules: &[IndexedRule]) -> Vec<(&[u8], usize)> {
    let mut first: HashMap<&[u8], Option<usize>> = HashMap::new();
    for IndexedRule { rule, .. } in rules {
        if let SpelledRule::Delete { token, .. } = rule {
            first.insert(token, None);
        }
    }
    let mut joined = Vec::new();
    for IndexedRule { rule, .. } in rules {
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
