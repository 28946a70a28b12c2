//! Sets of indices, as the bits of words.

use crate::encode::pipeline::group::{GROUP_SIZE, GroupBits, WORD_BITS};

/// Iterates over the indices of the bits that are set, in ascending order.
#[inline(always)]
pub(crate) fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(index)
    })
}

/// A list of indices, of which there are at most a group.
pub(crate) type IndexList = [u32; GROUP_SIZE + WORD_BITS];

/// Appends the indices of the bits that are set, in ascending order, each plus `start`. Most sets have at
/// most `USUAL` bits.
#[inline(always)]
pub(crate) fn append_bits<const AVX512: bool, const USUAL: usize>(
    list: &mut IndexList,
    len: &mut usize,
    bits: u64,
    start: usize,
) {
    let out = &mut list[*len % (GROUP_SIZE + 1)..][..WORD_BITS];
    write_bits::<AVX512, USUAL, _>(out.try_into().expect("room for a word"), bits, start as u32);
    *len += bits.count_ones() as usize;
}

/// Writes the indices of the bits that are set, in ascending order, each plus `start`, then anything. The
/// first `USUAL` are written without a branch, since a loop over the bits mispredicts its end.
#[inline(always)]
pub(crate) fn write_bits<const AVX512: bool, const USUAL: usize, I: BitIndex>(
    out: &mut [I; WORD_BITS],
    mut bits: u64,
    start: I,
) {
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    if AVX512 {
        // SAFETY: only the compilation for AVX-512 comes here.
        return unsafe { I::compress(out, bits, start) };
    }
    for index in &mut out[..USUAL] {
        *index = start.plus(bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
    }
    for index in &mut out[USUAL..] {
        if bits == 0 {
            break;
        }
        *index = start.plus(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// The index of a bit.
pub(crate) trait BitIndex: Copy {
    fn plus(self, bit: u32) -> Self;

    /// Writes the indices of bits by [`write_bits`], with AVX-512. It takes a fifth of the instructions.
    ///
    /// # Safety
    /// The processor must have [`CpuLevel::V4`](crate::platform::cpu::CpuLevel::V4).
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    unsafe fn compress(out: &mut [Self; WORD_BITS], bits: u64, start: Self);
}

impl BitIndex for u32 {
    #[inline(always)]
    fn plus(self, bit: u32) -> u32 {
        self + bit
    }

    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[inline(always)]
    unsafe fn compress(out: &mut [u32; WORD_BITS], bits: u64, start: u32) {
        // SAFETY: the caller ensures that the processor has AVX-512.
        unsafe { avx512::compress_u32(out, bits, start) }
    }
}

impl BitIndex for usize {
    #[inline(always)]
    fn plus(self, bit: u32) -> usize {
        self + bit as usize
    }

    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[inline(always)]
    unsafe fn compress(out: &mut [usize; WORD_BITS], bits: u64, start: usize) {
        // SAFETY: the caller ensures that the processor has AVX-512.
        unsafe { avx512::compress_usize(out, bits, start) }
    }
}

/// Indices of bits with AVX-512: the bytes 0 to 63 whose bits are set are moved together, and widened.
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
mod avx512 {
    use std::arch::x86_64::{
        __m128i, _mm_unpackhi_epi64, _mm512_add_epi32, _mm512_add_epi64, _mm512_castsi512_si128,
        _mm512_cvtepu8_epi32, _mm512_cvtepu8_epi64, _mm512_extracti32x4_epi32, _mm512_loadu_si512,
        _mm512_maskz_compress_epi8, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_storeu_si512,
    };

    use crate::encode::pipeline::group::WORD_BITS;

    const BYTES: [u8; WORD_BITS] = {
        let mut bytes = [0; WORD_BITS];
        let mut index = 0;
        while index < WORD_BITS {
            bytes[index] = index as u8;
            index += 1;
        }
        bytes
    };

    /// The number of indices in a quarter of a word.
    const QUARTER: usize = WORD_BITS / 4;

    /// Returns the indices of the bits that are set, and zeros, as four quarters.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    fn compress(bits: u64) -> [__m128i; 4] {
        // SAFETY: the array has the bytes of a vector.
        let bytes = unsafe { _mm512_loadu_si512(BYTES.as_ptr().cast()) };
        let indices = _mm512_maskz_compress_epi8(bits, bytes);
        [
            _mm512_castsi512_si128(indices),
            _mm512_extracti32x4_epi32::<1>(indices),
            _mm512_extracti32x4_epi32::<2>(indices),
            _mm512_extracti32x4_epi32::<3>(indices),
        ]
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    pub(super) fn compress_u32(out: &mut [u32; WORD_BITS], bits: u64, start: u32) {
        let start = _mm512_set1_epi32(start.cast_signed());
        let write = |out: &mut [u32], indices| {
            let indices = _mm512_add_epi32(_mm512_cvtepu8_epi32(indices), start);
            // SAFETY: `out` is a quarter, which has the bytes of a vector.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), indices) };
        };
        let [first, second, third, fourth] = compress(bits);
        write(&mut out[..QUARTER], first);
        write(&mut out[QUARTER..2 * QUARTER], second);
        if bits.count_ones() as usize > 2 * QUARTER {
            write(&mut out[2 * QUARTER..3 * QUARTER], third);
            write(&mut out[3 * QUARTER..], fourth);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    pub(super) fn compress_usize(out: &mut [usize; WORD_BITS], bits: u64, start: usize) {
        let start = _mm512_set1_epi64(start.cast_signed() as i64);
        let write = |out: &mut [usize], indices| {
            let halves = [indices, _mm_unpackhi_epi64(indices, indices)];
            for (out, indices) in out.chunks_exact_mut(QUARTER / 2).zip(halves) {
                let indices = _mm512_add_epi64(_mm512_cvtepu8_epi64(indices), start);
                // SAFETY: half a quarter has the bytes of a vector.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), indices) };
            }
        };
        let [first, second, third, fourth] = compress(bits);
        write(&mut out[..QUARTER], first);
        if bits.count_ones() as usize > QUARTER {
            write(&mut out[QUARTER..2 * QUARTER], second);
            write(&mut out[2 * QUARTER..3 * QUARTER], third);
            write(&mut out[3 * QUARTER..], fourth);
        }
    }
}

/// Returns the set of the lowest `count` bits.
#[inline(always)]
pub(crate) fn lowest(count: usize) -> u64 {
    if count < WORD_BITS { (1 << count) - 1 } else { u64::MAX }
}

/// Returns the first index from `start` on that is not in a set.
#[inline(always)]
pub(crate) fn find_end(set: &GroupBits, start: usize) -> usize {
    let mut end = start;
    while let Some(word) = set.get(end / WORD_BITS) {
        let ones = (word >> (end % WORD_BITS)).trailing_ones() as usize;
        end += ones;
        if ones == 0 || !end.is_multiple_of(WORD_BITS) {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_appended_in_order() {
        for set in [0, 1, 1 << 63, 0b1011 << 20, u64::MAX] {
            let (mut list, mut len) = ([7; GROUP_SIZE + WORD_BITS], 2);
            append_bits::<false, 3>(&mut list, &mut len, set, 100);
            let appended = list[2..len].iter().map(|&index| index as usize - 100);
            assert!(bits(set).eq(appended) && list[..2] == [7, 7]);
        }
    }

    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[test]
    fn bits_are_written_with_avx512_as_without() {
        use crate::platform::cpu::CpuLevel;

        if CpuLevel::detected() < CpuLevel::V4 {
            return;
        }
        for shift in 0..64 {
            for set in [u64::MAX, 0x8421_0FF0_1248_00FF, 1, 0, 0x5555_5555_5555_5555] {
                let set = set << shift;
                let count = set.count_ones() as usize;
                let (mut words, mut expected_words) = ([0; WORD_BITS], [0; WORD_BITS]);
                write_bits::<false, 3, u32>(&mut expected_words, set, 1000);
                // SAFETY: the processor has AVX-512.
                unsafe { u32::compress(&mut words, set, 1000) };
                assert_eq!(words[..count], expected_words[..count]);
                let (mut offsets, mut expected_offsets) = ([0; WORD_BITS], [0; WORD_BITS]);
                write_bits::<false, 3, usize>(&mut expected_offsets, set, 1 << 33);
                // SAFETY: as above.
                unsafe { usize::compress(&mut offsets, set, 1 << 33) };
                assert_eq!(offsets[..count], expected_offsets[..count]);
            }
        }
    }

    #[test]
    fn the_lowest_bits_are_set() {
        assert_eq!([0, 1, 63, 64, 65].map(lowest), [0, 1, u64::MAX >> 1, u64::MAX, u64::MAX]);
    }

    #[test]
    fn runs_continue_in_the_next_word() {
        let mut set = GroupBits::default();
        for index in (3..5).chain(60..70).chain(120..256) {
            set[index / WORD_BITS] |= 1 << (index % WORD_BITS);
        }
        for (start, end) in [(0, 0), (3, 5), (4, 5), (60, 70), (64, 70), (120, 256), (255, 256)] {
            assert_eq!(find_end(&set, start), end);
        }
    }
}
