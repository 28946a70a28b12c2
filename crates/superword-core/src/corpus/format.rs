//! The format of a file, by its name or its first bytes.

use std::io::{self, Cursor, Read};

use super::decompress::Compression;

/// How documents are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One JSON object per line.
    JsonLines,
    /// Text: one document, or documents between separators.
    Text,
}

/// Returns the format and the compression of a file by its name, such as `a.jsonl.zst`.
pub(super) fn detect_by_name(name: &str) -> Option<(Format, Compression)> {
    let name = name.to_ascii_lowercase();
    let (stem, compression) = Compression::detect_by_name(&name);
    let format = match stem.rsplit_once('.')?.1 {
        "jsonl" => Format::JsonLines,
        "txt" => Format::Text,
        _ => return None,
    };
    Some((format, compression))
}

/// Returns whether a file of this name can be read: `.txt` or `.jsonl`, plain or with `.gz`, `.zst`
/// or `.bz2`.
#[must_use]
pub fn is_supported(name: &str) -> bool {
    detect_by_name(name).is_some()
}

/// Returns the format of uncompressed input, and the input from its start.
///
/// JSON lines start with an object and its first key, on one line: `{"`. Text hardly ever does.
pub(super) fn detect_by_content(
    mut input: Box<dyn Read + Send>,
) -> io::Result<(Format, Box<dyn Read + Send>)> {
    let mut head = Vec::new();
    input.by_ref().take(64).read_to_end(&mut head)?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let after_brace = text.strip_prefix(b"{").map(|rest| {
        let blanks = rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        rest.get(blanks)
    });
    let format = match after_brace {
        Some(Some(b'"' | b'}')) => Format::JsonLines,
        _ => Format::Text,
    };
    Ok((format, Box::new(Cursor::new(head).chain(input))))
}
