//! Pretokens as fixed-size keys of hash tables: up to 15 bytes in two words, and their hashes.

use crate::platform::hash::{fold, secret};

/// The longest pretoken, in bytes, that fits a key.
pub(crate) const INLINE: usize = 15;

/// The bytes of a text that are read for a key.
pub(crate) const CHUNK: usize = INLINE + 1;

/// The length byte in the key of a longer pretoken.
const LONG_KEY: u8 = 0xFE;

/// The upper half of a key is mixed with this by XOR, for its hash. The highest byte is not a length.
const MIX: u64 = 0x1319_8A2E_0370_7344;

/// A pretoken of up to 15 bytes, padded with zeros, with its length in the last byte.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    pub(crate) low: u64,
    /// Mixed with `MIX`.
    pub(crate) high: u64,
}

impl PartialEq for Key {
    /// Compares both halves in one branch, because the branch is often mispredicted.
    #[inline]
    fn eq(&self, other: &Key) -> bool {
        (self.low ^ other.low) | (self.high ^ other.high) == 0
    }
}

/// Masks of the bytes of a pretoken, by its length. Each is an array, so that its index needs no shift.
struct Shapes {
    /// The bytes in each half.
    low: [u64; INLINE + 1],
    high: [u64; INLINE + 1],
    /// The upper half of the key of as many zero bytes.
    length: [u64; INLINE + 1],
}

static SHAPES: Shapes = {
    let mut shapes =
        Shapes { low: [0; INLINE + 1], high: [0; INLINE + 1], length: [0; INLINE + 1] };
    let mut length = 0;
    while length <= INLINE {
        let bytes = (1_u128 << (8 * length)) - 1;
        shapes.low[length] = bytes as u64;
        shapes.high[length] = (bytes >> 64) as u64;
        shapes.length[length] = (length as u64) << 56 ^ MIX;
        length += 1;
    }
    shapes
};

impl Key {
    /// Returns the key of `text[start..end]`, if it fits.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Option<Key> {
        let chunk = text[start..].first_chunk().copied();
        Key::from_chunk(chunk.unwrap_or_else(|| read_end(text, start)), end - start)
    }

    /// Returns the same. A loop over this calls nothing, and keeps all of its values in registers.
    ///
    /// # Safety
    /// The text must have [`CHUNK`] bytes from `start` on.
    #[inline(always)]
    pub(crate) unsafe fn of_inner(text: &[u8], start: usize, end: usize) -> Option<Key> {
        // SAFETY: the caller ensures that the text has these bytes. The checks of slices would take five
        // instructions more, and this is the hottest loop of encoding.
        let chunk = unsafe { text.as_ptr().add(start).cast::<[u8; CHUNK]>().read() };
        Key::from_chunk(chunk, end.wrapping_sub(start))
    }

    /// Returns the key of the first `len` of some bytes, if it fits.
    #[inline(always)]
    fn from_chunk(bytes: [u8; CHUNK], len: usize) -> Option<Key> {
        if len > INLINE {
            return None;
        }
        let whole = u128::from_le_bytes(bytes);
        Some(Key {
            low: whole as u64 & SHAPES.low[len],
            high: (whole >> 64) as u64 & SHAPES.high[len] ^ SHAPES.length[len],
        })
    }

    /// Creates the key of a longer pretoken from its hash and its offset.
    pub(crate) fn long(hash: u64, at: usize) -> Key {
        Key { low: hash, high: u64::from(LONG_KEY) << 56 | at as u64 }
    }

    /// Creates a key to search for a longer pretoken with a hash. It equals no key in a table.
    pub(crate) fn of_hash(hash: u64) -> Key {
        Key::long(hash, (u64::MAX >> 8) as usize)
    }

    /// Returns the hash and the offset of a longer pretoken.
    #[inline]
    pub(crate) fn as_long(self) -> Option<(u64, usize)> {
        let at = (self.high & (u64::MAX >> 8)) as usize;
        (self.high >> 56 == u64::from(LONG_KEY)).then_some((self.low, at))
    }

    /// Whether the lower halves are equal.
    #[inline(always)]
    pub(crate) fn begins_like(self, other: Key) -> bool {
        self.low == other.low
    }

    /// Whether this is an empty slot.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.high == 0
    }

    /// The bytes of the pretoken, zeros, and its length.
    pub(crate) fn bytes(self) -> [u8; 16] {
        (u128::from(self.high ^ MIX) << 64 | u128::from(self.low)).to_le_bytes()
    }

    /// Returns a hash with a secret, so that no text can be made to collide.
    #[inline]
    pub(crate) fn hash(self, secret: u64) -> u64 {
        fold(self.low ^ secret, self.high)
    }
}

/// Returns the fewer than [`CHUNK`] bytes from `start` on, padded with zeros.
#[cold]
fn read_end(text: &[u8], start: usize) -> [u8; CHUNK] {
    if let Some(&last) = text.last_chunk() {
        let excess = start + CHUNK - text.len();
        return u128::from_le_bytes(last).unbounded_shr(8 * excess as u32).to_le_bytes();
    }
    let mut padded = [0; CHUNK];
    padded[..text.len() - start].copy_from_slice(&text[start..]);
    padded
}

/// Hashes a pretoken that does not fit a key.
pub(crate) fn long_hash(bytes: &[u8]) -> u64 {
    fold_bytes(secret() ^ bytes.len() as u64, bytes)
}

/// Hashes bytes, eight at a time, starting from `start`.
pub(crate) fn fold_bytes(start: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let fold_word = |hash, &word| fold(hash ^ u64::from_le_bytes(word), 0x9E37_79B9_7F4A_7C15);
    let hash = words.iter().fold(start, fold_word);
    if rest.is_empty() {
        return hash;
    }
    let last = match bytes.last_chunk() {
        Some(&last) => u64::from_le_bytes(last) >> (64 - 8 * rest.len()),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    fold_word(hash, &last.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_same_wherever_the_pretoken_is() {
        let text: Vec<u8> = (1..=40).collect();
        for start in 0..text.len() {
            for end in start..text.len().min(start + INLINE) {
                let alone = Key::of(&text[start..end], 0, end - start).expect("it fits");
                let mut padded = [0; 16];
                padded[..end - start].copy_from_slice(&text[start..end]);
                padded[15] = (end - start) as u8;
                assert_eq!(alone.bytes(), padded);
                for len in end..=text.len() {
                    let key = Key::of(&text[..len], start, end);
                    assert!(key == Some(alone));
                    if start + CHUNK <= len {
                        // SAFETY: the text has these bytes.
                        assert!(unsafe { Key::of_inner(&text[..len], start, end) } == key);
                    }
                }
            }
        }
        assert!(Key::of(&text, 3, 3 + INLINE + 1).is_none());
    }
}
