//! Allocations that grow with a text of the caller. If the system refuses one of these, the caller gets
//! an error. If it refuses any other, Rust aborts the process.

use crate::Error;

/// Smaller blocks are not checked in advance.
const MIN_CHECKED: usize = 1 << 24;

/// Makes room for more values, at least as many as `push` would.
///
/// # Errors
/// When the system has too little memory.
pub(crate) fn reserve<T>(
    values: &mut Vec<T>,
    additional: usize,
    what: &'static str,
) -> Result<(), Error> {
    let refused = |_| Error::OutOfMemory { what, bytes: additional.saturating_mul(size_of::<T>()) };
    values.try_reserve(additional).map_err(refused)
}

/// Checks that the system would give so many bytes of memory now, in one block.
///
/// # Errors
/// When it refuses.
pub fn check_available(bytes: usize, what: &'static str) -> Result<(), Error> {
    if bytes < MIN_CHECKED {
        return Ok(());
    }
    let mut block: Vec<u8> = Vec::new();
    let result = block.try_reserve_exact(bytes).map_err(|_| Error::OutOfMemory { what, bytes });
    // Else the compiler leaves out the allocation, since nothing uses it.
    std::hint::black_box(block);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_any_system_has_is_refused() {
        assert!(check_available(1 << 25, "tests").is_ok());
        assert!(matches!(
            check_available(usize::MAX / 4, "tests"),
            Err(Error::OutOfMemory { bytes, .. }) if bytes == usize::MAX / 4
        ));
        assert!(reserve(&mut Vec::<u64>::new(), usize::MAX / 4, "tests").is_err());
    }
}
