//! What supermerges, or the merges of a second stage, join.

pub(super) mod boundaries;
pub(super) mod pair_table;
pub(super) mod second_stage;
pub(super) mod table;
