//! Four words that are compared at once.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_found() {
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 7), 0b0101);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], u32::MAX), 0b0010);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 0), 0b1000);
        assert_eq!(find_equal(&[7, u32::MAX, 7, 0], 8), 0);
    }
}
