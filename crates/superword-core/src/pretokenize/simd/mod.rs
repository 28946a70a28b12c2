//! Bit masks of 64 bytes of text at a time.
//!
//! 1. `ascii_masks`: the masks that single bytes decide;
//! 2. `vectors`: the same with SSE2 and AVX2;
//! 3. `block`: a mask for each character class, from which the scanners find pretokens.

pub(super) mod ascii_masks;
pub(super) mod block;
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
mod vectors;
