//! What merges and deletions make of one pretoken.

pub(super) mod cache;
pub(super) mod encoding;
pub(super) mod interleaved;
pub(super) mod merge_index;
pub(super) mod merger;
pub(super) mod rule_replay;
pub(super) mod table;
