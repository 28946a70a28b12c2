//! Random choices that are read from bytes, so that a fuzzer can steer them.

/// Draws choices from bytes, and from a generator seeded by them once they are used up.
pub(crate) struct Choices<'d> {
    data: &'d [u8],
    state: u64,
}

impl<'d> Choices<'d> {
    /// Starts at the first byte of `data`.
    pub(crate) fn new(data: &'d [u8]) -> Choices<'d> {
        let mix = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        Choices { data, state: data.iter().fold(0xCBF2_9CE4_8422_2325, mix) }
    }

    /// Draws a number below `end`, which is positive.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let mut drawn = usize::from(self.byte());
        if end > 256 {
            drawn = drawn << 16 | usize::from(self.byte()) << 8 | usize::from(self.byte());
        }
        drawn % end
    }

    /// Draws a number from `start` to `end`, both included.
    pub(crate) fn between(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end - start + 1)
    }

    /// Draws `true` this many times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Draws one of the items, of which there is at least one.
    pub(crate) fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    fn byte(&mut self) -> u8 {
        if let Some((&first, rest)) = self.data.split_first() {
            self.data = rest;
            return first;
        }
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) as u8
    }
}
