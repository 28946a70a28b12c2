//! What sixty-four bytes are, as far as single bytes say: bit masks, one bit a byte.

use crate::pretokenize::simd::block::WIDTH;

/// Masks that hold for ASCII by comparing bytes alone. `white` and `newline` are in `control`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ascii {
    pub(crate) upper: u64,
    pub(crate) lower: u64,
    pub(crate) digit: u64,
    pub(crate) blank: u64,
    pub(crate) quote: u64,
    pub(crate) underscore: u64,
    pub(crate) newline: u64,
    pub(crate) white: u64,
    pub(crate) control: u64,
    pub(crate) high: u64,
    pub(crate) tail: u64,
}

impl Ascii {
    #[inline]
    pub(crate) fn of(bytes: &[u8; WIDTH]) -> Ascii {
        #[cfg(target_arch = "x86_64")]
        return vectors::by_16(bytes);
        #[cfg(not(target_arch = "x86_64"))]
        Ascii::by_byte(bytes)
    }

    /// The same on a modern processor.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn of_modern(bytes: &[u8; WIDTH]) -> Ascii {
        vectors::by_32(bytes)
    }

    /// Byte by byte, for other machines, and as the twin that the vectors are tested against.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn by_byte(bytes: &[u8; WIDTH]) -> Ascii {
        let gather = |test: fn(u8) -> bool| {
            bytes.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(test(byte)))
        };
        Ascii {
            upper: gather(|byte| byte.is_ascii_uppercase()),
            lower: gather(|byte| byte.is_ascii_lowercase()),
            digit: gather(|byte| byte.is_ascii_digit()),
            blank: gather(|byte| byte == b' '),
            quote: gather(|byte| byte == b'\''),
            underscore: gather(|byte| byte == b'_'),
            newline: gather(|byte| matches!(byte, b'\r' | b'\n')),
            white: gather(|byte| matches!(byte, b'\t'..=b'\r')),
            control: gather(|byte| byte.is_ascii_control()),
            high: gather(|byte| byte >= 0x80),
            tail: gather(|byte| byte & 0xC0 == 0x80),
        }
    }
}

/// Many bytes a comparison.
#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128,
        _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm256_add_epi8, _mm256_cmpeq_epi8,
        _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8,
    };

    use super::{Ascii, WIDTH};

    /// With AVX2.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn by_32(bytes: &[u8; WIDTH]) -> Ascii {
        // SAFETY: this function is only called where there is AVX2.
        unsafe { masks::<__m256i>(bytes) }
    }

    /// With SSE2, which every `x86_64` has.
    #[inline]
    pub(crate) fn by_16(bytes: &[u8; WIDTH]) -> Ascii {
        // SAFETY: SSE2 is part of x86_64.
        unsafe { masks::<__m128i>(bytes) }
    }

    /// # Safety
    /// The machine must have what the vectors need.
    #[inline(always)]
    unsafe fn masks<V: Vector>(bytes: &[u8; WIDTH]) -> Ascii {
        let mut ascii = Ascii::default();
        for at in (0..WIDTH).step_by(size_of::<V>()) {
            // SAFETY: the machine has what the vector needs, and `WIDTH` is a multiple of its size.
            unsafe {
                let v = V::load(&raw const bytes[at]);
                ascii.upper |= v.within(b'A', b'Z').bits() << at;
                ascii.lower |= v.within(b'a', b'z').bits() << at;
                ascii.digit |= v.within(b'0', b'9').bits() << at;
                ascii.blank |= v.equals(b' ').bits() << at;
                ascii.quote |= v.equals(b'\'').bits() << at;
                ascii.underscore |= v.equals(b'_').bits() << at;
                ascii.newline |= v.equals(b'\r').or(v.equals(b'\n')).bits() << at;
                ascii.white |= v.within(b'\t', b'\r').bits() << at;
                ascii.control |= v.within(0, 0x1F).or(v.equals(0x7F)).bits() << at;
                ascii.high |= v.bits() << at;
                // As signed numbers, those below -64.
                ascii.tail |= V::splat(0xC0).exceeds(v).bits() << at;
            }
        }
        ascii
    }

    /// Bytes side by side. Comparisons are signed, and give all ones where they hold.
    ///
    /// # Safety
    /// Of every function: the machine must have such vectors.
    trait Vector: Copy {
        /// The bytes from there on, which must be there.
        unsafe fn load(bytes: *const u8) -> Self;
        unsafe fn splat(byte: u8) -> Self;
        unsafe fn plus(self, other: Self) -> Self;
        unsafe fn or(self, other: Self) -> Self;
        unsafe fn is(self, other: Self) -> Self;
        unsafe fn exceeds(self, other: Self) -> Self;
        /// The highest bit of each byte.
        unsafe fn bits(self) -> u64;

        #[inline(always)]
        unsafe fn equals(self, byte: u8) -> Self {
            // SAFETY: as the caller says.
            unsafe { self.is(Self::splat(byte)) }
        }

        /// With `high` moved up to 127, the range is all that is above `low`.
        #[inline(always)]
        unsafe fn within(self, low: u8, high: u8) -> Self {
            // SAFETY: as the caller says.
            unsafe { self.plus(Self::splat(127 - high)).exceeds(Self::splat(126 - (high - low))) }
        }
    }

    /// The same bits, of which the compiler no longer knows that they come from a vector: it would
    /// calculate with them there, and then take them out one by one.
    #[inline(always)]
    fn settled(mut bits: u32) -> u32 {
        // SAFETY: there are no instructions.
        unsafe {
            asm!("/* {0:e} */", inout(reg) bits, options(pure, nomem, nostack, preserves_flags));
        }
        bits
    }

    /// The functions of a vector, by the names of its instructions.
    macro_rules! vector {
        ($vector:ty, $load:ident, $splat:ident, $add:ident, $or:ident, $eq:ident, $gt:ident, $bits:ident) => {
            // SAFETY: the caller of each function says that the machine has these instructions.
            impl Vector for $vector {
                #[inline(always)]
                unsafe fn load(bytes: *const u8) -> Self {
                    unsafe { $load(bytes.cast()) }
                }
                #[inline(always)]
                unsafe fn splat(byte: u8) -> Self {
                    unsafe { $splat(byte.cast_signed()) }
                }
                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn or(self, other: Self) -> Self {
                    unsafe { $or(self, other) }
                }
                #[inline(always)]
                unsafe fn is(self, other: Self) -> Self {
                    unsafe { $eq(self, other) }
                }
                #[inline(always)]
                unsafe fn exceeds(self, other: Self) -> Self {
                    unsafe { $gt(self, other) }
                }
                #[inline(always)]
                unsafe fn bits(self) -> u64 {
                    settled(unsafe { $bits(self).cast_unsigned() }).into()
                }
            }
        };
    }

    vector!(
        __m128i,
        _mm_loadu_si128,
        _mm_set1_epi8,
        _mm_add_epi8,
        _mm_or_si128,
        _mm_cmpeq_epi8,
        _mm_cmpgt_epi8,
        _mm_movemask_epi8
    );
    vector!(
        __m256i,
        _mm256_loadu_si256,
        _mm256_set1_epi8,
        _mm256_add_epi8,
        _mm256_or_si256,
        _mm256_cmpeq_epi8,
        _mm256_cmpgt_epi8,
        _mm256_movemask_epi8
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_see_every_byte_at_every_place_as_bytes_do() {
        for byte in 0..=255_u8 {
            for place in 0..WIDTH {
                let mut bytes = [b'a'; WIDTH];
                bytes[place] = byte;
                let expected = Ascii::by_byte(&bytes);
                assert_eq!(Ascii::of(&bytes), expected, "{byte} at {place}");
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has AVX2.
                    let found = unsafe { Ascii::of_modern(&bytes) };
                    assert_eq!(found, expected, "{byte} at {place}");
                }
            }
        }
    }
}
