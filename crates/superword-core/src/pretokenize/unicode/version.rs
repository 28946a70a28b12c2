//! Which Unicode tables a pattern uses. A model records them, because other tables may give other
//! tokens.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, HirKind};
use regex_syntax::{ParserBuilder, hir::Hir};
use serde::{Deserialize, Serialize};

use crate::pretokenize::unicode::generated::{RANGES, UNICODE_VERSION};
use crate::pretokenize::unicode::generated_scripts::SCRIPT_RANGES;

/// The general categories of Unicode, and two properties that regexes use.
const CLASSES: &str = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp \
                       Cc Cf Co Cn White_Space Alphabetic";

/// The version of a set of Unicode tables, and a digest of their content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// The version of Unicode.
    pub unicode: String,
    /// FNV-1a, 64 bits, in hexadecimal digits.
    pub tables: String,
}

impl Tables {
    /// Returns the tables of the named patterns and of the default eligibility.
    #[must_use]
    pub fn of_scanners() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| Tables {
            unicode: UNICODE_VERSION.to_owned(),
            tables: format!("{:016x}", compute_digest(RANGES.iter().copied())),
        })
    }

    /// Returns the tables of the pattern that splits by script.
    #[must_use]
    pub fn of_scripts() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let digest = compute_digest(RANGES.iter().chain(&SCRIPT_RANGES).copied());
            Tables { unicode: UNICODE_VERSION.to_owned(), tables: format!("{digest:016x}") }
        })
    }

    /// Returns the tables of the regex engine, which a user's own regex uses.
    #[must_use]
    pub fn of_regexes() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let ranges =
                CLASSES.split(' ').flat_map(|class| find_ranges(&format!(r"\p{{{class}}}")));
            let digest = compute_digest(ranges.flat_map(|(start, end)| [start, end]));
            Tables { unicode: find_engine_version(), tables: format!("{digest:016x}") }
        })
    }
}

/// Computes the FNV-1a hash of the little-endian bytes of the numbers.
fn compute_digest(numbers: impl Iterator<Item = u32>) -> u64 {
    numbers.flat_map(u32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Finds the Unicode version of the regex engine, which is the latest age that it accepts.
fn find_engine_version() -> String {
    let versions = (1..40).rev().flat_map(|major| (0..10).rev().map(move |minor| (major, minor)));
    versions
        .map(|(major, minor)| format!("{major}.{minor}"))
        .find(|version| parse(&format!(r"\p{{Age={version}}}")).is_some())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the first and the last code point of each range of a class.
fn find_ranges(class: &str) -> Vec<(u32, u32)> {
    match parse(class).map(Hir::into_kind) {
        Some(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        // The parser simplifies a class of one character to that character.
        Some(HirKind::Literal(literal)) => {
            let text = String::from_utf8_lossy(&literal.0);
            text.chars().map(|only| (only.into(), only.into())).collect()
        }
        _ => Vec::new(),
    }
}

fn parse(regex: &str) -> Option<Hir> {
    ParserBuilder::new().build().parse(regex).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_fnv_1a() {
        assert_eq!(compute_digest([].into_iter()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            compute_digest([u32::from_le_bytes(*b"foob")].into_iter()),
            0xdd12_0e79_0c25_12af
        );
    }

    #[test]
    fn the_engine_knows_every_class_and_an_age() {
        assert!(
            CLASSES.split(' ').all(|class| !find_ranges(&format!(r"\p{{{class}}}")).is_empty())
        );
        assert_ne!(find_engine_version(), "unknown");
    }

    #[test]
    fn scanners_and_regexes_have_different_tables() {
        assert_eq!(Tables::of_scanners().unicode, UNICODE_VERSION);
        assert_ne!(Tables::of_scanners(), Tables::of_regexes());
    }
}
