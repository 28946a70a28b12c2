//! One scanner for each named pattern.

pub(super) mod boundless;
pub(super) mod gpt;
pub(super) mod gpt2;
pub(super) mod gpt4;
pub(super) mod gpt4o;
pub(super) mod punct;
pub(super) mod superbpe;
