//! Processor features that the compiler cannot assume, and prefetching.

/// Prefetches the memory behind a reference.
#[inline]
pub(crate) fn prefetch<T>(memory: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed, and this one is valid.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(memory).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = memory;
}

/// Whether the processor has the `x86-64-v3` instructions for which hot functions are compiled a
/// second time: 32-byte vectors and bit manipulation.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_x86_64_v3() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
