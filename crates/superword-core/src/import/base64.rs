//! Base 64.

/// What stands for a character that is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// The value of each character.
const DIGITS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < alphabet.len() {
        digits[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// Appends the bytes that a text spells, if it is well formed.
pub(super) fn decode_into(bytes: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    for group in text[..text.len() - padding].chunks(4) {
        let mut bits = 0;
        for &digit in group {
            let value = DIGITS[usize::from(digit)];
            if value == NO_DIGIT {
                return None;
            }
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - group.len());
        let [_, spelled @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&spelled[..group.len() - 1]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode_into(&mut bytes, text.as_bytes()).map(|()| bytes)
    }

    #[test]
    fn only_well_formed_text_is_decoded() {
        assert_eq!(decode("IHRoZQ==").as_deref(), Some(&b" the"[..]));
        assert_eq!(decode("+/+/AAA=").as_deref(), Some(&b"\xfb\xff\xbf\0\0"[..]));
        assert_eq!(decode("").as_deref(), Some(&b""[..]));
        for text in ["Y", "YQ", "YQ=", "Y===", "====", "==", "YQ==YQ==", "Y Q=", "Yé="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
