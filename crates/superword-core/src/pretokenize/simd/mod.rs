//! Character classes of 64 bytes at a time, as bit masks.

pub(super) mod ascii;
pub(super) mod block;
