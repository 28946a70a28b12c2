//! The boundaries inside tokens: the pairs of neighbouring tokens that can end up in one token.

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::supermerge::pair_table::JoinRule;

/// The most boundaries that are listed, per rule. One is usual.
const MAX_PER_RULE: usize = 8;

/// Lists the pairs of neighbouring atoms in all derivations of all tokens that the rules make, or
/// returns `None` if there are too many. Atoms are the tokens that the rules start from.
///
/// A token may have several derivations, and may be an atom as well. So the atoms that can come first
/// and last in each token are collected.
pub(crate) fn list_boundaries(
    is_atom: &[bool],
    byte_lengths: &[u32],
    rules: &[JoinRule],
) -> Option<Vec<EncoderPair>> {
    let itself = |(token, &is_atom)| if is_atom { vec![EncoderToken(token)] } else { Vec::new() };
    let mut firsts: Vec<Vec<EncoderToken>> = (0..).zip(is_atom).map(itself).collect();
    let mut lasts = firsts.clone();
    // Shorter tokens first: then the atoms of both parts of a token are complete.
    let mut by_length: Vec<&JoinRule> = rules.iter().collect();
    by_length.sort_by_key(|rule| byte_lengths[rule.join.token.as_usize()]);
    let mut remaining = MAX_PER_RULE * (rules.len() + 256);
    for rule in by_length {
        for (sets, part) in [(&mut firsts, rule.pair.left), (&mut lasts, rule.pair.right)] {
            let more = std::mem::take(&mut sets[part.as_usize()]);
            let set = &mut sets[rule.join.token.as_usize()];
            remaining = remaining.checked_sub(more.len())?;
            set.extend(&more);
            set.sort_unstable();
            set.dedup();
            sets[part.as_usize()] = more;
        }
    }
    let mut boundaries = Vec::new();
    for rule in rules {
        for &left in &lasts[rule.pair.left.as_usize()] {
            for &right in &firsts[rule.pair.right.as_usize()] {
                remaining = remaining.checked_sub(1)?;
                boundaries.push(EncoderPair { left, right });
            }
        }
    }
    boundaries.sort_unstable();
    boundaries.dedup();
    Some(boundaries)
}
