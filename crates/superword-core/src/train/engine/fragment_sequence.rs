//! The distinct fragments as a sequence of units.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{
    Change, Occurrence, TokenCell, TokenOccurrences, TokenSequence, TrainingToken, WeightedSpans,
};
use crate::count::Fragments;
use crate::error::Error;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;

/// One cell for each symbol, with a barrier before each fragment and after the last.
///
/// A unit is one symbol, or several that were joined. Its first cell holds its token, flagged if
/// the unit is closed. Its first and last cells hold its size in cells.
pub(crate) struct FragmentSequence {
    cells: Vec<TokenCell>,
    sizes: Vec<AtomicU32>,
    spans: WeightedSpans,
}

impl FragmentSequence {
    /// Lays out fragments, with all units open or all closed.
    pub(crate) fn new(fragments: Fragments, is_open: bool) -> Result<FragmentSequence, Error> {
        let size = fragments.cells() + 1;
        let mut cells = huge_pages::with_capacity(size);
        let mut spans = WeightedSpans::with_capacity(fragments.fragment_count());
        cells.push(TokenCell::new(TrainingToken::BARRIER));
        fragments.for_each(|fragment, count| {
            let start = cells.len();
            cells.extend(fragment.iter().map(|&symbol| {
                let token = TrainingToken::from(symbol);
                TokenCell::new(if is_open { token } else { token.with_flag() })
            }));
            spans.push(start..cells.len(), count);
            cells.push(TokenCell::new(TrainingToken::BARRIER));
        })?;
        let mut sizes = huge_pages::with_capacity(size);
        sizes.resize_with(size, || AtomicU32::new(1));
        Ok(FragmentSequence { cells, sizes, spans })
    }

    /// Returns the occurrences of all tokens. Nothing may have been joined yet.
    pub(crate) fn occurrences(&self) -> TokenOccurrences {
        let mut occurrences = TokenOccurrences::new(true);
        for span in self.spans.iter() {
            for at in span.range() {
                let token = self.cells[at as usize].get().without_flag();
                let occurrence = Occurrence { at, weight_class: span.weight_class };
                occurrences.of_mut(token).push(occurrence);
            }
        }
        occurrences
    }

    /// Returns the size that the cell at an offset holds.
    #[inline]
    fn size(&self, at: u32) -> u32 {
        self.sizes[at as usize].load(Ordering::Relaxed)
    }
}

impl TokenSequence for FragmentSequence {
    #[inline]
    fn token(&self, at: u32) -> TrainingToken {
        let token = self.cells[at as usize].get();
        if token.has_flag() { TrainingToken::BARRIER } else { token }
    }

    #[inline]
    fn after(&self, at: u32) -> u32 {
        at + self.size(at)
    }

    #[inline]
    fn before(&self, at: u32) -> u32 {
        at - self.size(at - 1)
    }

    #[inline]
    fn join(&self, left: u32, right: u32, token: TrainingToken) {
        let size = self.size(left) + self.size(right);
        self.cells[right as usize].set(TrainingToken::BARRIER);
        self.cells[left as usize].set(token);
        for cell in [left, left + size - 1] {
            self.sizes[cell as usize].store(size, Ordering::Relaxed);
        }
    }

    #[inline]
    fn spans(&self) -> &WeightedSpans {
        &self.spans
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        prefetch(&self.cells[at as usize]);
        prefetch(&self.sizes[at as usize]);
    }
}

/// Opens or closes the pretokens that a token spells. A superword that spells the same stays open.
#[derive(Clone, Copy)]
pub(crate) struct PretokenSwitch {
    pub(crate) token: TrainingToken,
    pub(crate) opens: bool,
}

impl Change<FragmentSequence> for PretokenSwitch {
    fn token(&self) -> TrainingToken {
        self.token
    }

    fn fits(&self, sequence: &FragmentSequence, at: u32) -> bool {
        let cell = if self.opens { self.token.with_flag() } else { self.token };
        sequence.cells[at as usize].get() == cell && sequence.size(at) == 1
    }

    fn end(&self, _sequence: &FragmentSequence, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, sequence: &FragmentSequence, at: u32) {
        let cell = if self.opens { self.token } else { self.token.with_flag() };
        sequence.cells[at as usize].set(cell);
    }
}
