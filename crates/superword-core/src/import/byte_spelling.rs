//! Tokens as strings, one character for each byte, as GPT-2 spells them.

/// One more than the last character that spells a byte.
const END: usize = 324;

/// What stands for a character that spells no byte.
const NO_BYTE: u16 = u16::MAX;

/// By character: the byte that it spells.
const BYTES: [u16; END] = {
    let mut bytes = [NO_BYTE; END];
    let mut byte = 0;
    let mut next = 256;
    while byte < 256 {
        // Visible characters spell the byte with their number. The other bytes are spelled by
        // characters from 256 on, in order.
        let is_visible = matches!(byte, 33..=126 | 161..=172 | 174..=255);
        if is_visible {
            bytes[byte] = byte as u16;
        } else {
            bytes[next] = byte as u16;
            next += 1;
        }
        byte += 1;
    }
    bytes
};

/// Appends the bytes of a spelled token; `None` if some character spells no byte.
pub(super) fn decode_into(bytes: &mut Vec<u8>, spelled: &str) -> Option<()> {
    for character in spelled.chars() {
        let byte = *BYTES.get(character as usize)?;
        bytes.push(u8::try_from(byte).ok()?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_character() {
        let mut spelled: Vec<u8> = Vec::new();
        for code in 0..2000 {
            let character = char::from_u32(code).expect("a character");
            let _ = decode_into(&mut spelled, &character.to_string());
        }
        spelled.sort_unstable();
        assert!(spelled.iter().copied().eq(0..=u8::MAX));
        let mut bytes = Vec::new();
        decode_into(&mut bytes, "Ġthé").expect("bytes");
        assert_eq!(bytes, b" th\xe9");
        assert_eq!(decode_into(&mut bytes, " the"), None);
    }
}
