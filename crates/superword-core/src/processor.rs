//! What the processor can do beyond what every processor of its kind can.

/// Whether it has the instructions of `x86-64-v3` that functions here are compiled for twice:
/// vectors of 32 bytes, and single instructions on the bits of a word.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_modern() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
