//! Tokens as strings, one character for each byte, as GPT-2 spells them.

/// Returns the bytes of a spelled token; `None` if some character spells no byte.
pub(super) fn read_spelling(spelled: &str) -> Option<Vec<u8>> {
    spelled.chars().map(read_character).collect()
}

/// Returns the byte that a character spells.
fn read_character(character: char) -> Option<u8> {
    let code = u32::from(character);
    match code {
        // Visible characters spell the byte with their number.
        33..=126 | 161..=172 | 174..=255 => u8::try_from(code).ok(),
        // The other bytes are spelled by characters from 256 on, in order.
        256..=323 => (0..=u8::MAX).filter(|&byte| !is_visible(byte)).nth(code as usize - 256),
        _ => None,
    }
}

fn is_visible(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}
