//! Merges that join a token of a higher rank, and so are performed out of order.
//!
//! Say `p` joins `l` and `r` into `t`, and `e` joins `t` and `o`, with a lower rank. By rank, `e` is
//! performed as soon as `p` has made one `t`, and what it makes may be joined at once, too. As rules,
//! these early merges come after `p`, when it has made every `t`. Call `t` and what early merges make
//! of it cores. Both ways give the same tokens if
//!
//! - each early merge joins one core and one other token, which was there before;
//! - none joins a core with `l` on its right: a later `p` may need that `l`. On its left, all `p` were
//!   performed before;
//! - no other token is joined with a core on its left by one early merge and with a core on its right
//!   by another: else `o` in `t o t` goes to the first core by rank, and to the lower rank by rules.
//!
//! For then the early merges take nothing from another `p` or from another core, so each core grows on
//! its own. In both ways, the lowest rank that joins it comes first.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::TokenIndex;
use super::ranked_merges::RankedMerge;
use crate::platform::hash::FastMap;

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
        let mut made_by: FastMap<u32, RankedMerge> = FastMap::default();
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
    let mut cores: HashSet<TokenIndex> = early.iter().map(|merge| merge.token).collect();
    cores.insert(later.token);
    let mut before = HashSet::new();
    let mut after = HashSet::new();
    let have_one_core = early.iter().all(|merge| {
        match [merge.left, merge.right].map(|part| cores.contains(&part)) {
            [true, false] => after.insert(merge.right),
            [false, true] => before.insert(merge.left),
            _ => return false,
        };
        true
    });
    have_one_core && !after.contains(&later.left) && before.is_disjoint(&after)
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
