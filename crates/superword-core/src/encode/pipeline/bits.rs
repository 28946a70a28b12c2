//! Sets of indices, as the bits of words.

use crate::encode::pipeline::group::{GroupBits, WORD_BITS};

/// Iterates over the indices of the bits that are set, in ascending order.
#[inline(always)]
pub(crate) fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(index)
    })
}

/// Returns the set of those of 64 bytes that have the given bit.
#[inline(always)]
pub(crate) fn with_bit(bytes: &[u8; WORD_BITS], bit: u32) -> u64 {
    let mut set = 0;
    for (index, chunk) in bytes.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let ones = word >> bit & 0x0101_0101_0101_0101;
        // The product has the bit of byte i at position 56 + i.
        set |= (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
    }
    set
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
    fn bytes_with_a_bit_are_found() {
        let bytes: [u8; WORD_BITS] = std::array::from_fn(|index| (index * index * 7 % 251) as u8);
        for bit in 0..8 {
            let expected: Vec<usize> =
                (0..WORD_BITS).filter(|&index| bytes[index] >> bit & 1 != 0).collect();
            assert!(bits(with_bit(&bytes, bit)).eq(expected));
        }
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
