//! Bit masks of 64 bytes of text at a time.
//!
//! 1. `ascii_masks`: the masks that single bytes decide;
//! 2. `vectors`: the same with vectors, of which `x86_64` has two kinds and `neon` one;
//! 3. `block`: a mask for each character class, from which the scanners find pretokens.

pub(super) mod ascii_masks;
pub(super) mod block;
#[cfg(all(target_arch = "aarch64", not(superword_portable)))]
mod neon;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(superword_portable)))]
mod vectors;
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
mod x86_64;
