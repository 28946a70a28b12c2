//! Character classes and scripts.
//!
//! 1. `table`: a number for every code point;
//! 2. `class`: the classes, and how a text is read by them;
//! 3. `script`: the scripts;
//! 4. `generated`, `generated_scripts`: the ranges of each class and script;
//! 5. `version`: which Unicode tables a pattern uses.

pub(super) mod class;
pub(super) mod generated;
mod generated_scripts;
pub(super) mod script;
mod table;
pub(super) mod version;
