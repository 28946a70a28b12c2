//! Processor features that the compiler cannot assume, and prefetching.
//!
//! Built with `--cfg superword_portable`, x86-64 and aarch64 run the code of other processors.
//! The test suite builds it that way to test that code.

/// Prefetches the memory behind a reference.
#[inline]
pub(crate) fn prefetch<T>(memory: &T) {
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    // SAFETY: a prefetch of any address is allowed, and this one is valid.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(memory).cast());
    }
    #[cfg(all(target_arch = "aarch64", not(superword_portable)))]
    // SAFETY: a prefetch of any address is allowed, and this one is valid. The intrinsic is not
    // stable.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{0}]",
            in(reg) std::ptr::from_ref(memory),
            options(readonly, nostack, preserves_flags)
        );
    }
    #[cfg(any(superword_portable, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

/// Returns whether the processor has the `x86-64-v3` instructions, 32-byte vectors and bit
/// manipulation, for which hot functions are compiled a second time.
pub(crate) fn has_x86_64_v3() -> bool {
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
    false
}
