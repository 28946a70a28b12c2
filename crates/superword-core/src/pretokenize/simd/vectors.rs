//! ASCII masks by comparisons of whole vectors, with the instructions of any processor that has some.

use crate::pretokenize::simd::ascii_masks::AsciiMasks;
use crate::pretokenize::simd::block::WIDTH;

/// Computes the masks, a vector at a time.
///
/// # Safety
/// The processor must have the instructions of the vector.
#[inline(always)]
pub(super) unsafe fn compute<V: Vector>(bytes: &[u8; WIDTH]) -> AsciiMasks {
    let mut masks = AsciiMasks::default();
    for at in (0..WIDTH).step_by(size_of::<V>()) {
        // SAFETY: the processor has the instructions, and `WIDTH` is a multiple of the vector's
        // size.
        unsafe {
            let v = V::load(&raw const bytes[at]);
            masks.upper |= v.is_within(b'A', b'Z').to_bits() << at;
            masks.lower |= v.is_within(b'a', b'z').to_bits() << at;
            masks.digit |= v.is_within(b'0', b'9').to_bits() << at;
            masks.blank |= v.equals(b' ').to_bits() << at;
            masks.quote |= v.equals(b'\'').to_bits() << at;
            masks.underscore |= v.equals(b'_').to_bits() << at;
            masks.newline |= v.equals(b'\r').or(v.equals(b'\n')).to_bits() << at;
            masks.white |= v.is_within(b'\t', b'\r').to_bits() << at;
            masks.control |= v.is_within(0, 0x1F).or(v.equals(0x7F)).to_bits() << at;
            masks.high |= v.to_bits() << at;
            // Continuation bytes, as signed numbers, are below -64.
            masks.tail |= V::splat(0xC0).exceeds(v).to_bits() << at;
        }
    }
    masks
}

/// A vector of signed bytes. A comparison sets all bits of the bytes for which it holds.
///
/// # Safety
/// For every function, the processor must have the instructions of the vector.
pub(super) trait Vector: Copy {
    /// Reads a vector; all its bytes must be readable.
    unsafe fn load(bytes: *const u8) -> Self;
    unsafe fn splat(byte: u8) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn equals_vector(self, other: Self) -> Self;
    unsafe fn exceeds(self, other: Self) -> Self;
    /// Returns the highest bit of each byte.
    unsafe fn to_bits(self) -> u64;

    #[inline(always)]
    unsafe fn equals(self, byte: u8) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        unsafe { self.equals_vector(Self::splat(byte)) }
    }

    /// Adding `127 - high` moves the range to the top of the signed bytes, so one comparison is
    /// enough.
    #[inline(always)]
    unsafe fn is_within(self, low: u8, high: u8) -> Self {
        // SAFETY: the caller keeps the promise of the trait.
        unsafe { self.add(Self::splat(127 - high)).exceeds(Self::splat(126 - (high - low))) }
    }
}
