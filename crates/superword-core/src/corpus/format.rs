//! What a file holds, told by its name or by its first bytes.

use std::io::{self, Cursor, Read};

use super::decompress::Compression;

/// How documents are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A JSON object a line.
    JsonLines,
    /// Text: one document, or documents between separators.
    Text,
}

/// The format and the compression that a file's name stands for: `a.jsonl.zst`.
pub(super) fn of_name(name: &str) -> Option<(Format, Compression)> {
    let name = name.to_ascii_lowercase();
    let (stem, compression) = Compression::of_name(&name);
    let format = match stem.rsplit_once('.')?.1 {
        "jsonl" => Format::JsonLines,
        "txt" => Format::Text,
        _ => return None,
    };
    Some((format, compression))
}

/// Whether a file of this name can be read: `.txt` or `.jsonl`, plain or as `.gz`, `.zst`, `.bz2`.
#[must_use]
pub fn is_known(name: &str) -> bool {
    of_name(name).is_some()
}

/// The format of unpacked input without a name, and the input from its start.
///
/// JSON lines open with an object that opens with a key, on one line: `{"`; text hardly does.
pub(super) fn of_content(
    mut input: Box<dyn Read + Send>,
) -> io::Result<(Format, Box<dyn Read + Send>)> {
    let mut head = Vec::new();
    input.by_ref().take(64).read_to_end(&mut head)?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let opened = text.strip_prefix(b"{").map(|rest| {
        let blanks = rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        rest.get(blanks)
    });
    let format = match opened {
        Some(Some(b'"' | b'}')) => Format::JsonLines,
        _ => Format::Text,
    };
    Ok((format, Box::new(Cursor::new(head).chain(input))))
}
