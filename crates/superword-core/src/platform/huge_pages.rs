//! Large blocks of memory for random access.
//!
//! Huge pages need fewer entries of the TLB, so that random reads miss it far less often.

use crate::platform::allocation;

/// The smallest block, in bytes, for which huge pages are requested.
#[cfg(target_os = "linux")]
const MIN_BLOCK: usize = 1 << 22;

/// Returns a vector of `len` equal values, on huge pages where the system has them.
pub(crate) fn filled<T: Copy>(value: T, len: usize) -> Vec<T> {
    let mut memory = with_capacity(len);
    memory.resize(len, value);
    memory
}

/// Returns an empty vector of this capacity, on huge pages where the system has them.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    request(Vec::with_capacity(capacity))
}

/// Like [`with_capacity`], or fails if the system has too little memory.
pub(crate) fn try_with_capacity<T>(
    capacity: usize,
    what: &'static str,
) -> Result<Vec<T>, crate::Error> {
    let mut memory = Vec::new();
    allocation::reserve(&mut memory, capacity, what)?;
    Ok(request(memory))
}

/// Requests huge pages for an empty vector.
fn request<T>(memory: Vec<T>) -> Vec<T> {
    #[cfg(target_os = "linux")]
    {
        let bytes = memory.capacity() * size_of::<T>();
        if bytes >= MIN_BLOCK {
            let page = 1 << 12;
            let block = memory.as_ptr();
            let start = block.addr().next_multiple_of(page);
            let length = (block.addr() + bytes - start) & !(page - 1);
            // SAFETY: the range lies within the block of the vector, and the advice changes only the
            // size of its pages. The system may ignore the advice.
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

/// Returns freed memory to the system. The allocator would keep it, but the next stage needs blocks
/// of other sizes.
pub(crate) fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call affects only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}
