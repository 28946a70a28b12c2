//! Where documents are cut into fragments.

use crate::Error;
use crate::count::fragments::Counter;
use crate::count::pretoken_map::Table;
use crate::count::{OftenPlaces, PLACES};
use crate::pretokenize::Pattern;
use crate::train::supermerges;

/// Which pretokens are open at some time, and at which places they stand side by side often enough.
pub struct Cut {
    numbers: Table<u64>,
    bits: Option<Box<[u8]>>,
}

impl Cut {
    /// A cut between all pretokens but these words, which have their places as numbers; also where
    /// two stand side by side at a place whose bit is not set, the lowest bit of each byte first.
    /// Without bits, nowhere else.
    ///
    /// # Errors
    /// When there is not a bit for each place.
    pub fn new<'w>(
        words: impl IntoIterator<Item = &'w [u8]>,
        bits: Option<&[u8]>,
    ) -> Result<Cut, Error> {
        let mut numbers = Table::new();
        for (number, word) in words.into_iter().enumerate() {
            numbers.set(word, number as u64);
        }
        if bits.is_some_and(|bits| bits.len() != PLACES / 8) {
            let reason = "the bits of a cut are not as many as there are places".to_owned();
            return Err(Error::Counts { reason });
        }
        Ok(Cut { numbers, bits: bits.map(Box::from) })
    }

    /// Cuts a document that is split so.
    pub(super) fn cut(
        &self,
        document: &str,
        pattern: &Pattern,
        counter: &mut Counter,
    ) -> Result<(), Error> {
        let bigrams = self.bits.as_deref().map(|bits| OftenPlaces { bits });
        supermerges::Cut { pattern, openable: &self.numbers, bigrams }.cut(document, counter)
    }
}
