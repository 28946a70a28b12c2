//! The distinct fragments as a sequence of units.

use super::{Change, Occurrence, TokenOccurrences, TokenSequence, TrainingToken, WeightedSpans};
use crate::count::Fragments;
use crate::error::Error;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;

/// One cell for each symbol, with a barrier before each fragment and after the last.
///
/// A unit is one symbol, or several that were joined. Its first cell holds its token, flagged if
/// the unit is closed. Its first and last cells hold its size in cells.
pub(crate) struct FragmentSequence {
    cells: Vec<TrainingToken>,
    sizes: Vec<u32>,
    spans: WeightedSpans,
}

impl FragmentSequence {
    /// Lays out fragments, with all units open or all closed.
    pub(crate) fn new(fragments: Fragments, is_open: bool) -> Result<FragmentSequence, Error> {
        let size = fragments.cells() + 1;
        let mut cells = huge_pages::with_capacity(size);
        let mut spans = WeightedSpans::with_capacity(fragments.fragment_count());
        cells.push(TrainingToken::BARRIER);
        fragments.for_each(|fragment, count| {
            let start = cells.len();
            cells.extend(fragment.iter().map(|&symbol| {
                let token = TrainingToken::from(symbol);
                if is_open { token } else { token.with_flag() }
            }));
            spans.push(start..cells.len(), count);
            cells.push(TrainingToken::BARRIER);
        })?;
        Ok(FragmentSequence { cells, sizes: huge_pages::filled(1, size), spans })
    }

    /// Returns the occurrences of all tokens. Nothing may have been joined yet.
    pub(crate) fn occurrences(&self) -> TokenOccurrences {
        let mut occurrences = TokenOccurrences::new(true);
        for span in self.spans.iter() {
            for at in span.range() {
                let token = self.cells[at as usize].without_flag();
                let occurrence = Occurrence { at, weight_class: span.weight_class };
                occurrences.of_mut(token).push(occurrence);
            }
        }
        occurrences
    }
}

impl TokenSequence for FragmentSequence {
    #[inline]
    fn token(&self, at: u32) -> TrainingToken {
        let token = self.cells[at as usize];
        if token.has_flag() { TrainingToken::BARRIER } else { token }
    }

    #[inline]
    fn after(&self, at: u32) -> u32 {
        at + self.sizes[at as usize]
    }

    #[inline]
    fn before(&self, at: u32) -> u32 {
        at - self.sizes[at as usize - 1]
    }

    #[inline]
    fn join(&mut self, left: u32, right: u32, token: TrainingToken) {
        let size = self.sizes[left as usize] + self.sizes[right as usize];
        self.cells[right as usize] = TrainingToken::BARRIER;
        self.cells[left as usize] = token;
        self.sizes[left as usize] = size;
        self.sizes[(left + size) as usize - 1] = size;
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
        sequence.cells[at as usize] == cell && sequence.sizes[at as usize] == 1
    }

    fn end(&self, _sequence: &FragmentSequence, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, sequence: &mut FragmentSequence, at: u32) {
        let cell = if self.opens { self.token } else { self.token.with_flag() };
        sequence.cells[at as usize] = cell;
    }
}
