//! A number for every code point.

/// The code points of a page.
const PAGE: usize = 1 << 8;

/// The pages of all numbers of 21 bits, of which the last ones are no code points.
const PAGES: usize = 1 << 13;

/// The most distinct pages.
const DISTINCT: usize = 1 << 8;

/// A number for every code point, as a two-level table: equal pages are stored once. The sizes are
/// constants, so that lookups need no checks.
pub(crate) struct CodePointTable {
    page_index: Box<[u8; PAGES]>,
    pages: Box<[[u8; PAGE]; DISTINCT]>,
}

impl CodePointTable {
    /// Creates the table of ranges, each its first code point shifted left by `bits`, plus its number.
    pub(super) fn new(ranges: &[u32], bits: u32) -> CodePointTable {
        let (mut page_index, mut pages) = (Vec::new(), Vec::new());
        let number_of = |range: usize| (ranges[range] & ((1 << bits) - 1)) as u8;
        let starts_by =
            |range, code_point| ranges.get(range).is_some_and(|start| start >> bits <= code_point);
        let mut range = 0;
        for first in (0..0x0011_0000_u32).step_by(PAGE) {
            let mut numbers = [number_of(range); PAGE];
            // Most pages are all one range.
            if starts_by(range + 1, first + PAGE as u32 - 1) {
                for (code_point, number) in (first..).zip(&mut numbers) {
                    while starts_by(range + 1, code_point) {
                        range += 1;
                    }
                    *number = number_of(range);
                }
            }
            let known = pages.iter().position(|other| *other == numbers);
            let index = known.unwrap_or_else(|| {
                pages.push(numbers);
                pages.len() - 1
            });
            page_index.push(u8::try_from(index).expect("far fewer than 256 distinct pages"));
        }
        page_index.resize(PAGES, 0);
        pages.resize(DISTINCT, [0; PAGE]);
        CodePointTable {
            page_index: page_index.try_into().expect("all pages"),
            pages: pages.try_into().expect("no more distinct pages"),
        }
    }

    /// Returns the number of a code point.
    #[inline(always)]
    pub(crate) fn number_of(&self, code_point: u32) -> u8 {
        let page = self.page_index[code_point as usize / PAGE % PAGES];
        self.pages[page as usize][code_point as usize % PAGE]
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
