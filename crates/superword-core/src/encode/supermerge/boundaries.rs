//! Which tokens may come to stand side by side in one token.

use crate::encode::supermerge::pair_table::Join;

/// A rule that joins: two tokens, when they are joined, and what they become.
pub(crate) type Joining = (u32, u32, Join);

/// How many boundaries are listed at most, for each rule: one is usual.
const MOST: usize = 8;

/// All pairs of atoms that stand side by side in some token that the rules make, or none if they
/// are too many to list. Atoms are the tokens that the rules start from.
///
/// A token may be put together in several ways, and spell an atom too, so for each token it is
/// found out which atoms may come first and last in it.
pub(crate) fn boundaries(
    is_atom: &[bool],
    lengths: &[u32],
    rules: &[Joining],
) -> Option<Vec<(u32, u32)>> {
    let alone = |(token, &is_atom)| if is_atom { vec![token] } else { Vec::new() };
    let mut firsts: Vec<Vec<u32>> = (0..).zip(is_atom).map(alone).collect();
    let mut lasts = firsts.clone();
    // Shorter tokens first: what a token begins and ends with is known before it is used.
    let mut by_length: Vec<&Joining> = rules.iter().collect();
    by_length.sort_by_key(|(_, _, join)| lengths[join.token as usize]);
    let mut left = MOST * (rules.len() + 256);
    for &&(first, last, Join { token, .. }) in &by_length {
        for (sets, side) in [(&mut firsts, first), (&mut lasts, last)] {
            let more = std::mem::take(&mut sets[side as usize]);
            let set = &mut sets[token as usize];
            left = left.checked_sub(more.len())?;
            set.extend(&more);
            set.sort_unstable();
            set.dedup();
            sets[side as usize] = more;
        }
    }
    let mut boundaries = Vec::new();
    for &(first, last, _) in rules {
        for &left_atom in &lasts[first as usize] {
            for &right_atom in &firsts[last as usize] {
                left = left.checked_sub(1)?;
                boundaries.push((left_atom, right_atom));
            }
        }
    }
    boundaries.sort_unstable();
    boundaries.dedup();
    Some(boundaries)
}
