//! Fragments of a recorded corpus.
//!
//! Those of pretokens are what [`OpenableSplitter`](crate::count::OpenableSplitter) finds: a document
//! is split at each pretoken that never opens, and between rare neighbours.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::CorpusRecord;
use super::code::{Item, read_item};
use super::symbols::{NEVER_OPENS, NumberMeaning, RecordedSymbols};
use super::tokens::hash_token;
use crate::Error;
use crate::control::Stage;
use crate::count::bigrams::{AboveThreshold, BigramCounts, BigramHash, FrequentBigrams};
use crate::count::corpus_pass::{CorpusPass, ThreadCounter};
use crate::count::fragments::{FragmentCollector, FragmentCounter, FragmentSymbol, Fragments};
use crate::count::pretoken_map::{PROBE_GROUP, PretokenMap};
use crate::platform::cpu::prefetch;
use crate::platform::threads::call_on_threads;

/// In place of a number that nothing has.
const SEPARATOR: u32 = u32::MAX;

/// Splits a recorded corpus.
pub(crate) struct RecordSplitter<'r> {
    record: &'r CorpusRecord,
    meaning: NumberMeaning<'r>,
    /// The hash of each symbol.
    hashes: Vec<u64>,
}

impl<'r> RecordSplitter<'r> {
    /// Prepares to split recorded pretokens at those that are not in `openable`.
    pub(crate) fn of_pretokens(
        record: &'r CorpusRecord,
        openable: &'r PretokenMap<FragmentSymbol>,
    ) -> RecordSplitter<'r> {
        let mut hashes = Vec::new();
        openable.for_each(|pretoken, symbol| {
            let index = symbol.0 as usize;
            hashes.resize(hashes.len().max(index + 1), 0);
            let probe = openable.probe(pretoken, 0, pretoken.len());
            hashes[index] = BigramCounts::hash(pretoken, &probe);
        });
        RecordSplitter { record, meaning: NumberMeaning::Pretokens(openable), hashes }
    }

    /// Prepares to split recorded tokens, whose numbers are below `tokens`.
    pub(crate) fn of_tokens(record: &'r CorpusRecord, tokens: u32) -> RecordSplitter<'r> {
        let hashes = (0..tokens).map(hash_token).collect();
        RecordSplitter { record, meaning: NumberMeaning::Tokens(tokens), hashes }
    }

    /// Counts the fragments. With `bigrams`, it also splits between rare neighbours.
    ///
    /// # Errors
    /// When a temporary file cannot be read or written, or the job is interrupted.
    pub(crate) fn count_fragments(
        &self,
        pass: &CorpusPass,
        bigrams: Option<&AboveThreshold>,
    ) -> Result<Fragments, Error> {
        let symbols = RecordedSymbols::new(self.record, self.meaning);
        let sequences = &self.record.sequences;
        let blocks = sequences.iter().flatten();
        let recorded: u128 = blocks.map(|block| block.stored.len() as u128).sum();
        let input_bytes = u128::from(pass.corpus.size().unwrap_or_default());
        let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
        let counter = Arc::new(FragmentCounter::new(pass.budget.table_size(1)));
        let collect = |_| -> Result<(), Error> {
            let mut collector = FragmentCollector::new(counter.clone());
            while let Some(sequence) = sequences.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut before = NEVER_OPENS;
                collector.weight = 1;
                for block in sequence {
                    let symbols = symbols.for_block(block.numbering)?;
                    let bytes = self.record.read(block)?;
                    self.split(&bytes, &symbols, bigrams, &mut before, &mut collector)?;
                    let done = done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    let read = u128::from(done) + bytes.len() as u128;
                    // As a share of the input, in whose bytes progress is reported.
                    let progress = input_bytes * read / recorded.max(1);
                    pass.control.report(Stage::Fragments, progress as u64)?;
                }
                collector.end_document()?;
            }
            collector.finish()
        };
        let collected = call_on_threads(pass.reading.threads, collect);
        collected.into_iter().collect::<Result<(), Error>>()?;
        let counter = Arc::into_inner(counter).expect("all collectors are dropped");
        counter.into_fragments(bigrams.is_some())
    }

    /// Splits a block. `before` is the last symbol of the block before, if this one continues it. What
    /// is looked up is prefetched, in groups.
    fn split(
        &self,
        mut block: &[u8],
        symbols: &[FragmentSymbol],
        bigrams: Option<&AboveThreshold>,
        before: &mut FragmentSymbol,
        collector: &mut FragmentCollector,
    ) -> Result<(), Error> {
        while !block.is_empty() {
            let mut numbers = [SEPARATOR; PROBE_GROUP];
            let mut size = 0;
            let mut weight = None;
            while size < PROBE_GROUP {
                match read_item(&mut block) {
                    Some(Item::Number(number)) => {
                        prefetch(&symbols[number as usize]);
                        numbers[size] = number;
                    }
                    Some(Item::Separator) => {}
                    Some(Item::Weight(new)) => {
                        weight = Some(new);
                        break;
                    }
                    None => break,
                }
                size += 1;
            }
            let mut group = [(NEVER_OPENS, 0); PROBE_GROUP];
            for (&number, item) in numbers[..size].iter().zip(&mut group) {
                let symbol = symbols.get(number as usize).copied().unwrap_or(NEVER_OPENS);
                item.0 = symbol;
                if let (Some(bigrams), true, true) =
                    (bigrams, *before != NEVER_OPENS, symbol != NEVER_OPENS)
                {
                    let hash = |symbol: FragmentSymbol| self.hashes[symbol.0 as usize];
                    item.1 = bigrams.bucket(hash(*before), hash(symbol));
                }
                *before = symbol;
            }
            for &(symbol, bucket) in &group[..size] {
                if symbol == NEVER_OPENS {
                    collector.end_fragment();
                    continue;
                }
                if bigrams.is_some_and(|bigrams| !bigrams.is_frequent(bucket)) {
                    collector.end_fragment();
                }
                collector.push(symbol);
            }
            if let Some(weight) = weight {
                collector.end_document()?;
                collector.weight = weight;
            }
        }
        Ok(())
    }
}
