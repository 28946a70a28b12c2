//! Sets of places, as the bits of words.

use crate::encode::pipeline::group::{Bits, PART};

/// The places of the bits that are set, from the lowest on.
#[inline(always)]
pub(crate) fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(index)
    })
}

/// Which of sixty-four bytes have a bit set, given its place in a byte.
#[inline(always)]
pub(crate) fn with_bit(bytes: &[u8; PART], place: u32) -> u64 {
    let mut set = 0;
    for (index, chunk) in bytes.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let ones = word >> place & 0x0101_0101_0101_0101;
        // Each byte's bit goes to the highest byte, the first's lowest.
        set |= (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
    }
    set
}

/// So many bits, the lowest.
#[inline(always)]
pub(crate) fn lowest(count: usize) -> u64 {
    if count < PART { (1 << count) - 1 } else { u64::MAX }
}

/// The first place from a start on that is not in a set.
#[inline(always)]
pub(crate) fn end_of(set: &Bits, start: usize) -> usize {
    let mut end = start;
    while let Some(word) = set.get(end / PART) {
        let ones = (word >> (end % PART)).trailing_ones() as usize;
        end += ones;
        if ones == 0 || !end.is_multiple_of(PART) {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_where_they_are() {
        let bytes: [u8; PART] = std::array::from_fn(|index| (index * index * 7 % 251) as u8);
        for place in 0..8 {
            let expected: Vec<usize> =
                (0..PART).filter(|&index| bytes[index] >> place & 1 != 0).collect();
            assert!(bits(with_bit(&bytes, place)).eq(expected));
        }
        assert_eq!([0, 1, 63, 64, 65].map(lowest), [0, 1, u64::MAX >> 1, u64::MAX, u64::MAX]);
    }

    #[test]
    fn what_follows_each_other_may_go_on_in_the_next_word() {
        let mut set = Bits::default();
        for place in (3..5).chain(60..70).chain(120..256) {
            set[place / PART] |= 1 << (place % PART);
        }
        for (start, end) in [(0, 0), (3, 5), (4, 5), (60, 70), (64, 70), (120, 256), (255, 256)] {
            assert_eq!(end_of(&set, start), end);
        }
    }
}
