//! Character classes.
//!
//! 1. `class`: the classes, and how a text is read by them;
//! 2. `generated`: the ranges of each class;
//! 3. `version`: which Unicode tables a pattern uses.

pub(super) mod class;
pub(super) mod generated;
pub(super) mod version;
