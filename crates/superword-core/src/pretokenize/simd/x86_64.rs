//! The vectors of x86-64: 16 bytes (SSE2), 32 bytes (AVX2) or 64 bytes (AVX-512) a comparison.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm256_add_epi8, _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_cmplt_epi8_mask, _mm512_loadu_si512,
    _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_sub_epi8,
};

use crate::pretokenize::simd::ascii_masks::AsciiMasks;
use crate::pretokenize::simd::block::WIDTH;
use crate::pretokenize::simd::vectors::{Vector, compute};

/// Computes the masks with AVX2.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn compute_avx2(bytes: &[u8; WIDTH]) -> AsciiMasks {
    // SAFETY: callers of this function ensure that the processor has AVX2.
    unsafe { compute::<__m256i>(bytes) }
}

/// Computes the masks with SSE2, which every x86-64 processor has.
#[inline]
pub(super) fn compute_sse2(bytes: &[u8; WIDTH]) -> AsciiMasks {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { compute::<__m128i>(bytes) }
}

/// Computes the masks with AVX-512, whose comparisons give bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn compute_avx512(bytes: &[u8; WIDTH]) -> AsciiMasks {
    // SAFETY: the array has the bytes of a vector.
    let v = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let equals = |byte| _mm512_cmpeq_epi8_mask(v, splat(byte));
    let is_within =
        |low, high| _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, splat(low)), splat(high - low));
    AsciiMasks {
        upper: is_within(b'A', b'Z'),
        lower: is_within(b'a', b'z'),
        digit: is_within(b'0', b'9'),
        blank: equals(b' '),
        quote: equals(b'\''),
        underscore: equals(b'_'),
        newline: equals(b'\r') | equals(b'\n'),
        white: is_within(b'\t', b'\r'),
        control: is_within(0, 0x1F) | equals(0x7F),
        high: _mm512_movepi8_mask(v),
        // Continuation bytes, as signed numbers, are below -64.
        tail: _mm512_cmplt_epi8_mask(v, splat(0xC0)),
    }
}

/// Hides from the compiler that the bits come from a vector. Otherwise it combines masks as
/// vectors, and then extracts them bit by bit.
#[inline(always)]
fn optimization_barrier(mut bits: u32) -> u32 {
    // SAFETY: the template is a comment and contains no instruction.
    unsafe {
        asm!("/* {0:e} */", inout(reg) bits, options(pure, nomem, nostack, preserves_flags));
    }
    bits
}

/// Implements `Vector` with the given intrinsics.
macro_rules! impl_vector {
    ($vector:ty, $load:ident, $splat:ident, $add:ident, $or:ident, $eq:ident, $gt:ident, $bits:ident) => {
        impl Vector for $vector {
            #[inline(always)]
            unsafe fn load(bytes: *const u8) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $load(bytes.cast()) }
            }
            #[inline(always)]
            unsafe fn splat(byte: u8) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $splat(byte.cast_signed()) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn or(self, other: Self) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $or(self, other) }
            }
            #[inline(always)]
            unsafe fn equals_vector(self, other: Self) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $eq(self, other) }
            }
            #[inline(always)]
            unsafe fn exceeds(self, other: Self) -> Self {
                // SAFETY: the caller keeps the promise of the trait.
                unsafe { $gt(self, other) }
            }
            #[inline(always)]
            unsafe fn to_bits(self) -> u64 {
                // SAFETY: the caller keeps the promise of the trait.
                optimization_barrier(unsafe { $bits(self).cast_unsigned() }).into()
            }
        }
    };
}

impl_vector!(
    __m128i,
    _mm_loadu_si128,
    _mm_set1_epi8,
    _mm_add_epi8,
    _mm_or_si128,
    _mm_cmpeq_epi8,
    _mm_cmpgt_epi8,
    _mm_movemask_epi8
);
impl_vector!(
    __m256i,
    _mm256_loadu_si256,
    _mm256_set1_epi8,
    _mm256_add_epi8,
    _mm256_or_si256,
    _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8,
    _mm256_movemask_epi8
);
