//! Sets of up to sixty-four places, as words.

/// The places of the bits that are set, from the lowest on.
#[inline]
pub(super) fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(index)
    })
}

/// Which of sixty-four bytes have a bit set, given its place in a byte.
#[inline]
pub(super) fn with_bit(bytes: &[u8; 64], place: u32) -> u64 {
    let mut set = 0;
    for (index, chunk) in bytes.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let ones = word >> place & 0x0101_0101_0101_0101;
        // Each byte's bit goes to the highest byte, the first's lowest.
        set |= (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
    }
    set
}
