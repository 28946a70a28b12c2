//! Hashing of short keys by multiplication, with a secret of the process: no text can be made so
//! that its pretokens collide. Nothing depends on the order of a table.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::LazyLock;

/// A hash map for keys that hash themselves as one or two words.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

static SECRET: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(MULTIPLIER));

/// A number that is another in each process.
#[inline]
pub(crate) fn secret() -> u64 {
    *SECRET
}

/// The two halves of the product, folded into one word.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A hasher of words.
pub(crate) struct FastHasher(u64);

impl Default for FastHasher {
    #[inline]
    fn default() -> FastHasher {
        FastHasher(secret())
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, MULTIPLIER);
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
