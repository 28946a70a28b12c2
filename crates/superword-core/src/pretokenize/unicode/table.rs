//! A number for every code point.

/// A number for every code point, as a two-level table: equal pages of 256 are stored once.
pub(crate) struct CodePointTable {
    page_index: Vec<u8>,
    pages: Vec<[u8; 256]>,
}

impl CodePointTable {
    /// Creates the table of ranges, each its first code point shifted left by `bits`, plus its number.
    pub(super) fn new(ranges: &[u32], bits: u32) -> CodePointTable {
        let mut table = CodePointTable { page_index: Vec::new(), pages: Vec::new() };
        let number_of = |range: usize| (ranges[range] & ((1 << bits) - 1)) as u8;
        let starts_by =
            |range, code_point| ranges.get(range).is_some_and(|start| start >> bits <= code_point);
        let mut range = 0;
        for first in (0..0x0011_0000_u32).step_by(256) {
            let mut numbers = [number_of(range); 256];
            // Most pages are all one range.
            if starts_by(range + 1, first + 255) {
                for (code_point, number) in (first..).zip(&mut numbers) {
                    while starts_by(range + 1, code_point) {
                        range += 1;
                    }
                    *number = number_of(range);
                }
            }
            let known = table.pages.iter().position(|other| *other == numbers);
            let index = known.unwrap_or_else(|| {
                table.pages.push(numbers);
                table.pages.len() - 1
            });
            table.page_index.push(u8::try_from(index).expect("far fewer than 256 distinct pages"));
        }
        table
    }

    /// Returns the number of a code point.
    #[inline]
    pub(crate) fn number_of(&self, code_point: u32) -> u8 {
        let page = self.page_index[(code_point >> 8) as usize];
        self.pages[page as usize][(code_point & 255) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::unicode::generated::RANGES;
    use crate::pretokenize::unicode::generated_scripts::SCRIPT_RANGES;

    #[test]
    fn the_tables_agree_with_the_ranges() {
        for (ranges, bits) in [(&RANGES[..], 4), (&SCRIPT_RANGES[..], 8)] {
            let table = CodePointTable::new(ranges, bits);
            let mut range = 0;
            for code_point in 0..0x0011_0000 {
                if ranges.get(range + 1).is_some_and(|next| next >> bits == code_point) {
                    range += 1;
                }
                let expected = ranges[range] & ((1 << bits) - 1);
                assert_eq!(u32::from(table.number_of(code_point)), expected, "{code_point:x}");
            }
        }
    }
}
