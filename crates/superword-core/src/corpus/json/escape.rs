//! Strings and what their escapes stand for.

use super::skip::{find_special, hex, inside_string};
use super::{Cursor, Flaw};

/// Appends the rest of a string, after its opening quote, to `into`, and reads over its end.
#[inline]
pub(super) fn unescape(line: &mut Cursor<'_>, into: &mut String) -> Result<(), Flaw> {
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
                    b'u' => character(line)?,
                    _ => {
                        line.at -= 1;
                        let expected = "an escape: one of \"\\/bfnrtu after a backslash";
                        return Err(line.expected(expected));
                    }
                });
            }
            _ => return Err(inside_string(line)),
        }
    }
}

/// The character whose digits, after `\u`, come next; of a pair, both halves are read.
fn character(line: &mut Cursor<'_>) -> Result<char, Flaw> {
    let half = Flaw::Surrogate { at: line.at - 2 };
    let first = hex(line)?;
    if (0xD800..0xDC00).contains(&first) {
        if !line.bytes[line.at..].starts_with(b"\\u") {
            return Err(half);
        }
        line.at += 2;
        let second = hex(line)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(half);
        }
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return char::from_u32(code).ok_or(half);
    }
    char::from_u32(first).ok_or(half)
}
