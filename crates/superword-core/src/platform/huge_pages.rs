//! Large blocks of memory.
//!
//! Huge pages need fewer entries of the TLB, so that random reads miss it far less often. And the system
//! takes ten times as long to hand out the same memory in small pages.

use std::alloc::{self, Layout};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use crate::platform::allocation;

/// The size of a page, in bytes, on most systems.
#[cfg(target_os = "linux")]
const PAGE: usize = 1 << 12;

/// The size of a huge page.
const HUGE_PAGE: usize = 1 << 21;

/// The smallest block, in bytes, for which huge pages are requested.
const MIN_BLOCK: usize = HUGE_PAGE / 2;

/// A fixed number of values, on huge pages where the system has them.
pub(crate) struct HugeBlock<T> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its values.
unsafe impl<T: Send> Send for HugeBlock<T> {}
// SAFETY: a shared block only gives shared references to its values.
unsafe impl<T: Sync> Sync for HugeBlock<T> {}

impl<T: Copy> HugeBlock<T> {
    /// Creates a block of equal values.
    pub(crate) fn filled(value: T, len: usize) -> HugeBlock<T> {
        let layout = HugeBlock::<T>::layout(len);
        if layout.size() == 0 {
            return HugeBlock { start: NonNull::dangling(), len };
        }
        // SAFETY: the size is not 0.
        let memory = unsafe { alloc::alloc(layout) };
        let Some(start) = NonNull::new(memory.cast::<T>()) else {
            alloc::handle_alloc_error(layout)
        };
        request(memory, layout.size());
        for index in 0..len {
            // SAFETY: the layout has room for `len` values.
            unsafe { start.add(index).write(value) };
        }
        HugeBlock { start, len }
    }
}

impl<T> HugeBlock<T> {
    /// Returns the layout of a block, which starts with a huge page if it is large.
    fn layout(len: usize) -> Layout {
        let values = Layout::array::<T>(len).expect("no more values than fit memory");
        let is_large = cfg!(target_os = "linux") && values.size() >= MIN_BLOCK;
        let align = if is_large { HUGE_PAGE } else { values.align() };
        values.align_to(align).expect("no more values than fit memory")
    }
}

impl<T> Drop for HugeBlock<T> {
    fn drop(&mut self) {
        let layout = HugeBlock::<T>::layout(self.len);
        if layout.size() > 0 {
            // SAFETY: `filled` has allocated it with this layout. Its values are `Copy`, and so have
            // nothing to drop.
            unsafe { alloc::dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

impl<T> Deref for HugeBlock<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `filled` has written all values.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for HugeBlock<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `filled` has written all values.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for HugeBlock<T> {
    /// A block of no values.
    fn default() -> HugeBlock<T> {
        HugeBlock { start: NonNull::dangling(), len: 0 }
    }
}

/// Returns an empty vector of this capacity, on huge pages where the system has them.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut memory = Vec::with_capacity(capacity);
    request_for(&mut memory);
    memory
}

/// Like [`with_capacity`], or fails if the system has too little memory.
pub(crate) fn try_with_capacity<T>(
    capacity: usize,
    what: &'static str,
) -> Result<Vec<T>, crate::Error> {
    let mut memory = Vec::new();
    allocation::reserve(&mut memory, capacity, what)?;
    request_for(&mut memory);
    Ok(memory)
}

/// Requests huge pages for an empty vector. Those that lie within it are used.
fn request_for<T>(memory: &mut Vec<T>) {
    request(memory.as_mut_ptr().cast(), memory.capacity() * size_of::<T>());
}

/// Requests huge pages for memory.
fn request(memory: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= MIN_BLOCK {
        let start = memory.addr() & !(PAGE - 1);
        let length = (memory.addr() + bytes).next_multiple_of(PAGE) - start;
        // SAFETY: the range is that of the pages that hold the memory, and the advice changes only the
        // size of pages. The system may ignore the advice.
        unsafe {
            libc::madvise(memory.with_addr(start).cast(), length, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes);
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
