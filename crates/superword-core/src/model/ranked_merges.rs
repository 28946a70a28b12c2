//! Merges by rank, recovered as rules that are applied in order.
//!
//! A tokenizer with ranks performs the merge of the lowest rank, again and again. The merges inside
//! a stretch that no merge crosses depend only on its bytes. So a token is always made by the same
//! merge: the last one when its own bytes are merged. Other merges that spell the token never happen.
//! If each merge that happens joins tokens of lower ranks, ranks only rise, and applying each merge
//! once, in order, gives the same result. `early_merges` has the merges for which that is not so.
//!
//! Recovering takes time in proportion to the vocabulary: pairs are joined through a queue, and a
//! lookup hashes no more than two tokens that are there.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::TokenIndex;
use super::early_merges::{EarlyMerges, order_by_parts};
use super::token_interner::TokenInterner;
use crate::platform::hash::FastMap;

/// A merge of a file, spelled out. Its rank is its position.
#[derive(Clone, Copy, Debug)]
pub struct MergePair<'a> {
    /// The left token.
    pub left: &'a [u8],
    /// The right token.
    pub right: &'a [u8],
}

/// The merge that makes a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankedMerge {
    pub(super) rank: u32,
    pub(super) left: TokenIndex,
    pub(super) right: TokenIndex,
    pub(super) token: TokenIndex,
}

/// The merges that make the tokens of a vocabulary.
#[derive(Debug)]
pub(super) struct RecoveredMerges {
    /// The tokens that the merges name.
    pub(super) tokens: TokenInterner,
    /// The merge that makes each token, in an order in which each follows those of its parts. For a
    /// token that no merge ever makes, one that spells it but never happens.
    pub(super) merges: Vec<RankedMerge>,
    /// Tokens that no merge ever makes and that are looked up instead, short ones first. They have no
    /// merge in the list.
    pub(super) looked_up: Vec<TokenIndex>,
    /// Merges that join a token of a higher rank, and cannot be moved behind the merge that makes it.
    pub(super) early: Vec<RankedMerge>,
}

/// A merge that ranks know.
#[derive(Clone, Copy)]
struct KnownMerge {
    rank: u32,
    token: TokenIndex,
}

/// How pairs get their ranks.
enum PairRanks {
    /// By token index: a pair has the rank of the token that it spells.
    OfTokens(Vec<Option<u32>>),
    /// By pair.
    OfPairs(FastMap<PairKey, KnownMerge>),
}

/// Two tokens in one word, which is hashed at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PairKey(u64);

impl PairKey {
    fn new(left: TokenIndex, right: TokenIndex) -> PairKey {
        PairKey(u64::from(left.0) << 32 | u64::from(right.0))
    }

    fn left(self) -> TokenIndex {
        TokenIndex((self.0 >> 32) as u32)
    }

    fn right(self) -> TokenIndex {
        TokenIndex(self.0 as u32)
    }
}

/// The tokens of a vocabulary, and the ranks of their pairs.
struct Ranks {
    tokens: TokenInterner,
    pairs: PairRanks,
}

/// Recovers the merges of a vocabulary with ranks: the ids of the tokens, or the positions of merges.
///
/// If pretokens are looked up in the vocabulary before they are merged, and that may matter, the
/// tokens that no merge makes are listed.
///
/// # Errors
/// The token that no merge spells, unless it is looked up.
pub(super) fn recover_merges<'a>(
    vocabulary: impl ExactSizeIterator<Item = (u32, &'a [u8])>,
    merges: Option<&[MergePair<'_>]>,
    looks_up: bool,
) -> Result<RecoveredMerges, Box<[u8]>> {
    let mut tokens = TokenInterner::single_bytes(vocabulary.len());
    let mut wanted = Vec::with_capacity(vocabulary.len());
    let mut rank_of_token = vec![None; 256];
    for (id, token) in vocabulary {
        let index = tokens.intern(token);
        rank_of_token.resize(tokens.len(), None);
        rank_of_token[index.as_usize()] = Some(id);
        wanted.push(index);
    }
    let pairs = match merges {
        None => PairRanks::OfTokens(rank_of_token),
        Some(merges) => PairRanks::OfPairs(number_pairs(merges, &mut tokens)),
    };
    let ranks = Ranks { tokens, pairs };
    let mut is_known = vec![false; ranks.tokens.len()];
    for token in &wanted {
        is_known[token.as_usize()] = true;
    }
    wanted.retain(|&token| ranks.tokens.get(token).len() > 1);
    wanted.sort_unstable_by_key(|&token| {
        let bytes = ranks.tokens.get(token);
        (bytes.len(), bytes)
    });
    wanted.dedup();
    let mut buffers = MergeBuffers::default();
    let mut made: Vec<Option<RankedMerge>> = vec![None; ranks.tokens.len()];
    let mut unreachable = Vec::new();
    for &token in &wanted {
        made[token.as_usize()] = buffers.last_merge(&ranks, token);
        if made[token.as_usize()].is_none() {
            unreachable.push(token);
        }
    }
    let reached = wanted.iter().filter_map(|&token| made[token.as_usize()]);
    let EarlyMerges { mut unmovable, movable } = EarlyMerges::find(reached, ranks.tokens.len());
    let mut looked_up = Vec::new();
    let is_text = |&token: &TokenIndex| str::from_utf8(ranks.tokens.get(token)).is_ok();
    if looks_up && unreachable.iter().any(is_text) {
        looked_up = unreachable;
    } else {
        match ranks.spell_unreachable(&unreachable, &is_known, &mut made) {
            Ok(early) if looks_up && !early.is_empty() => looked_up = unreachable,
            Ok(early) => unmovable.extend(early),
            Err(_) if looks_up => looked_up = unreachable,
            Err(token) => return Err(ranks.tokens.get(token).into()),
        }
    }
    for &token in &looked_up {
        made[token.as_usize()] = None;
    }
    let mut merges: Vec<RankedMerge> = made.into_iter().flatten().collect();
    merges.sort_unstable_by_key(|merge| (merge.rank, merge.token));
    if movable > 0 || !unmovable.is_empty() {
        merges = order_by_parts(merges);
    }
    Ok(RecoveredMerges { tokens: ranks.tokens, merges, looked_up, early: unmovable })
}

/// Returns the merges of a list by their pairs. Of equal pairs the last counts.
fn number_pairs(
    merges: &[MergePair<'_>],
    tokens: &mut TokenInterner,
) -> FastMap<PairKey, KnownMerge> {
    let mut pairs = FastMap::default();
    pairs.reserve(merges.len());
    let mut joined = Vec::new();
    for (rank, MergePair { left, right }) in (0..).zip(merges) {
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        let [left, right, token] = [*left, *right, &joined].map(|token| tokens.intern(token));
        pairs.insert(PairKey::new(left, right), KnownMerge { rank, token });
    }
    pairs
}

impl Ranks {
    /// Returns the merge of two tokens, which spell `joined`.
    fn find(&self, left: TokenIndex, right: TokenIndex, joined: &[u8]) -> Option<KnownMerge> {
        match &self.pairs {
            PairRanks::OfTokens(ranks) => {
                let token = self.tokens.find(joined)?;
                Some(KnownMerge { rank: ranks[token.as_usize()]?, token })
            }
            PairRanks::OfPairs(pairs) => pairs.get(&PairKey::new(left, right)).copied(),
        }
    }

    /// Whether a merge joins a token that is made at a higher rank, or never.
    fn joins_later(&self, merge: &RankedMerge, made: &[Option<RankedMerge>]) -> bool {
        let is_later = |part: TokenIndex| {
            self.tokens.get(part).len() > 1
                && made[part.as_usize()].is_none_or(|other| other.rank >= merge.rank)
        };
        is_later(merge.left) || is_later(merge.right)
    }

    /// Finds for each token that no merge makes one that spells it. Returns those that join a token
    /// which is made later, or the token that no merge spells.
    fn spell_unreachable(
        &self,
        unreachable: &[TokenIndex],
        is_known: &[bool],
        made: &mut [Option<RankedMerge>],
    ) -> Result<Vec<RankedMerge>, TokenIndex> {
        let spellings = self.spellings(unreachable, is_known);
        let mut early = Vec::new();
        for &token in unreachable {
            let possible = spellings.get(&token).into_iter().flatten();
            let best = possible.min_by_key(|merge| {
                let parts = [merge.left, merge.right].map(|part| self.tokens.get(part));
                (self.joins_later(merge, made), merge.rank, parts)
            });
            let &merge = best.ok_or(token)?;
            if self.joins_later(&merge, made) {
                early.push(merge);
            }
            made[token.as_usize()] = Some(merge);
        }
        Ok(early)
    }

    /// Returns all merges of two known tokens that spell each of the given tokens.
    fn spellings(
        &self,
        wanted: &[TokenIndex],
        is_known: &[bool],
    ) -> FastMap<TokenIndex, Vec<RankedMerge>> {
        let mut found: FastMap<TokenIndex, Vec<RankedMerge>> =
            wanted.iter().map(|&token| (token, Vec::new())).collect();
        match &self.pairs {
            PairRanks::OfPairs(pairs) => {
                for (&pair, &KnownMerge { rank, token }) in pairs {
                    let (left, right) = (pair.left(), pair.right());
                    if is_known[left.as_usize()]
                        && is_known[right.as_usize()]
                        && let Some(merges) = found.get_mut(&token)
                    {
                        merges.push(RankedMerge { rank, left, right, token });
                    }
                }
            }
            PairRanks::OfTokens(ranks) => {
                // Other lengths need not be tried, so a long token does not take quadratic time.
                let known = (0..).zip(is_known).filter(|(_, is_known)| **is_known);
                let lengths: BTreeSet<usize> =
                    known.map(|(token, _)| self.tokens.get(TokenIndex(token)).len()).collect();
                for (&token, merges) in &mut found {
                    let bytes = self.tokens.get(token);
                    let Some(rank) = ranks[token.as_usize()] else { continue };
                    let shorter = lengths.range(..bytes.len()).copied();
                    for at in shorter.filter(|at| lengths.contains(&(bytes.len() - at))) {
                        let parts = [&bytes[..at], &bytes[at..]].map(|part| self.tokens.find(part));
                        if let [Some(left), Some(right)] = parts
                            && is_known[left.as_usize()]
                            && is_known[right.as_usize()]
                        {
                            merges.push(RankedMerge { rank, left, right, token });
                        }
                    }
                }
            }
        }
        found
    }
}

/// The end of a part that was merged with the one before it.
const GONE: usize = 0;

/// A token while the bytes of a longer one are merged.
#[derive(Clone, Copy)]
struct Part {
    token: TokenIndex,
    end: usize,
    /// The start of the part before it.
    before: usize,
}

/// A pair of parts that may be merged, lowest rank first, then leftmost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuedPair {
    rank: u32,
    start: usize,
    end: usize,
    token: TokenIndex,
}

/// Buffers that are used for one token after the other.
#[derive(Default)]
struct MergeBuffers {
    /// By the offset at which a part starts.
    parts: Vec<Part>,
    queue: BinaryHeap<Reverse<QueuedPair>>,
}

impl MergeBuffers {
    /// Merges the bytes of a token, lowest rank first. Returns the merge that makes it, if any does.
    fn last_merge(&mut self, ranks: &Ranks, token: TokenIndex) -> Option<RankedMerge> {
        let bytes = ranks.tokens.get(token);
        self.queue.clear();
        self.parts.clear();
        self.parts.extend(bytes.iter().enumerate().map(|(at, &byte)| Part {
            token: byte.into(),
            end: at + 1,
            before: at.wrapping_sub(1),
        }));
        for start in 0..bytes.len() - 1 {
            self.push_pair(ranks, bytes, start);
        }
        while let Some(Reverse(QueuedPair { rank, start, end, token })) = self.queue.pop() {
            let left = self.parts[start];
            // A pair is gone if one of its parts was merged.
            if left.end <= start || left.end >= bytes.len() || self.parts[left.end].end != end {
                continue;
            }
            if start == 0 && end == bytes.len() {
                let [left, right] = [left.token, self.parts[left.end].token];
                return Some(RankedMerge { rank, left, right, token });
            }
            self.parts[left.end].end = GONE;
            self.parts[start] = Part { token, end, ..left };
            if end < bytes.len() {
                self.parts[end].before = start;
                self.push_pair(ranks, bytes, start);
            }
            if start > 0 {
                self.push_pair(ranks, bytes, left.before);
            }
        }
        None
    }

    /// Queues the pair whose left part starts at an offset, if it has a rank.
    fn push_pair(&mut self, ranks: &Ranks, bytes: &[u8], start: usize) {
        let left = self.parts[start];
        let right = self.parts[left.end];
        let joined = &bytes[start..right.end];
        if let Some(KnownMerge { rank, token }) = ranks.find(left.token, right.token, joined) {
            self.queue.push(Reverse(QueuedPair { rank, start, end: right.end, token }));
        }
    }
}
