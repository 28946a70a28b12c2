//! Counting what a corpus contains: pretokens, pairs of neighbouring pretokens, and fragments.
//!
//! The files in reading order:
//!
//! 1. `corpus_pass`: one pass over the corpus, with one counter for each thread;
//! 2. `pretokens`: the distinct pretokens with their counts, in a `pretoken_map`;
//! 3. `bigrams`: an upper bound of the count of each pair of neighbours, by hash bucket;
//!    `shared_bigrams` has the same with hashes that are equal in all processes;
//! 4. `fragments`: the pieces of documents on which supermerges, or the merges of a second stage,
//!    are learned;
//! 5. `spill`: sorted temporary files, for counts that exceed the memory budget.

pub(crate) mod bigrams;
pub(crate) mod corpus_pass;
pub(crate) mod fragments;
pub(crate) mod pretoken_map;
pub(crate) mod pretokens;
pub(crate) mod shared_bigrams;
pub(crate) mod spill;
pub(crate) mod splitter;
