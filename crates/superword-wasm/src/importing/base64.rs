//! Base 64.

/// Returns the bytes that a text spells, if it is well formed.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = &text[..text.len() - padding.min(2)];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for &digit in group {
            bits = bits << 6 | u32::from(read_digit(digit)?);
        }
        bits <<= 6 * (4 - group.len());
        let [_, spelled @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(spelled.get(..group.len().checked_sub(1)?)?);
    }
    Some(bytes)
}

fn read_digit(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}
