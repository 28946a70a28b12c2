//! The bytes of a record.
//!
//! A code of n bytes has 7n bits of value. Its lowest bits tell n, so neither writing nor reading it
//! takes a branch that the processor would guess wrong. Frequent pretokens occur early, and have
//! small numbers: most take one byte or two.

/// What a record is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A pretoken or a token.
    Number(u32),
    /// No rule joins anything across it.
    Separator,
    /// How often what follows counts.
    Weight(u64),
}

const SEPARATOR: u64 = 0;
/// The eight bytes of a weight follow.
const WEIGHT: u64 = 1;
/// A number has this added.
const FIRST_NUMBER: u64 = 2;

/// Writes a number.
#[inline]
pub(super) fn write_number(bytes: &mut Vec<u8>, number: u32) {
    write_value(bytes, FIRST_NUMBER + u64::from(number));
}

/// Writes a separator.
#[inline]
pub(super) fn write_separator(bytes: &mut Vec<u8>) {
    write_value(bytes, SEPARATOR);
}

/// Writes a weight.
pub(super) fn write_weight(bytes: &mut Vec<u8>, weight: u64) {
    write_value(bytes, WEIGHT);
    bytes.extend(weight.to_le_bytes());
}

/// Writes a value of at most 35 bits.
#[inline]
fn write_value(bytes: &mut Vec<u8>, value: u64) {
    let size = (u64::BITS - (value | 1).leading_zeros()).div_ceil(7);
    let code = value << size | ((1 << (size - 1)) - 1);
    let end = bytes.len() + size as usize;
    bytes.extend_from_slice(&code.to_le_bytes());
    bytes.truncate(end);
}

/// Reads the first item, and moves on to the next. `None` at the end.
#[inline]
pub(super) fn read_item(bytes: &mut &[u8]) -> Option<Item> {
    let code = match bytes.first_chunk() {
        Some(&chunk) => u64::from_le_bytes(chunk),
        None => read_short(bytes)?,
    };
    let size = code.trailing_ones() + 1;
    let value = code >> size & ((1 << (7 * size)) - 1);
    *bytes = bytes.get(size as usize..)?;
    match value {
        SEPARATOR => Some(Item::Separator),
        WEIGHT => {
            let (weight, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(Item::Weight(u64::from_le_bytes(*weight)))
        }
        _ => Some(Item::Number((value - FIRST_NUMBER) as u32)),
    }
}

/// Reads a code less than eight bytes before the end. `None` at the end.
#[cold]
fn read_short(bytes: &[u8]) -> Option<u64> {
    let mut chunk = [0; 8];
    chunk[..bytes.len()].copy_from_slice(bytes);
    (!bytes.is_empty()).then(|| u64::from_le_bytes(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_as_written() {
        let near = |bits: u32| (1_u64 << bits).saturating_sub(4)..=(1 << bits) + 4;
        let numbers = (0..32).flat_map(near).filter_map(|number| u32::try_from(number).ok());
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        for number in numbers {
            write_number(&mut bytes, number);
            write_separator(&mut bytes);
            write_weight(&mut bytes, u64::from(number) << 31);
            expected.push(Item::Number(number));
            expected.extend([Item::Separator, Item::Weight(u64::from(number) << 31)]);
        }
        let mut rest = &*bytes;
        let read: Vec<Item> = std::iter::from_fn(|| read_item(&mut rest)).collect();
        assert_eq!(read, expected);
        assert!(rest.is_empty());
    }

    #[test]
    fn small_numbers_are_short() {
        for (number, length) in [(0, 1), (125, 1), (126, 2), (16_381, 2), (16_382, 3), (1 << 20, 3)]
        {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            assert_eq!(bytes.len(), length, "{number}");
        }
    }
}
