//! Large blocks of memory that are read in no order.

/// From this size on, in bytes, a block is worth large pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 22;

/// `len` times the same value, on large pages where the system has them: reading in no order
/// then misses the cache of addresses far less often.
pub(crate) fn filled<T: Copy>(value: T, len: usize) -> Vec<T> {
    let mut memory = with_capacity(len);
    memory.resize(len, value);
    memory
}

/// An empty vector with room for `capacity` values, on large pages where the system has them.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let memory: Vec<T> = Vec::with_capacity(capacity);
    #[cfg(target_os = "linux")]
    {
        let bytes = memory.capacity() * size_of::<T>();
        if bytes >= LARGE {
            let page = 1 << 12;
            let block = memory.as_ptr();
            let start = block.addr().next_multiple_of(page);
            let length = (block.addr() + bytes - start) & !(page - 1);
            // SAFETY: the range lies within the vector's own block, and the advice changes nothing
            // but the size of the pages. That it may not be taken is no error.
            unsafe {
                libc::madvise(
                    block.with_addr(start).cast_mut().cast(),
                    length,
                    libc::MADV_HUGEPAGE,
                );
            }
        }
    }
    memory
}

/// Gives memory that is no longer used back to the system, where it would be kept for later: what
/// comes next needs other sizes.
pub(crate) fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only looks after memory that nobody has.
    unsafe {
        libc::malloc_trim(0);
    }
}
