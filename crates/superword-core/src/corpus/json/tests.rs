//! Compares the reader of lines with `serde_json`.

use std::fmt;

use proptest::prelude::*;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::*;

/// Reads the string under a key with `serde_json`: the last, if there are several.
struct LastString<'c>(&'c str);

impl<'de> Visitor<'de> for LastString<'_> {
    type Value = Option<String>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Option<String>, M::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 {
                let value: Box<RawValue> = map.next_value()?;
                let string =
                    value.get().starts_with('"').then(|| serde_json::from_str(value.get()));
                found = string.transpose().map_err(M::Error::custom)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

fn read_with_serde(line: &str, column: &str) -> Option<String> {
    let mut reader = serde_json::Deserializer::from_str(line);
    let value = reader.deserialize_map(LastString(column)).ok()??;
    reader.end().ok()?;
    Some(value)
}

fn read(line: &str, column: &str) -> Result<String, LineError> {
    let mut into = String::from("before");
    let length = read_line(line, column, &mut into)?;
    assert_eq!(length, line.len());
    Ok(into["before".len()..].to_owned())
}

fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "null|true|false|tru|-?[0-9]{1,3}(\\.[0-9]{0,2})?([eE][+-]?[0-9]{0,2})?",
        any_string(),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let item = prop_oneof![
            inner.clone(),
            (any_string(), inner).prop_map(|(key, value)| format!("{key}: {value}"))
        ];
        (prop::collection::vec(item, 0..3), any::<bool>()).prop_map(|(items, array)| {
            let inside = items.join(" , ");
            if array { format!("[{inside}]") } else { format!("{{ {inside}}}") }
        })
    })
}

fn any_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[ -!#-\\[\\]-~]{0,12}",
        2 => "\\PC{0,4}".prop_map(|text| text.replace(['"', '\\'], "é")),
        4 => "\\\\[\"\\\\/bfnrt]",
        1 => "\\\\u[0-9a-fA-F]{4}",
        1 => Just("\\ud83d\\ude00".to_owned()),
        1 => "\\\\u[dD][89abAB][0-9a-f]{2}\\\\u[dD][c-fC-F][0-9a-f]{2}",
        1 => "\\\\ud[89cd]00|\\\\x|\\\\u12|\t|\u{1}|\u{7f}",
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn any_line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        3 => Just("\"text\"".to_owned()),
        1 => Just("\"t\\u0065xt\"".to_owned()),
        1 => Just("\"id\"".to_owned()),
        1 => any_string(),
    ];
    let blank = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t"), 1 => Just("\r")];
    let pair = (key, blank.clone(), any_value(), blank)
        .prop_map(|(key, before, value, after)| format!("{key}{before}:{after}{value}"));
    let pairs = prop::collection::vec(pair, 0..4);
    (pairs, prop_oneof![9 => Just(""), 1 => Just(","), 1 => Just(" \r"), 1 => Just("}")])
        .prop_map(|(pairs, end)| format!("{{{}}}{end}", pairs.join(",")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_line_is_read_as_by_serde_json(line in any_line()) {
        prop_assert_eq!(read(&line, "text").ok(), read_with_serde(&line, "text"), "{}", line);
    }

    #[test]
    fn a_damaged_line_is_rejected_as_by_serde_json(
        line in any_line(),
        at in any::<prop::sample::Index>(),
        put in "[\"\\\\{}\\[\\],:0-9a-fu.e+ -]?",
    ) {
        let mut damaged: Vec<char> = line.chars().collect();
        let at = at.index(damaged.len());
        damaged.splice(at..=at, put.chars());
        let damaged: String = damaged.into_iter().collect();
        prop_assert_eq!(read(&damaged, "text").ok(), read_with_serde(&damaged, "text"), "{}", damaged);
    }
}

#[test]
fn special_bytes_are_found_at_every_offset() {
    for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
        for at in 0..40 {
            let mut bytes = vec![b' '; 40];
            bytes[20] = 0xC3;
            bytes[21] = 0x7F;
            bytes[at] = special;
            for start in 0..=at {
                assert_eq!(skip::find_special(&bytes, start), at);
            }
        }
    }
    assert_eq!(skip::find_special(b"plain text !#[]\x80\xff", 0), 17);
}

#[test]
fn a_line_ends_before_the_end_of_the_text() {
    let mut into = String::new();
    assert_eq!(read_line("{\"text\":\"a\"}\r\n{", "text", &mut into), Ok(14));
    assert_eq!(into, "a");
    let cut = read_line("{\"text\":\n\"a\"}", "text", &mut into);
    assert_eq!(cut, Err(LineError::Syntax { expected: "a value", at: 8 }));
}

#[test]
fn errors_are_distinguished() {
    assert_eq!(read("[1, 2]", "text"), Err(LineError::NoObject));
    assert_eq!(read("{\"a\": 1}", "text"), Err(LineError::NoColumn));
    assert_eq!(read("{\"text\": null}", "text"), Err(LineError::NoString("null")));
    assert_eq!(read("{\"text\": \"\\ud800\"}", "text"), Err(LineError::Surrogate { at: 10 }));
    assert_eq!(
        read("{\"text\": \"a\", \"text\": 3}", "text"),
        Err(LineError::NoString("a number"))
    );
    assert_eq!(read("{\"text\": 3, \"text\": \"a\"}", "text"), Ok("a".to_owned()));
    assert_eq!(read_keys("{\"a\": [1], \"b\\u0063\": {}}"), ["a", "bc"]);
}

#[test]
fn a_million_brackets_do_not_overflow_the_stack() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    assert_eq!(read(&format!("{{\"a\":{deep},\"text\":\"b\"}}"), "text"), Ok("b".to_owned()));
}
