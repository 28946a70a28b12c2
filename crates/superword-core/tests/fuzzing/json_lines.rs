//! The reader of JSON lines against `serde_json`.

use std::env;
use std::fs;
use std::process;
use std::str;
use std::sync::Mutex;
use std::thread;

use serde_json::{Map, Value};
use superword_core::corpus::{Corpus, CorpusOptions, Files, OnError, ReadOptions};

/// Reads bytes as a file of JSON lines, and skips the lines that are wrong.
pub(super) fn read_json_lines(data: &[u8]) {
    let name = format!("superword-{}-{:?}.jsonl", process::id(), thread::current().id());
    let path = env::temp_dir().join(name);
    fs::write(&path, data).expect("a temporary file");
    let options = CorpusOptions { on_error: OnError::Skip, ..CorpusOptions::default() };
    let found = Mutex::new(Vec::new());
    let files = Files::new(vec![path.clone()], options).expect("a file");
    let totals = files
        .read(
            ReadOptions::whole_documents(1),
            &|_, batch| {
                let documents = batch.documents().map(str::to_owned);
                found.lock().expect("no panic").extend(documents);
                Ok(())
            },
            &|_| (),
        )
        .expect("wrong lines are skipped");
    fs::remove_file(&path).expect("a temporary file");
    let found = found.into_inner().expect("no panic");
    assert_eq!(totals.documents, found.len() as u64);
    // `serde_json` has limits that the reader does not have.
    if data.iter().filter(|&&byte| byte == b'[' || byte == b'{').count() < 100 && is_plain(data) {
        let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
        let expected: Vec<String> =
            data.split(|&byte| byte == b'\n').filter_map(read_line).collect();
        assert_eq!(found, expected);
    }
}

/// Whether `serde_json` has no limit that matters: it rejects floating-point numbers out of range, and
/// half of a surrogate pair in a field that the reader skips.
fn is_plain(data: &[u8]) -> bool {
    let is_digit = |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'e' | b'E');
    !data.windows(2).any(is_digit)
        && !has_half_of_a_pair(data)
        && data.split(|byte| !byte.is_ascii_digit()).all(|digits| digits.len() < 200)
}

/// Whether a surrogate is escaped without the other half of its pair.
fn has_half_of_a_pair(data: &[u8]) -> bool {
    let is_escape = |escape: &[u8], digits: &[u8]| {
        escape.starts_with(b"\\u")
            && matches!(escape.get(2), Some(b'd' | b'D'))
            && escape.get(3).is_some_and(|digit| digits.contains(&digit.to_ascii_lowercase()))
    };
    (0..data.len()).any(|at| {
        let second = &data[(at + 6).min(data.len())..];
        let before = &data[at.saturating_sub(6)..];
        is_escape(&data[at..], b"89ab") && !is_escape(second, b"cdef")
            || is_escape(&data[at..], b"cdef") && (at < 6 || !is_escape(before, b"89ab"))
    })
}

/// Reads a line as a JSON object and returns its text.
fn read_line(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?;
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    object.get("text")?.as_str().map(str::to_owned)
}
