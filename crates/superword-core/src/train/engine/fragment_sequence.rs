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
            for weight in spans.divide(count) {
                let start = cells.len();
                cells.extend(fragment.iter().map(|&symbol| {
                    let token = TrainingToken::from(symbol);
                    TokenCell::new(if is_open { token } else { token.with_flag() })
                }));
                spans.push(start..cells.len(), weight);
                cells.push(TokenCell::new(TrainingToken::BARRIER));
            }
        })?;
        let mut sizes = huge_pages::with_capacity(cells.len());
        sizes.resize_with(cells.len(), || AtomicU32::new(1));
        Ok(FragmentSequence { cells, sizes, spans })
    }

    /// Returns the occurrences of all tokens. Nothing may have been joined yet.
    pub(crate) fn occurrences(&self) -> TokenOccurrences {
        let mut occurrences = TokenOccurrences::new(true);
        for span in self.spans.iter() {
            for at in span.range() {
                let token = self.cells[at].get().without_flag();
                let occurrence = Occurrence::new(at, span.weight_class);
                occurrences.of_mut(token).push(occurrence);
            }
        }
        occurrences
    }

    /// Returns the size that the cell at an offset holds.
    #[inline]
    fn size(&self, at: usize) -> usize {
        self.sizes[at].load(Ordering::Relaxed) as usize
    }
}

impl TokenSequence for FragmentSequence {
    #[inline]
    fn token(&self, at: usize) -> TrainingToken {
        let token = self.cells[at].get();
        if token.has_flag() { TrainingToken::BARRIER } else { token }
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at + self.size(at)
    }

    #[inline]
    fn before(&self, at: usize) -> usize {
        at - self.size(at - 1)
    }

    #[inline]
    fn join(&self, left: usize, right: usize, token: TrainingToken) {
        let size = self.size(left) + self.size(right);
        self.cells[right].set(TrainingToken::BARRIER);
        self.cells[left].set(token);
        for cell in [left, left + size - 1] {
            self.sizes[cell].store(size as u32, Ordering::Relaxed);
        }
    }

    #[inline]
    fn spans(&self) -> &WeightedSpans {
        &self.spans
    }

    #[inline]
    fn prefetch(&self, at: usize) {
        prefetch(&self.cells[at]);
        prefetch(&self.sizes[at]);
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

    fn fits(&self, sequence: &FragmentSequence, at: usize) -> bool {
        let cell = if self.opens { self.token.with_flag() } else { self.token };
        sequence.cells[at].get() == cell && sequence.size(at) == 1
    }

    fn end(&self, _sequence: &FragmentSequence, at: usize) -> usize {
        at + 1
    }

    fn make(&self, sequence: &FragmentSequence, at: usize) {
        let cell = if self.opens { self.token } else { self.token.with_flag() };
        sequence.cells[at].set(cell);
    }
}
