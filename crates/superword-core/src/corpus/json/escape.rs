//! Unescaping strings.

use super::skip::{find_special, read_hex, reject_in_string};
use super::{Cursor, LineError};

/// Appends the rest of a string, after its opening quote, to `into`, and reads its closing quote.
#[inline]
pub(super) fn unescape(line: &mut Cursor<'_>, into: &mut String) -> Result<(), LineError> {
    loop {
        let start = line.at;
        line.at = find_special(line.bytes, start);
        into.push_str(&line.text[start..line.at]);
        match line.peek() {
            b'"' => {
                line.at += 1;
                return Ok(());
            }
            b'\\' => {
                line.at += 1;
                let escape = line.peek();
                line.at += 1;
                into.push(match escape {
                    b'n' => '\n',
                    b'"' => '"',
                    b'\\' => '\\',
                    b't' => '\t',
                    b'r' => '\r',
                    b'/' => '/',
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'u' => read_character(line)?,
                    _ => {
                        line.at -= 1;
                        let expected = "an escape: one of \"\\/bfnrtu after a backslash";
                        return Err(line.expected(expected));
                    }
                });
            }
            _ => return Err(reject_in_string(line)),
        }
    }
}

/// Reads the character whose digits follow `\u`. Of a surrogate pair, it reads both halves.
fn read_character(line: &mut Cursor<'_>) -> Result<char, LineError> {
    let error = LineError::Surrogate { at: line.at - 2 };
    let first = read_hex(line)?;
    if (0xD800..0xDC00).contains(&first) {
        if !line.bytes[line.at..].starts_with(b"\\u") {
            return Err(error);
        }
        line.at += 2;
        let second = read_hex(line)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(error);
        }
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return char::from_u32(code).ok_or(error);
    }
    char::from_u32(first).ok_or(error)
}
