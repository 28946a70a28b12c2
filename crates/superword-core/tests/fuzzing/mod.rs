//! What the fuzz targets in `fuzz` run: each takes any bytes, and panics if something is wrong.
//!
//! They are compiled twice: with a sanitizer, as fuzz targets, and as a plain test that runs the
//! seeds and what the targets have found.

mod json_lines;
mod load;
mod pretokenize;

use crate::oracle;

/// A fuzz target: its name, and what it runs.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: [Target; 7] = [
    ("load", load::load),
    ("pretokenize", pretokenize::pretokenize),
    ("encode", |data| {
        oracle::check(data);
    }),
    ("encode_long", oracle::check_long),
    ("streams", oracle::check_text),
    ("decode", oracle::check_decoding),
    ("json_lines", json_lines::read_json_lines),
];
