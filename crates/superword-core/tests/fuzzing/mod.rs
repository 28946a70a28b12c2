//! What the fuzz targets in `fuzz` run: each takes any bytes, and panics if something is wrong.
//!
//! They are compiled twice: with a sanitizer, as fuzz targets, and as a plain test that runs the
//! seeds and what the targets have found.

mod counts;
mod import;
mod json_lines;
mod load;
mod pretokenize;
mod train;

use crate::oracle;

/// A fuzz target: its name, and what it runs.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// The texts that one execution of `encode` invents. Few keep it short.
const TEXTS: usize = 4;

/// All targets.
pub(crate) const TARGETS: [Target; 10] = [
    ("load", load::load),
    ("pretokenize", pretokenize::pretokenize),
    ("encode", |data| oracle::check(data, TEXTS)),
    ("encode_long", oracle::check_long),
    ("streams", oracle::check_text),
    ("decode", oracle::check_decoding),
    ("import", import::import_bytes),
    ("json_lines", json_lines::read_json_lines),
    ("train", train::train),
    ("counts", counts::train_on_counts),
];
