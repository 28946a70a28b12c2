//! Fragments: the pieces of documents on which supermerges and second-stage merges are learned.
//!
//! A document is split at every boundary that no rule can join across. What lies between two such
//! boundaries is a fragment: a sequence of symbols, each of them a pretoken or a token. Whatever
//! rules do to a fragment depends on the fragment alone, so it is enough to learn on the distinct
//! fragments with their counts. A fragment of a single symbol has nothing to join, and is dropped.
//!
//! Which boundaries no rule can join across depends on the rules. Supermerges join neighbouring
//! pretokens that are open, and the merges of a second stage join tokens of the first. Documents are
//! also split between symbols that are neighbours less often than a threshold. That is exact if no
//! rule with a smaller count is learned, which training checks.
//!
//! `openable_splitter` splits documents for supermerges; a recorded corpus is split by
//! [`record`](super::record). `collector` collects fragments, `counter` counts them, and `table` holds
//! the distinct ones.

mod collector;
mod counter;
mod openable_splitter;
mod table;

use crate::Error;
use crate::count::spill::Run;

pub(crate) use collector::FragmentCollector;
pub(crate) use counter::FragmentCounter;
pub(crate) use openable_splitter::OpenableSplitter;
use table::FragmentTable;

/// A symbol of a fragment. The splitter decides what its number means: a token of training, or the
/// index of an openable pretoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct FragmentSymbol(pub(crate) u32);

/// Distinct fragments with their counts.
pub(crate) struct Fragments {
    storage: FragmentStorage,
    /// Whether documents were also split between rare neighbours.
    pub(crate) splits_rare_neighbours: bool,
}

enum FragmentStorage {
    InMemory(Vec<FragmentTable>),
    /// The symbols of each fragment as four bytes, the lowest first.
    Spilled(Run),
}

impl Fragments {
    /// Creates fragments from a run that was counted outside this process.
    pub(crate) fn from_sums(run: Run, splits_rare_neighbours: bool) -> Fragments {
        Fragments { storage: FragmentStorage::Spilled(run), splits_rare_neighbours }
    }

    /// Calls `each` with every fragment and its count.
    pub(crate) fn for_each(
        self,
        mut each: impl FnMut(&[FragmentSymbol], u64),
    ) -> Result<(), Error> {
        match self.storage {
            FragmentStorage::InMemory(tables) => {
                for table in tables {
                    table.for_each(&mut each);
                }
            }
            FragmentStorage::Spilled(run) => {
                let mut fragment = Vec::new();
                run.for_each(|bytes, count| {
                    let (symbols, _) = bytes.as_chunks();
                    let symbols = symbols.iter().map(|&bytes| u32::from_le_bytes(bytes));
                    fragment.clear();
                    fragment.extend(symbols.map(FragmentSymbol));
                    each(&fragment, count);
                })?;
            }
        }
        Ok(())
    }

    /// Returns the number of cells that learning needs: one for each symbol, and one for each
    /// fragment.
    pub(crate) fn cells(&self) -> usize {
        let symbols = match &self.storage {
            FragmentStorage::InMemory(tables) => {
                tables.iter().map(FragmentTable::symbol_count).sum()
            }
            FragmentStorage::Spilled(run) => run.bytes / size_of::<FragmentSymbol>(),
        };
        symbols + self.fragment_count()
    }

    /// Returns the number of distinct fragments.
    pub(crate) fn fragment_count(&self) -> usize {
        match &self.storage {
            FragmentStorage::InMemory(tables) => {
                tables.iter().map(FragmentTable::fragment_count).sum()
            }
            FragmentStorage::Spilled(run) => run.keys,
        }
    }
}
