//! Words and bytes that are compared at once.

/// The number of words.
pub(crate) const LANES: usize = 4;

/// Returns the set of the words that equal a value: bit `i` stands for word `i`. Scalar code takes three
/// instructions for each word.
#[inline(always)]
pub(crate) fn find_equal(words: &[u32; LANES], value: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    // SAFETY: every x86-64 processor has SSE2, and the load reads the four words.
    unsafe {
        use std::arch::x86_64::{
            _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_ps, _mm_set1_epi32,
        };
        let words = _mm_loadu_si128(words.as_ptr().cast());
        let equal = _mm_cmpeq_epi32(words, _mm_set1_epi32(value.cast_signed()));
        _mm_movemask_ps(_mm_castsi128_ps(equal)).cast_unsigned()
    }
    #[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
    words.iter().rev().fold(0, |set, &word| set << 1 | u32::from(word == value))
}

/// Returns the set of those of 64 bytes that have the given bit. Without vectors it takes three times as
/// many instructions. In the compilation for AVX-512, the processor must have that.
#[inline(always)]
pub(crate) fn with_bit<const AVX512: bool>(bytes: &[u8; 64], bit: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    if AVX512 {
        use std::arch::x86_64::{_mm512_loadu_si512, _mm512_set1_epi8, _mm512_test_epi8_mask};
        // SAFETY: the processor has AVX-512, and the load reads the bytes.
        return unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((1_u8 << bit).cast_signed()))
        };
    }
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    // SAFETY: every x86-64 processor has SSE2, and each load reads 16 of the bytes.
    return unsafe {
        use std::arch::x86_64::{
            _mm_cvtsi32_si128, _mm_loadu_si128, _mm_movemask_epi8, _mm_sll_epi16,
        };
        let shift = _mm_cvtsi32_si128(7 - bit.cast_signed());
        bytes.as_chunks::<16>().0.iter().rev().fold(0, |set, chunk| {
            let shifted = _mm_sll_epi16(_mm_loadu_si128(chunk.as_ptr().cast()), shift);
            set << 16 | u64::from(_mm_movemask_epi8(shifted).cast_unsigned())
        })
    };
    #[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
    bytes.as_chunks().0.iter().rev().fold(0, |set, chunk| {
        let ones = u64::from_le_bytes(*chunk) >> bit & 0x0101_0101_0101_0101;
        // The product has the bit of byte i at position 56 + i.
        set << 8 | ones.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::cpu::CpuLevel;

    #[test]
    fn bytes_with_a_bit_are_found() {
        let bytes: [u8; 64] = std::array::from_fn(|index| (index * index * 7 % 251) as u8);
        for bit in 0..8 {
            let expected = (0..64).filter(|&index| bytes[index] >> bit & 1 != 0);
            let expected = expected.fold(0, |set, index| set | 1 << index);
            assert_eq!(with_bit::<false>(&bytes, bit), expected);
            if CpuLevel::detected() == CpuLevel::V4 {
                assert_eq!(with_bit::<true>(&bytes, bit), expected);
            }
        }
    }

    #[test]
    fn equal_words_are_found() {
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 7), 0b0101);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], u32::MAX), 0b0010);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 0), 0b1000);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 8), 0);
    }
}
