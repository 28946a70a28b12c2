//! The vectors of aarch64 (NEON): 64 bytes a comparison, in four registers.
//!
//! No instruction gathers one bit of each byte. Additions of neighbours do: four of them for 64
//! bytes, but three for 16.

use std::arch::aarch64::{
    int8x16_t, uint8x16_t, vaddq_s8, vandq_u8, vceqq_s8, vcgtq_s8, vcltzq_s8, vdupq_n_s8, vld1q_u8,
    vorrq_s8, vpaddq_u8, vreinterpretq_s8_u8,
};
use std::arch::asm;
use std::array;
use std::mem::transmute;

use crate::pretokenize::simd::ascii_masks::AsciiMasks;
use crate::pretokenize::simd::block::WIDTH;
use crate::pretokenize::simd::vectors::{Vector, compute};

/// Computes the masks with NEON, which every aarch64 processor has.
#[inline]
pub(super) fn compute_neon(bytes: &[u8; WIDTH]) -> AsciiMasks {
    // SAFETY: NEON is part of aarch64.
    unsafe { compute::<[int8x16_t; 4]>(bytes) }
}

/// The bit of each byte of a register in the bits of its eight bytes.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// Hides the bits from the compiler. It sees otherwise that no two have one in common, and makes
/// three instructions of each addition of neighbours.
#[inline(always)]
fn optimization_barrier(mut bits: uint8x16_t) -> uint8x16_t {
    // SAFETY: the template is a comment and contains no instruction.
    unsafe {
        asm!("/* {0:v} */", inout(vreg) bits, options(pure, nomem, nostack, preserves_flags));
    }
    bits
}

impl Vector for [int8x16_t; 4] {
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        unsafe { bytes.cast::<Self>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        [unsafe { vdupq_n_s8(byte.cast_signed()) }; 4]
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        array::from_fn(|i| unsafe { vaddq_s8(self[i], other[i]) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        array::from_fn(|i| unsafe { vorrq_s8(self[i], other[i]) })
    }

    #[inline(always)]
    unsafe fn equals_vector(self, other: Self) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        array::from_fn(|i| unsafe { vreinterpretq_s8_u8(vceqq_s8(self[i], other[i])) })
    }

    #[inline(always)]
    unsafe fn exceeds(self, other: Self) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        array::from_fn(|i| unsafe { vreinterpretq_s8_u8(vcgtq_s8(self[i], other[i])) })
    }

    /// The sums of two, four and eight neighbours: no two have a bit in common.
    #[inline(always)]
    unsafe fn to_bits(self) -> u64 {
        // SAFETY: the caller keeps the promise of the trait. `BITS` fills a register.
        unsafe {
            let bits = optimization_barrier(vld1q_u8(BITS.as_ptr()));
            let [a, b, c, d] = self.map(|v| vandq_u8(vcltzq_s8(v), bits));
            let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            let [bits, _] = transmute::<uint8x16_t, [u64; 2]>(vpaddq_u8(sums, sums));
            u64::from_le(bits)
        }
    }
}
