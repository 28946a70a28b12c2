//! Processor features that the compiler cannot assume, and prefetching.
//!
//! Built with `--cfg superword_portable`, x86-64 and aarch64 run the code of other processors.
//! The test suite builds it that way to test that code.

use std::sync::LazyLock;

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

/// A set of instructions for which hot functions are compiled. Each has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CpuLevel {
    /// The instructions that every processor of this kind has.
    Base,
    /// `x86-64-v3`: 32-byte vectors (AVX2), and bit manipulation.
    V3,
    /// `x86-64-v4`: 64-byte vectors (AVX-512); and `avx512vbmi2`, which moves chosen bytes together.
    V4,
}

static DETECTED: LazyLock<CpuLevel> = LazyLock::new(detect);

impl CpuLevel {
    /// Returns the best level that this processor has.
    #[must_use]
    pub fn detected() -> CpuLevel {
        *DETECTED
    }
}

#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
fn detect() -> CpuLevel {
    let has_v3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let has_v4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi2");
    match (has_v3, has_v4) {
        (true, true) => CpuLevel::V4,
        (true, false) => CpuLevel::V3,
        (false, _) => CpuLevel::Base,
    }
}

#[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
fn detect() -> CpuLevel {
    CpuLevel::Base
}
