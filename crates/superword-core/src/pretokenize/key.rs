//! Pretokens as fixed-size keys: up to 15 bytes in two words, and their hashes.

use crate::platform::hash::{fold, secret};

/// Pretokens up to this length are kept in the table itself.
pub(crate) const INLINE: usize = 15;

/// What stands for the length of a longer one in its key.
const LONG_KEY: u8 = 0xFE;

/// What the upper half of a key is mixed with, for its hash; its highest byte is no length.
const MIX: u64 = 0x1319_8A2E_0370_7344;

/// A pretoken of up to 15 bytes: its bytes, zeros, and its length in the last byte.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    pub(crate) low: u64,
    /// Mixed.
    pub(crate) high: u64,
}

impl PartialEq for Key {
    /// Both halves at once: whether they are equal is often guessed wrong.
    #[inline]
    fn eq(&self, other: &Key) -> bool {
        (self.low ^ other.low) | (self.high ^ other.high) == 0
    }
}

/// By length: which bits of both halves are a pretoken's bytes, and the length where a key has it,
/// mixed.
static SHAPES: [[u64; 4]; INLINE + 1] = {
    let mut shapes = [[0; 4]; INLINE + 1];
    let mut length = 0;
    while length <= INLINE {
        let bytes = (1_u128 << (8 * length)) - 1;
        shapes[length] = [bytes as u64, (bytes >> 64) as u64, (length as u64) << 56 ^ MIX, 0];
        length += 1;
    }
    shapes
};

impl Key {
    /// The key of no pretoken, which is not that of an empty slot.
    pub(crate) const NONE: Key = Key { low: u64::MAX, high: u64::MAX };

    /// The key of `text[start..end]`, if it fits.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Option<Key> {
        let length = end - start;
        let [low, high, length, _] = SHAPES.get(length)?;
        let chunk = text[start..].first_chunk().copied();
        let padded: [u8; 16] = chunk.unwrap_or_else(|| padded(&text[start..end]));
        let whole = u128::from_le_bytes(padded);
        Some(Key { low: whole as u64 & low, high: (whole >> 64) as u64 & high ^ length })
    }

    /// A key for what does not fit one: a hash, and where the pretoken is.
    pub(crate) fn long(hash: u64, at: usize) -> Key {
        Key { low: hash, high: u64::from(LONG_KEY) << 56 | at as u64 }
    }

    /// The hash, and where the pretoken is, if it does not fit a key.
    #[inline]
    pub(crate) fn as_long(self) -> Option<(u64, usize)> {
        let at = (self.high & (u64::MAX >> 8)) as usize;
        (self.high >> 56 == u64::from(LONG_KEY)).then_some((self.low, at))
    }

    /// Whether the first half of another is the same.
    #[inline(always)]
    pub(crate) fn begins_like(self, other: Key) -> bool {
        self.low == other.low
    }

    /// Whether it is the key of no pretoken.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.high == 0
    }

    pub(crate) fn bytes(self) -> [u8; 16] {
        (u128::from(self.high ^ MIX) << 64 | u128::from(self.low)).to_le_bytes()
    }

    /// A hash that no text can be made for.
    #[inline]
    pub(crate) fn hash(self, secret: u64) -> u64 {
        fold(self.low ^ secret, self.high)
    }
}

/// Up to 16 bytes, and zeros: for those at the end of a text.
#[cold]
fn padded(bytes: &[u8]) -> [u8; 16] {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// A hash of a pretoken that does not fit a key.
pub(crate) fn long_hash(bytes: &[u8]) -> u64 {
    fold_bytes(secret() ^ bytes.len() as u64, bytes)
}

pub(crate) fn fold_bytes(start: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(start, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        fold(hash ^ u64::from_le_bytes(word), 0x9E37_79B9_7F4A_7C15)
    })
}
