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
/// most `USUAL` bits; these are appended without a branch, since a loop over the bits mispredicts its
/// end.
#[inline(always)]
pub(crate) fn append_bits<const USUAL: usize>(
    list: &mut IndexList,
    len: &mut usize,
    mut bits: u64,
    start: usize,
) {
    let count = bits.count_ones() as usize;
    let out = &mut list[*len % (GROUP_SIZE + 1)..][..WORD_BITS];
    for index in &mut out[..USUAL] {
        *index = start as u32 + bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
    }
    for index in &mut out[USUAL..] {
        if bits == 0 {
            break;
        }
        *index = start as u32 + bits.trailing_zeros();
        bits &= bits - 1;
    }
    *len += count;
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
            append_bits::<3>(&mut list, &mut len, set, 100);
            let appended = list[2..len].iter().map(|&index| index as usize - 100);
            assert!(bits(set).eq(appended) && list[..2] == [7, 7]);
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
