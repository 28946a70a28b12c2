//! The joining of pretokens: by supermerges, or by the merges of a second stage.
//!
//! In reading order:
//!
//! 1. [`table`]: open units, and the supermerges that join them;
//! 2. [`pair_table`]: the hash table of rules by the pair of tokens that they join;
//! 3. [`boundaries`]: the pairs of tokens that can end up in one token;
//! 4. [`short_run`]: supermerges on a few units, without a branch;
//! 5. [`second_stage`]: models with a second stage, which have merges instead of supermerges.

pub(super) mod boundaries;
pub(super) mod pair_table;
pub(super) mod second_stage;
pub(super) mod short_run;
pub(super) mod table;
