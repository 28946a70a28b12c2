//! Character classes: the generated tables, how they are looked up, and their version.

pub(super) mod class;
pub(super) mod generated;
pub(super) mod version;
