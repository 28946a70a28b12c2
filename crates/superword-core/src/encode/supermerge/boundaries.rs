//! The boundaries inside tokens: the pairs of neighbouring tokens that can end up in one token.

use crate::encode::numbering::{EncoderPair, EncoderToken};
use crate::encode::supermerge::pair_table::JoinRule;
use crate::platform::hash::FastMap;

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
    let mut firsts = AtomSets::new(is_atom);
    let mut lasts = AtomSets::new(is_atom);
    // Shorter tokens first: then the atoms of both parts of a token are complete.
    let mut by_length: Vec<&JoinRule> = rules.iter().collect();
    by_length.sort_by_key(|rule| byte_lengths[rule.join.token.as_usize()]);
    let mut remaining = MAX_PER_RULE * (rules.len() + 256);
    for rule in by_length {
        for (sets, part) in [(&mut firsts, rule.pair.left), (&mut lasts, rule.pair.right)] {
            remaining = remaining.checked_sub(sets.get(part).len())?;
            sets.add_atoms_of(part, rule.join.token);
        }
    }
    let mut boundaries = Vec::new();
    for rule in rules {
        for &left in lasts.get(rule.pair.left) {
            for &right in firsts.get(rule.pair.right) {
                remaining = remaining.checked_sub(1)?;
                boundaries.push(EncoderPair { left, right });
            }
        }
    }
    boundaries.sort_unstable();
    boundaries.dedup();
    Some(boundaries)
}

/// Stands for a token with several atoms.
const SEVERAL: EncoderToken = EncoderToken(EncoderToken::NONE.0 - 1);

/// The atoms that can come first, or last, in each token.
struct AtomSets {
    /// By token: its only atom, [`EncoderToken::NONE`] or [`SEVERAL`].
    only: Vec<EncoderToken>,
    /// The atoms of tokens that have several, in order.
    several: FastMap<EncoderToken, Vec<EncoderToken>>,
}

impl AtomSets {
    /// Starts with the atoms, each of which consists of itself.
    fn new(is_atom: &[bool]) -> AtomSets {
        let itself =
            |(token, &is_atom)| if is_atom { EncoderToken(token) } else { EncoderToken::NONE };
        AtomSets { only: (0..).zip(is_atom).map(itself).collect(), several: FastMap::default() }
    }

    /// Returns the atoms of a token, in order.
    fn get(&self, token: EncoderToken) -> &[EncoderToken] {
        match &self.only[token.as_usize()] {
            &EncoderToken::NONE => &[],
            &SEVERAL => &self.several[&token],
            only => std::slice::from_ref(only),
        }
    }

    /// Adds the atoms of one token to those of another.
    fn add_atoms_of(&mut self, part: EncoderToken, token: EncoderToken) {
        if self.only[token.as_usize()] == EncoderToken::NONE
            && self.only[part.as_usize()] != SEVERAL
        {
            self.only[token.as_usize()] = self.only[part.as_usize()];
            return;
        }
        let mut atoms = [self.get(token), self.get(part)].concat();
        atoms.sort_unstable();
        atoms.dedup();
        if atoms.len() > 1 {
            self.only[token.as_usize()] = SEVERAL;
            self.several.insert(token, atoms);
        }
    }
}
