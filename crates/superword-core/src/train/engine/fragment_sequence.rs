//! The distinct fragments as a sequence of units.

use crate::count::fragments::Fragments;
use crate::error::Error;
use crate::platform::cpu::prefetch;
use crate::platform::huge_pages;
use crate::train::engine::change::Change;
use crate::train::engine::occurrences::{Occurrence, TokenOccurrences};
use crate::train::engine::sequence::TokenSequence;
use crate::train::engine::spans::WeightedSpans;
use crate::train::engine::tokens::{TokenPair, TrainingToken};

/// One cell for each symbol, with a barrier before each fragment and after the last.
///
/// A unit is one symbol, or several that were joined. Its first cell holds its token, flagged if the
/// unit is closed. Its first and last cells hold its size in cells.
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

/// Opens the pretokens that a token spells.
pub(crate) struct OpenPretokens(pub(crate) TrainingToken);

impl Change<FragmentSequence> for OpenPretokens {
    fn token(&self) -> TrainingToken {
        self.0
    }

    fn joined_pair(&self) -> Option<TokenPair> {
        None
    }

    fn fits(&self, sequence: &FragmentSequence, at: u32) -> bool {
        sequence.cells[at as usize] == self.0.with_flag()
    }

    fn end(&self, _sequence: &FragmentSequence, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, sequence: &mut FragmentSequence, at: u32) {
        sequence.cells[at as usize] = self.0;
    }
}

/// Closes the pretokens that a token spells. A superword that spells the same stays open.
pub(crate) struct ClosePretokens(pub(crate) TrainingToken);

impl Change<FragmentSequence> for ClosePretokens {
    fn token(&self) -> TrainingToken {
        self.0
    }

    fn joined_pair(&self) -> Option<TokenPair> {
        None
    }

    fn fits(&self, sequence: &FragmentSequence, at: u32) -> bool {
        sequence.cells[at as usize] == self.0 && sequence.sizes[at as usize] == 1
    }

    fn end(&self, _sequence: &FragmentSequence, at: u32) -> u32 {
        at + 1
    }

    fn make(&self, sequence: &mut FragmentSequence, at: u32) {
        sequence.cells[at as usize] = self.0.with_flag();
    }
}
