//! Counting what a corpus contains: pretokens, pairs of neighbouring pretokens, and fragments.
//!
//! The files in reading order:
//!
//! 1. `corpus_pass`: one pass over the corpus, with one counter for each thread;
//! 2. `pretokens`: the distinct pretokens with their counts; `counted_pretokens` holds them, in a
//!    `pretoken_map`;
//! 3. `bigrams`: an upper bound of the count of each pair of neighbours, by hash bucket;
//!    `shared_bigrams` has the same with hashes that are equal in all processes;
//! 4. `record`: the documents as numbers, so that they are split only once;
//! 5. `fragments`: the pieces of documents on which supermerges, or the merges of a second stage,
//!    are learned;
//! 6. `spill`: sorted temporary files, for counts that exceed the memory budget.

mod bigrams;
mod corpus_pass;
mod counted_pretokens;
mod fragments;
mod pretoken_map;
mod pretokens;
mod record;
mod shared_bigrams;
mod spill;

pub(crate) use bigrams::{AboveThreshold, BigramCounts};
pub(crate) use corpus_pass::{CorpusPass, ThreadCounter};
pub(crate) use counted_pretokens::{CountedPretokens, PretokenCount};
pub(crate) use fragments::{
    FragmentCollector, FragmentCounter, FragmentSymbol, Fragments, OpenableSplitter,
};
pub(crate) use pretoken_map::PretokenMap;
pub(crate) use pretokens::{PretokenCounter, PretokenCounts, count_pretokens};
pub(crate) use record::{RecordSplitter, Recorded, record_tokens};
pub use shared_bigrams::BIGRAM_BUCKETS;
pub(crate) use shared_bigrams::{FrequentBuckets, SharedBigramCounts};
pub(crate) use spill::{RunReader, RunWriter};
