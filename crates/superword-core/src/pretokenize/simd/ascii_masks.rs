//! Masks of 64 bytes that need no more than comparisons of single bytes.

use crate::pretokenize::simd::block::WIDTH;
#[cfg(all(target_arch = "aarch64", not(superword_portable)))]
use crate::pretokenize::simd::neon;
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
use crate::pretokenize::simd::x86_64;

/// Masks of ASCII classes, one bit a byte. `white` and `newline` are part of `control`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct AsciiMasks {
    pub(crate) upper: u64,
    pub(crate) lower: u64,
    pub(crate) digit: u64,
    pub(crate) blank: u64,
    pub(crate) quote: u64,
    pub(crate) underscore: u64,
    pub(crate) newline: u64,
    pub(crate) white: u64,
    pub(crate) control: u64,
    /// Bytes of characters beyond ASCII.
    pub(crate) high: u64,
    /// UTF-8 continuation bytes.
    pub(crate) tail: u64,
}

impl AsciiMasks {
    /// Computes the masks with the instructions that every processor of this kind has.
    #[inline]
    pub(crate) fn new(bytes: &[u8; WIDTH]) -> AsciiMasks {
        #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
        return x86_64::compute_sse2(bytes);
        #[cfg(all(target_arch = "aarch64", not(superword_portable)))]
        return neon::compute_neon(bytes);
        #[cfg(any(superword_portable, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
        AsciiMasks::by_byte(bytes)
    }

    /// Computes the masks with AVX2.
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn with_avx2(bytes: &[u8; WIDTH]) -> AsciiMasks {
        x86_64::compute_avx2(bytes)
    }

    /// Computes the masks with AVX-512.
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    pub(crate) fn with_avx512(bytes: &[u8; WIDTH]) -> AsciiMasks {
        x86_64::compute_avx512(bytes)
    }

    /// Computes the masks byte by byte: the portable way, and the one that vectors are tested
    /// against.
    #[cfg(any(
        test,
        superword_portable,
        not(any(target_arch = "x86_64", target_arch = "aarch64"))
    ))]
    fn by_byte(bytes: &[u8; WIDTH]) -> AsciiMasks {
        let gather = |test: fn(u8) -> bool| {
            bytes.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(test(byte)))
        };
        AsciiMasks {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_agree_with_single_bytes() {
        for byte in 0..=255_u8 {
            for at in 0..WIDTH {
                let mut bytes = [b'a'; WIDTH];
                bytes[at] = byte;
                let expected = AsciiMasks::by_byte(&bytes);
                assert_eq!(AsciiMasks::new(&bytes), expected, "{byte} at {at}");
                #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2.
                    let found = unsafe { AsciiMasks::with_avx2(&bytes) };
                    assert_eq!(found, expected, "{byte} at {at}");
                }
                #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
                if std::arch::is_x86_feature_detected!("avx512bw") {
                    // SAFETY: the processor has AVX-512.
                    let found = unsafe { AsciiMasks::with_avx512(&bytes) };
                    assert_eq!(found, expected, "{byte} at {at}");
                }
            }
        }
    }
}
