//! One scanner for each named pattern, written by hand: linear in the text, with no regex engine.
//!
//! 1. `scan`: the loop over blocks of 64 bytes, and `Grammar`, which a pattern implements;
//! 2. `gpt_rules`: rules that several patterns share;
//! 3. `gpt2`, `gpt4`, `gpt4o`, `punct`, `boundless`: the named patterns;
//! 4. `gpt4o_scripts`: a named pattern that splits by script;
//! 5. `superbpe`, `portable`: second stages of `SuperBPE`, without blocks.

pub(super) mod boundless;
pub(super) mod gpt2;
pub(super) mod gpt4;
pub(super) mod gpt4o;
pub(super) mod gpt4o_scripts;
mod gpt_rules;
pub(super) mod portable;
pub(super) mod punct;
pub(super) mod scan;
pub(super) mod superbpe;
