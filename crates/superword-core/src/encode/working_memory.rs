//! How much memory encoding a text takes, and which texts are refused.
//!
//! A large text is encoded in pieces, which take little memory. A piece may be large only if it has no
//! place to split it: then it may be one pretoken, or a run of pretokens that all can be joined.

use crate::Error;
use crate::corpus::split_into_pieces;
use crate::encode::Encoder;
use crate::platform::allocation;
use crate::platform::memory_budget::MemoryBudget;

/// Bytes of memory that encoding takes for each byte of the longest pretoken, at most.
pub const BYTES_PER_PRETOKEN_BYTE: u64 = 56;

/// Bytes of memory that encoding takes for each byte of a piece, at most, beside its ids.
const BYTES_PER_PIECE_BYTE: u64 = 24;

/// The most bytes of a pretoken. Its bytes have 32-bit positions.
pub const MAX_PRETOKEN_BYTES: usize = u32::MAX as usize - 1;

impl Encoder {
    /// Checks that a text can be encoded within a budget, on one of several threads.
    ///
    /// # Errors
    /// When it needs more memory; when a regex fails on the text, or the job is interrupted.
    pub(crate) fn check_memory(
        &self,
        text: &str,
        budget: MemoryBudget,
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let Some(most) = budget.text_size(threads) else { return Ok(()) };
        for piece in split_into_pieces(text.as_bytes(), self.max_job_bytes()) {
            let bytes = piece.len() as u64;
            if bytes * (BYTES_PER_PRETOKEN_BYTE + BYTES_PER_PIECE_BYTE) <= most {
                continue;
            }
            let longest = self.find_longest_pretoken(&text[piece], is_interrupted)? as u64;
            let needed = longest * BYTES_PER_PRETOKEN_BYTE + bytes * BYTES_PER_PIECE_BYTE;
            if needed > most {
                return Err(budget.refuse_text(needed, threads));
            }
        }
        Ok(())
    }

    /// Checks that the system has the memory that encoding a text takes, beside its ids.
    ///
    /// # Errors
    /// When it has not; when a regex fails on the text, or the job is interrupted.
    pub(crate) fn check_available(
        &self,
        text: &str,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let longest = self.find_longest_pretoken(text, is_interrupted)? as u64;
        let bytes = text.len() as u64;
        let needed = longest * BYTES_PER_PRETOKEN_BYTE + bytes * BYTES_PER_PIECE_BYTE;
        allocation::check_available(needed as usize, "a long pretoken, and encoding it,")
    }

    /// Checks that no pretoken of a text is longer than positions reach.
    ///
    /// # Errors
    /// When one is; when a regex fails on the text, or the job is interrupted.
    pub(crate) fn check_positions(
        &self,
        text: &str,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        if text.len() <= MAX_PRETOKEN_BYTES {
            return Ok(());
        }
        check_pretoken_len(self.find_longest_pretoken(text, is_interrupted)?)
    }

    /// Returns the number of bytes of the longest pretoken.
    fn find_longest_pretoken(
        &self,
        text: &str,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<usize, Error> {
        let (mut longest, mut result) = (0, Ok(()));
        self.pattern.spans(text).interrupted_by(is_interrupted).for_each(|span| match span {
            Ok(span) => longest = longest.max(span.len()),
            Err(error) => result = Err(error),
        });
        result.map(|()| longest)
    }
}

/// Rejects a pretoken that is longer than positions reach.
fn check_pretoken_len(size: usize) -> Result<(), Error> {
    if size > MAX_PRETOKEN_BYTES { Err(Error::LongPretoken { size }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pretoken_beyond_32_bit_positions_is_refused() {
        assert!(check_pretoken_len(MAX_PRETOKEN_BYTES).is_ok());
        let refused = check_pretoken_len(MAX_PRETOKEN_BYTES + 1);
        assert!(matches!(refused, Err(Error::LongPretoken { size: 0xffff_ffff })));
    }
}
