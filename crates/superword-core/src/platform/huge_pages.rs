//! Large blocks of memory.
//!
//! Huge pages need fewer entries of the TLB, so that random reads miss it far less often. And the system
//! takes ten times as long to hand out the same memory in small pages.

use std::alloc::{self, Layout};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
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
        let mut block = HugeBlock::<MaybeUninit<T>>::allocate(len);
        block.fill(MaybeUninit::new(value));
        let block = ManuallyDrop::new(block);
        // All values are written, and `MaybeUninit` has the layout of its value.
        HugeBlock { start: block.start.cast(), len }
    }
}

impl<T> HugeBlock<MaybeUninit<T>> {
    /// Creates a block of values that are not written yet.
    fn allocate(len: usize) -> HugeBlock<MaybeUninit<T>> {
        let layout = HugeBlock::<T>::layout(len);
        if layout.size() == 0 {
            return HugeBlock { start: NonNull::dangling(), len };
        }
        // SAFETY: the size is not 0.
        let memory = unsafe { alloc::alloc(layout) };
        let Some(start) = NonNull::new(memory.cast()) else { alloc::handle_alloc_error(layout) };
        request(memory, layout.size());
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
            // SAFETY: `allocate` has allocated it with this layout. Its values are `Copy` or `MaybeUninit`, and
            // so have nothing to drop.
            unsafe { alloc::dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

impl<T> Deref for HugeBlock<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `filled` has written all values, or they are `MaybeUninit`.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for HugeBlock<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `filled` has written all values, or they are `MaybeUninit`.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for HugeBlock<T> {
    /// A block of no values.
    fn default() -> HugeBlock<T> {
        HugeBlock { start: NonNull::dangling(), len: 0 }
    }
}

/// A list of at most so many values, on huge pages where the system has them. A large `Vec` has small pages
/// at its start, because the allocator writes there before huge pages are requested.
pub(crate) struct HugeList<T> {
    /// The first `len` values are there.
    values: HugeBlock<MaybeUninit<T>>,
    len: usize,
}

impl<T> HugeList<T> {
    /// Creates an empty list with room for so many values.
    pub(crate) fn with_capacity(capacity: usize) -> HugeList<T> {
        HugeList { values: HugeBlock::allocate(capacity), len: 0 }
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If there is no room for it.
    pub(crate) fn push(&mut self, value: T) {
        self.values[self.len].write(value);
        self.len += 1;
    }

    fn start(&self) -> *mut T {
        self.values.start.as_ptr().cast()
    }
}

impl<T> Deref for HugeList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `push` has written the first `len` values.
        unsafe { slice::from_raw_parts(self.start(), self.len) }
    }
}

impl<T> Drop for HugeList<T> {
    fn drop(&mut self) {
        // SAFETY: `push` has written the first `len` values, and nothing uses them from here on.
        unsafe { ptr::slice_from_raw_parts_mut(self.start(), self.len).drop_in_place() };
    }
}

impl<T> From<Vec<T>> for HugeList<T> {
    fn from(values: Vec<T>) -> HugeList<T> {
        let mut list = HugeList::with_capacity(values.len());
        for value in values {
            list.push(value);
        }
        list
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn a_list_holds_its_values_and_drops_them_once() {
        for len in [0, 3, 100_000] {
            let value = Rc::new(7);
            let mut list = HugeList::with_capacity(len + 1);
            for count in 0..len {
                assert_eq!(list.len(), count);
                list.push(Rc::clone(&value));
            }
            assert!(list.iter().all(|other| Rc::ptr_eq(other, &value)));
            assert_eq!(Rc::strong_count(&value), len + 1);
            let again = HugeList::from(list.to_vec());
            drop(list);
            assert_eq!((again.len(), Rc::strong_count(&value)), (len, len + 1));
            drop(again);
            assert_eq!(Rc::strong_count(&value), 1);
        }
    }
}
