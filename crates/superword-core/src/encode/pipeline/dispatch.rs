//! The choice between the two compilations of the hot path.
//!
//! Each step is one safe body, compiled twice: with the `x86-64-v3` instructions (AVX2 and bit
//! manipulation) and without. This is the only place in `encode` that chooses between them.

/// The instructions that the hot path may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstructionSet {
    has_v3: bool,
}

impl InstructionSet {
    /// The instructions that every processor has.
    pub(crate) const PORTABLE: InstructionSet = InstructionSet { has_v3: false };

    /// Detects the best instructions that this processor has.
    pub(crate) fn detect() -> InstructionSet {
        InstructionSet { has_v3: v3::is_available() }
    }
}

/// A step of the hot path. Its `run` must be `#[inline(always)]`, or it is compiled only once. A step
/// of at most two words is passed in registers.
pub(crate) trait Dispatched<T> {
    /// Runs the step on its target.
    fn run(self, target: &mut T);
}

/// Runs a step on its target with the given instructions.
#[inline(always)]
pub(crate) fn dispatch<T>(instructions: InstructionSet, target: &mut T, step: impl Dispatched<T>) {
    if instructions.has_v3 {
        // SAFETY: `has_v3` is only true where `is_available` was.
        unsafe { v3::run(target, step) }
    } else {
        step.run(target);
    }
}

/// The steps compiled for `x86-64-v3`.
#[cfg(all(target_arch = "x86_64", not(superword_portable)))]
mod v3 {
    pub(super) use crate::platform::cpu::has_x86_64_v3 as is_available;

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn run<T>(target: &mut T, step: impl super::Dispatched<T>) {
        step.run(target);
    }
}

/// Stands in where there is no `x86-64-v3`.
#[cfg(not(all(target_arch = "x86_64", not(superword_portable))))]
mod v3 {
    pub(super) fn is_available() -> bool {
        false
    }

    pub(super) unsafe fn run<T>(target: &mut T, step: impl super::Dispatched<T>) {
        step.run(target);
    }
}
