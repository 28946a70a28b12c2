//! The symbols that recorded numbers stand for.

use std::sync::{Arc, Mutex, PoisonError};

use super::CorpusRecord;
use crate::Error;
use crate::count::fragments::FragmentSymbol;
use crate::count::pretoken_map::PretokenMap;

/// The symbol of a pretoken that never opens.
pub(super) const NEVER_OPENS: FragmentSymbol = FragmentSymbol(u32::MAX);

/// What the numbers of a record are, and which of them are symbols.
#[derive(Clone, Copy)]
pub(super) enum NumberMeaning<'r> {
    /// Pretokens, of which these have symbols. The others never open.
    Pretokens(&'r PretokenMap<FragmentSymbol>),
    /// So many tokens, which are the symbols.
    Tokens(u32),
}

/// Finds the symbols of each numbering when a block first needs them, and drops them after the last
/// block that does. So few numberings have their symbols in memory at a time.
pub(super) struct RecordedSymbols<'r> {
    record: &'r CorpusRecord,
    meaning: NumberMeaning<'r>,
    /// By numbering.
    numberings: Vec<Mutex<NumberingSymbols>>,
}

struct NumberingSymbols {
    /// By number, once they were found.
    found: Option<Arc<[FragmentSymbol]>>,
    /// The number of blocks that still need them.
    blocks: usize,
}

impl<'r> RecordedSymbols<'r> {
    /// Prepares to read all blocks of a record once.
    pub(super) fn new(record: &'r CorpusRecord, meaning: NumberMeaning<'r>) -> RecordedSymbols<'r> {
        let mut blocks = vec![0; record.pretokens.len()];
        for block in record.sequences.iter().flatten() {
            blocks[block.numbering] += 1;
        }
        let new = |blocks| Mutex::new(NumberingSymbols { found: None, blocks });
        RecordedSymbols { record, meaning, numberings: blocks.into_iter().map(new).collect() }
    }

    /// Returns the symbols for the next block of a numbering.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(super) fn for_block(&self, numbering: usize) -> Result<Arc<[FragmentSymbol]>, Error> {
        let slot = self.numberings[numbering].lock();
        let mut slot = slot.unwrap_or_else(PoisonError::into_inner);
        let found = match slot.found.take() {
            Some(found) => found,
            None => self.find(numbering)?,
        };
        slot.blocks -= 1;
        if slot.blocks > 0 {
            slot.found = Some(found.clone());
        }
        Ok(found)
    }

    fn find(&self, numbering: usize) -> Result<Arc<[FragmentSymbol]>, Error> {
        let openable = match self.meaning {
            NumberMeaning::Pretokens(openable) => openable,
            NumberMeaning::Tokens(tokens) => return Ok((0..tokens).map(FragmentSymbol).collect()),
        };
        let mut symbols = Vec::new();
        for block in &self.record.pretokens[numbering] {
            let block = self.record.read(block)?;
            let mut rest = &*block;
            while let Some((head, after)) = rest.split_first_chunk::<8>() {
                let head = u64::from_le_bytes(*head);
                let (number, length) = (head as u32 as usize, (head >> 32) as usize);
                let (pretoken, after) = after.split_at(length);
                rest = after;
                if number >= symbols.len() {
                    symbols.resize(number + 1, NEVER_OPENS);
                }
                symbols[number] = openable.find(pretoken).unwrap_or(NEVER_OPENS);
            }
        }
        Ok(symbols.into())
    }
}
