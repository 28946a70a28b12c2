//! Skipping values.

use super::{Cursor, LineError};

/// Finds the first quote, backslash or control character from `at` on. It tests eight bytes at a time
/// in one word.
#[inline(always)]
pub(crate) fn find_special(bytes: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    // Sets the high bit of every byte below `least`. Bits above the lowest of them may be wrong.
    let below = |word: u64, least: u64| word.wrapping_sub(least * EACH) & !word & HIGH;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*chunk);
        let special = below(word, 0x20)
            | below(word ^ (u64::from(b'"') * EACH), 1)
            | below(word ^ (u64::from(b'\\') * EACH), 1);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

/// Skips the rest of a string, after its opening quote; returns whether it has escapes.
#[inline]
pub(super) fn skip_string(line: &mut Cursor<'_>) -> Result<bool, LineError> {
    let mut has_escapes = false;
    loop {
        line.at = find_special(line.bytes, line.at);
        match line.peek() {
            b'"' => {
                line.at += 1;
                return Ok(has_escapes);
            }
            b'\\' => skip_escape(line)?,
            _ => return Err(reject_in_string(line)),
        }
        has_escapes = true;
    }
}

/// Returns the error of a byte that no string may contain.
#[cold]
pub(super) fn reject_in_string(line: &Cursor<'_>) -> LineError {
    line.expected(match line.peek() {
        b'\n' => "the closing quote of a string",
        _ => "an escape (\\n, \\t, \\u....) instead of the control character",
    })
}

fn skip_escape(line: &mut Cursor<'_>) -> Result<(), LineError> {
    line.at += 1;
    match line.peek() {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => line.at += 1,
        b'u' => {
            line.at += 1;
            read_hex(line)?;
        }
        _ => return Err(line.expected("an escape: one of \"\\/bfnrtu after a backslash")),
    }
    Ok(())
}

/// Reads four hexadecimal digits.
pub(super) fn read_hex(line: &mut Cursor<'_>) -> Result<u32, LineError> {
    let mut value = 0;
    for _ in 0..4 {
        let Some(digit) = char::from(line.peek()).to_digit(16) else {
            return Err(line.expected("four hexadecimal digits after \\u"));
        };
        value = value * 16 + digit;
        line.at += 1;
    }
    Ok(value)
}

/// Skips a value of any depth.
#[inline]
pub(super) fn skip_value(line: &mut Cursor<'_>) -> Result<(), LineError> {
    match line.peek() {
        b'{' | b'[' => skip_nested(line),
        _ => skip_simple(line),
    }
}

#[inline]
fn skip_simple(line: &mut Cursor<'_>) -> Result<(), LineError> {
    match line.peek() {
        b'"' => {
            line.at += 1;
            skip_string(line)?;
            Ok(())
        }
        b't' => skip_word(line, "true"),
        b'f' => skip_word(line, "false"),
        b'n' => skip_word(line, "null"),
        b'-' | b'0'..=b'9' => skip_number(line),
        _ => Err(line.expected("a value")),
    }
}

fn skip_word(line: &mut Cursor<'_>, word: &'static str) -> Result<(), LineError> {
    if line.bytes[line.at..].starts_with(word.as_bytes()) {
        line.at += word.len();
        return Ok(());
    }
    Err(line.expected("a value"))
}

fn skip_number(line: &mut Cursor<'_>) -> Result<(), LineError> {
    if line.peek() == b'-' {
        line.at += 1;
    }
    if line.peek() == b'0' {
        line.at += 1;
    } else {
        skip_digits(line)?;
    }
    if line.peek() == b'.' {
        line.at += 1;
        skip_digits(line)?;
    }
    if matches!(line.peek(), b'e' | b'E') {
        line.at += 1;
        if matches!(line.peek(), b'+' | b'-') {
            line.at += 1;
        }
        skip_digits(line)?;
    }
    Ok(())
}

fn skip_digits(line: &mut Cursor<'_>) -> Result<(), LineError> {
    if !line.peek().is_ascii_digit() {
        return Err(line.expected("a digit"));
    }
    while line.peek().is_ascii_digit() {
        line.at += 1;
    }
    Ok(())
}

/// Skips an object or an array. The open brackets are in a list, because a line of a million brackets
/// would overflow the stack.
fn skip_nested(line: &mut Cursor<'_>) -> Result<(), LineError> {
    let mut open: Vec<u8> = Vec::new();
    loop {
        // A value starts here.
        let opened = match line.peek() {
            b'{' => b'}',
            b'[' => b']',
            _ => 0,
        };
        if opened == 0 {
            skip_simple(line)?;
        } else {
            line.at += 1;
            line.skip_blanks();
            if line.peek() == opened {
                line.at += 1;
            } else {
                open.push(opened);
                if opened == b'}' {
                    skip_key(line)?;
                }
                continue;
            }
        }
        // A value ends here.
        loop {
            let Some(&closer) = open.last() else { return Ok(()) };
            line.skip_blanks();
            match line.peek() {
                b',' => {
                    line.at += 1;
                    line.skip_blanks();
                    if closer == b'}' {
                        skip_key(line)?;
                    }
                    break;
                }
                byte if byte == closer => {
                    line.at += 1;
                    open.pop();
                }
                _ => return Err(line.expected("',' or a closing bracket after a value")),
            }
        }
    }
}

/// Skips a key, its colon and the blanks around it.
fn skip_key(line: &mut Cursor<'_>) -> Result<(), LineError> {
    line.take(b'"', "a key in quotes")?;
    skip_string(line)?;
    line.skip_blanks();
    line.take(b':', "':' after the key")?;
    line.skip_blanks();
    Ok(())
}
