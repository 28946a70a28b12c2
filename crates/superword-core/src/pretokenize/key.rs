//! Pretokens as fixed-size keys of hash tables: up to 15 bytes in two words, and their hashes.

use crate::platform::hash::{fold, secret};

/// The longest pretoken, in bytes, that fits a key.
pub(crate) const INLINE: usize = 15;

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

/// For each length: masks of the bytes in both halves, and the upper half of the key of that many
/// zero bytes.
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
    /// Returns the key of `text[start..end]`, if it fits.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Option<Key> {
        let shape = SHAPES.get(end - start)?;
        let chunk = text[start..].first_chunk().copied();
        Some(Key::with_shape(chunk.unwrap_or_else(|| read_end(text, start)), shape))
    }

    #[inline(always)]
    fn with_shape(bytes: [u8; 16], [low, high, length, _]: &[u64; 4]) -> Key {
        let whole = u128::from_le_bytes(bytes);
        Key { low: whole as u64 & low, high: (whole >> 64) as u64 & high ^ length }
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

/// A text of whose pretokens keys are made.
#[derive(Clone, Copy)]
pub(crate) struct KeyText<'t> {
    text: &'t [u8],
    /// One more than the last offset from which on it has 16 bytes.
    starts: usize,
}

impl<'t> KeyText<'t> {
    pub(crate) fn new(text: &'t [u8]) -> KeyText<'t> {
        KeyText { text, starts: (text.len() + 1).saturating_sub(16) }
    }

    /// Returns the key of a pretoken, if it fits and the text has at least 16 bytes from its start on. A
    /// loop over such pretokens calls nothing, and keeps all of its values in registers.
    #[inline(always)]
    pub(crate) fn key(self, start: usize, end: usize) -> Option<Key> {
        let shape = SHAPES.get(end - start)?;
        if start >= self.starts {
            return None;
        }
        // SAFETY: the text has 16 bytes from `start` on. The checks of slices would take three
        // instructions more, and this is the hottest loop of encoding.
        let bytes = unsafe { self.text.as_ptr().add(start).cast::<[u8; 16]>().read() };
        Some(Key::with_shape(bytes, shape))
    }
}

/// Returns the fewer than 16 bytes from `start` on, padded with zeros.
#[cold]
fn read_end(text: &[u8], start: usize) -> [u8; 16] {
    if let Some(&last) = text.last_chunk() {
        let excess = start + 16 - text.len();
        return u128::from_le_bytes(last).unbounded_shr(8 * excess as u32).to_le_bytes();
    }
    let mut padded = [0; 16];
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
    let last = rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
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
                    let inner = KeyText::new(&text[..len]).key(start, end);
                    assert!(inner == key || start + 16 > len && inner.is_none());
                }
            }
        }
        assert!(Key::of(&text, 3, 3 + INLINE + 1).is_none());
    }
}
