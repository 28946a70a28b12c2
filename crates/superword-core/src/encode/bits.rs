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
