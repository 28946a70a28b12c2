//! Counting fragments, which several threads collect.
//!
//! Fragments are divided by hash into parts, each a table with a lock. A thread collects some for a
//! part before it takes the lock, so threads hardly wait for each other, and nothing has to be added
//! up in the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::table::FragmentTable;
use super::{FragmentStorage, FragmentSymbol, Fragments};
use crate::Error;
use crate::count::spill::{Run, Runs};

/// The number of parts, a power of two.
pub(super) const PARTS: usize = 64;

/// Returns the part of a hash. All bits matter, so that those that remain tell slots apart.
#[inline]
pub(super) fn part_of(hash: u32) -> usize {
    (hash.wrapping_mul(0x9E37_79B9) >> (u32::BITS - PARTS.ilog2())) as usize
}

/// Distinct fragments with their counts. All threads share it.
pub(crate) struct FragmentCounter {
    parts: Vec<Mutex<FragmentTable>>,
    /// The size of all tables in bytes.
    size: AtomicUsize,
    /// The size above which the tables are spilled.
    max_size: usize,
    /// The contents of earlier tables, which became too large.
    runs: Mutex<Runs>,
}

/// Fragments of one part, one after the other, which wait to be counted.
#[derive(Default)]
pub(super) struct WaitingFragments {
    pub(super) fragments: Vec<WaitingFragment>,
    pub(super) symbols: Vec<FragmentSymbol>,
}

/// A fragment that waits to be counted.
#[derive(Clone, Copy)]
pub(super) struct WaitingFragment {
    pub(super) hash: u32,
    pub(super) length: u32,
    pub(super) weight: u64,
}

impl FragmentCounter {
    /// Creates an empty counter, which spills tables of more than `max_size` bytes.
    pub(crate) fn new(max_size: usize) -> FragmentCounter {
        FragmentCounter {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            size: AtomicUsize::new(0),
            max_size,
            runs: Mutex::new(Runs::new(|sum, count| sum + count)),
        }
    }

    /// Counts the fragments that wait for a part, and spills the tables if they have become too
    /// large.
    pub(super) fn count(&self, part: usize, waiting: &mut WaitingFragments) -> Result<(), Error> {
        let mut table = lock(&self.parts[part]);
        let before = table.memory();
        for fragment in &waiting.fragments {
            table.prefetch(fragment.hash);
        }
        let mut rest = &*waiting.symbols;
        for &WaitingFragment { hash, length, weight } in &waiting.fragments {
            let (symbols, others) = rest.split_at(length as usize);
            table.add(symbols, hash, weight);
            rest = others;
        }
        waiting.fragments.clear();
        waiting.symbols.clear();
        let grown = table.memory() - before;
        let size = self.size.fetch_add(grown, Ordering::Relaxed) + grown;
        drop(table);
        if size > self.max_size { self.spill() } else { Ok(()) }
    }

    /// Writes the tables to a run, and empties them.
    #[cold]
    fn spill(&self) -> Result<(), Error> {
        let mut runs = lock(&self.runs);
        // Another thread may have spilled them meanwhile.
        if self.size.load(Ordering::Relaxed) <= self.max_size {
            return Ok(());
        }
        self.write_run(&mut runs)
    }

    fn write_run(&self, runs: &mut Runs) -> Result<(), Error> {
        runs.write(|each| {
            let mut bytes = Vec::new();
            for part in &self.parts {
                let table = std::mem::take(&mut *lock(part));
                self.size.fetch_sub(table.memory(), Ordering::Relaxed);
                table.for_each(|fragment, count| {
                    bytes.clear();
                    bytes.extend(fragment.iter().flat_map(|symbol| symbol.0.to_le_bytes()));
                    each(&bytes, count);
                });
            }
        })
    }

    /// Returns the fragments that were counted.
    pub(crate) fn into_fragments(self, splits_rare_neighbours: bool) -> Result<Fragments, Error> {
        let storage = if lock(&self.runs).is_empty() {
            let tables = self.parts.into_iter().map(Mutex::into_inner);
            let tables = tables.map(|table| table.unwrap_or_else(PoisonError::into_inner));
            FragmentStorage::InMemory(tables.collect())
        } else {
            FragmentStorage::Spilled(self.into_run()?)
        };
        Ok(Fragments { storage, splits_rare_neighbours })
    }

    /// Returns all fragments in the order of their bytes, with their counts.
    pub(crate) fn into_run(self) -> Result<Run, Error> {
        let mut runs = lock(&self.runs);
        self.write_run(&mut runs)?;
        runs.merge()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
