//! The choice between the compilations of the hot path.
//!
//! Each step is one safe body, compiled for each level of the processor: for that with AVX-512, for that
//! with AVX2, and for all processors. This is the only place in `encode` that chooses between them.

use crate::platform::cpu::CpuLevel;

/// A step of the hot path. Its `run` must be `#[inline(always)]`, or it is compiled only once. A step
/// of at most two words is passed in registers.
pub(crate) trait Dispatched<T> {
    /// Runs the step on its target. `AVX512` is true in the compilation for [`CpuLevel::V4`]: code that the
    /// compiler would not generate by itself branches on it.
    fn run<const AVX512: bool>(self, target: &mut T);
}

/// Runs a step on its target, compiled for a level, which must be at most the detected one.
#[inline(always)]
pub(crate) fn dispatch<T>(level: CpuLevel, target: &mut T, step: impl Dispatched<T>) {
    match level {
        CpuLevel::Base => step.run::<false>(target),
        // SAFETY: the processor has this level, because it has the detected one.
        CpuLevel::V3 => unsafe { x86_64::run_v3(target, step) },
        // SAFETY: as above.
        CpuLevel::V4 => unsafe { x86_64::run_v4(target, step) },
    }
}

/// The steps compiled for more instructions.
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
mod x86_64 {
    use super::Dispatched;

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn run_v3<T>(target: &mut T, step: impl Dispatched<T>) {
        step.run::<false>(target);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi2")]
    #[inline(never)]
    pub(super) fn run_v4<T>(target: &mut T, step: impl Dispatched<T>) {
        step.run::<true>(target);
    }
}

/// Stands in where there is only one level.
#[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
mod x86_64 {
    use super::Dispatched;

    pub(super) unsafe fn run_v3<T>(target: &mut T, step: impl Dispatched<T>) {
        step.run::<false>(target);
    }

    pub(super) unsafe fn run_v4<T>(target: &mut T, step: impl Dispatched<T>) {
        step.run::<false>(target);
    }
}
