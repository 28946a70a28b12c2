//! Merges that join a token of a higher rank, and so are performed out of order.
//!
//! Say `p` joins `l` and `r` into `t`, and `e` joins `t` and `o`, with a lower rank. By rank, `e` is
//! performed as soon as `p` has made one `t`. As a rule it comes after `p`, so that `p` has made all
//! of them. Both give the same tokens if nothing that happens in between can matter:
//!
//! - `o` is neither `l` nor `r`: else `e` takes a token that a later `p` needs;
//! - `o` is not `t`, and was there before: else what `e` joins depends on the order;
//! - no other early merge of `p` has `o` on the other side: in `t o t` the first `t` would win by
//!   rank, and the lower rank by rules;
//! - no early merge joins what `e` makes: else it happens at once too.
//!
//! Several early merges of one `p` then meet only at one `t`, where the lower rank wins in both ways.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::TokenIndex;
use super::ranked_merges::RankedMerge;

/// The merges that are performed out of order.
pub(super) struct EarlyMerges {
    /// How many can be moved behind the merge that makes their later part.
    pub(super) movable: usize,
    /// The others.
    pub(super) unmovable: Vec<RankedMerge>,
}

impl EarlyMerges {
    /// Finds the early merges among those of all tokens, which come with shorter tokens first.
    pub(super) fn find(merges: impl Iterator<Item = RankedMerge>, tokens: usize) -> EarlyMerges {
        // By token: the rank at which it is first there. A token that no merge makes is never there.
        let mut made_at: Vec<Option<u32>> = vec![None; tokens];
        made_at[..256].fill(Some(0));
        let mut early: BTreeMap<u32, Vec<RankedMerge>> = BTreeMap::new();
        let mut unmovable = Vec::new();
        let mut made_by: HashMap<u32, RankedMerge> = HashMap::new();
        for merge in merges {
            let parts = [merge.left, merge.right].map(|part| made_at[part.as_usize()]);
            let [Some(left), Some(right)] = parts else {
                unmovable.push(merge);
                continue;
            };
            let at = left.max(right).max(merge.rank);
            made_at[merge.token.as_usize()] = Some(at);
            if at > merge.rank {
                early.entry(at).or_default().push(merge);
            } else {
                made_by.insert(at, merge);
            }
        }
        let mut movable = 0;
        for (at, group) in early {
            let is_movable = made_by.get(&at).is_some_and(|made_by| are_movable(&group, made_by));
            if is_movable {
                movable += group.len();
            } else {
                unmovable.extend(group);
            }
        }
        EarlyMerges { movable, unmovable }
    }
}

/// Whether early merges can be moved behind the merge that makes their later part.
fn are_movable(early: &[RankedMerge], later: &RankedMerge) -> bool {
    let made: HashSet<TokenIndex> = early.iter().map(|merge| merge.token).collect();
    let is_independent = |other: TokenIndex| {
        ![later.left, later.right, later.token].contains(&other) && !made.contains(&other)
    };
    let mut before = HashSet::new();
    let mut after = HashSet::new();
    early.iter().all(|merge| {
        let (other, side) = if merge.left == later.token {
            (merge.right, &mut after)
        } else {
            (merge.left, &mut before)
        };
        side.insert(other);
        let joins_it = [merge.left, merge.right].contains(&later.token);
        joins_it && is_independent(other)
    }) && before.is_disjoint(&after)
}

/// Moves each merge after those that make its parts; otherwise keeps the order.
pub(super) fn order_by_parts(merges: Vec<RankedMerge>) -> Vec<RankedMerge> {
    let mut missing: HashSet<TokenIndex> = merges.iter().map(|merge| merge.token).collect();
    let mut waiting: HashMap<TokenIndex, BTreeMap<(u32, TokenIndex), RankedMerge>> = HashMap::new();
    let mut ordered = Vec::with_capacity(merges.len());
    for merge in merges {
        let mut ready = BTreeMap::from([((merge.rank, merge.token), merge)]);
        while let Some((key, merge)) = ready.pop_first() {
            let part = [merge.left, merge.right].into_iter().find(|part| missing.contains(part));
            if let Some(part) = part {
                waiting.entry(part).or_default().insert(key, merge);
            } else {
                missing.remove(&merge.token);
                ordered.push(merge);
                ready.extend(waiting.remove(&merge.token).into_iter().flatten());
            }
        }
    }
    ordered
}
