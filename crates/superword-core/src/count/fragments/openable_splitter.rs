//! Fragments for supermerges.
//!
//! A supermerge joins open units only, and each one that is learned has at least the count
//! `min_supermerge_count`. So a document is split at each pretoken that never opens, and between
//! two pretokens that are neighbours less often than that.

use super::{FragmentCollector, FragmentSymbol};
use crate::count::bigrams::FrequentBigrams;
use crate::count::pretoken_map::{PROBE_GROUP, PretokenMap, Probe};
use crate::error::Error;
use crate::pretokenize::Pattern;

/// Splits documents at pretokens that never open, and between rare neighbours.
pub(crate) struct OpenableSplitter<'c, B> {
    pub(crate) pattern: &'c Pattern,
    /// The pretokens that open at some time.
    pub(crate) openable: &'c PretokenMap<FragmentSymbol>,
    /// The neighbours that are frequent enough; `None` to keep rare ones together too.
    pub(crate) bigrams: Option<B>,
    /// Whether to stop with an error.
    pub(crate) is_interrupted: &'c (dyn Fn() -> bool + Sync),
}

impl<B: FrequentBigrams> OpenableSplitter<'_, B> {
    /// Pushes the symbols of a document to a collector, and ends its fragments there. Pretokens are
    /// looked up in groups, as when they are counted.
    pub(super) fn split(
        &self,
        document: &str,
        collector: &mut FragmentCollector,
    ) -> Result<(), Error> {
        let text = document.as_bytes();
        let mut group = [Probe::default(); PROBE_GROUP];
        let mut size = 0;
        let mut before = 0;
        let mut result = Ok(());
        let spans = self.pattern.spans(document).interrupted_by(self.is_interrupted);
        spans.for_each(|span| match span {
            Ok(span) => {
                group[size] = self.openable.probe(text, span.start, span.end);
                size += 1;
                if size == PROBE_GROUP {
                    self.split_group(text, &group, &mut before, collector);
                    size = 0;
                }
            }
            Err(error) => result = Err(error),
        });
        self.split_group(text, &group[..size], &mut before, collector);
        result
    }

    /// Splits consecutive pretokens. `before` is the hash of the pretoken before them.
    #[inline]
    fn split_group(
        &self,
        text: &[u8],
        group: &[Probe],
        before: &mut u64,
        collector: &mut FragmentCollector,
    ) {
        collector.pretokens += group.len() as u64 * collector.weight;
        let mut found = [None; PROBE_GROUP];
        for (probe, found) in group.iter().zip(&mut found) {
            let hash = B::hash(text, probe);
            *found = self.openable.get(text, probe).map(|symbol| {
                (symbol, self.bigrams.map_or(0, |bigrams| bigrams.bucket(*before, hash)))
            });
            *before = hash;
        }
        for &found in &found[..group.len()] {
            match found {
                None => collector.end_fragment(),
                Some((symbol, bucket)) => {
                    if self.bigrams.is_some_and(|bigrams| !bigrams.is_frequent(bucket)) {
                        collector.end_fragment();
                    }
                    collector.push(symbol);
                }
            }
        }
    }
}
