//! Which Unicode tables a pattern splits by: a model says so, since others may give other tokens.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, HirKind};
use regex_syntax::{ParserBuilder, hir::Hir};
use serde::{Deserialize, Serialize};

use crate::pretokenize::unicode::generated::{RANGES, UNICODE_VERSION};

/// The general categories of Unicode, and the two classes that regexes build on them.
const CLASSES: [&str; 31] = [
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Co",
    "Cn",
    "White_Space",
    "Alphabetic",
];

/// The name of a set of Unicode tables, and a digest of what is in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// The version of Unicode.
    pub unicode: String,
    /// FNV-1a, 64 bits, in hexadecimal digits.
    pub tables: String,
}

impl Tables {
    /// Those of the named patterns and of the default eligibility.
    #[must_use]
    pub fn of_scanners() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| Tables {
            unicode: UNICODE_VERSION.to_owned(),
            tables: format!("{:016x}", tables_digest()),
        })
    }

    /// Those of regexes of the user's own: the regex engine brings them.
    #[must_use]
    pub fn of_regexes() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let ranges = CLASSES.iter().flat_map(|class| ranges(&format!(r"\p{{{class}}}")));
            let digest = digest(ranges.flat_map(|(start, end)| [start, end]));
            Tables { unicode: engine_version(), tables: format!("{digest:016x}") }
        })
    }
}

/// A digest of the tables of the named patterns: FNV-1a, 64 bits, over their entries.
#[must_use]
pub fn tables_digest() -> u64 {
    digest(RANGES.iter().copied())
}

/// FNV-1a over the little-endian bytes of the numbers.
fn digest(numbers: impl Iterator<Item = u32>) -> u64 {
    numbers.flat_map(u32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The engine does not name its Unicode version; the latest age that it knows does.
fn engine_version() -> String {
    let versions = (1..40).rev().flat_map(|major| (0..10).rev().map(move |minor| (major, minor)));
    versions
        .map(|(major, minor)| format!("{major}.{minor}"))
        .find(|version| parsed(&format!(r"\p{{Age={version}}}")).is_some())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The first and the last character of each range of a class, as numbers.
fn ranges(class: &str) -> Vec<(u32, u32)> {
    match parsed(class).map(Hir::into_kind) {
        Some(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        // A class of one character comes as that character.
        Some(HirKind::Literal(literal)) => {
            let text = String::from_utf8_lossy(&literal.0);
            text.chars().map(|only| (only.into(), only.into())).collect()
        }
        _ => Vec::new(),
    }
}

fn parsed(regex: &str) -> Option<Hir> {
    ParserBuilder::new().build().parse(regex).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_fnv_1a() {
        assert_eq!(digest([].into_iter()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest([u32::from_le_bytes(*b"foob")].into_iter()), 0xdd12_0e79_0c25_12af);
    }

    #[test]
    fn the_engine_knows_every_class_and_an_age() {
        assert!(CLASSES.iter().all(|class| !ranges(&format!(r"\p{{{class}}}")).is_empty()));
        assert_ne!(engine_version(), "unknown");
    }

    #[test]
    fn scanners_and_regexes_have_tables_of_their_own() {
        assert_eq!(Tables::of_scanners().unicode, UNICODE_VERSION);
        assert_ne!(Tables::of_scanners(), Tables::of_regexes());
    }
}
