//! A corpus whose documents are split at added tokens.

use crate::Error;
use crate::corpus::{Batch, BatchHandler, Corpus, ReadOptions, Totals};
use crate::model::{AddedTokenFinder, Segment};

/// A corpus of the texts between added tokens. No rule joins anything across an added token, so each
/// of these texts is a document. The totals are those of the whole documents.
pub(super) struct SegmentedCorpus<'c> {
    pub(super) corpus: &'c dyn Corpus,
    pub(super) added_tokens: &'c AddedTokenFinder,
}

impl Corpus for SegmentedCorpus<'_> {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let handle_segments = |worker: usize, batch: &Batch| {
            let mut segments = Batch::default();
            for (document, weight) in batch.weighted_documents() {
                for segment in self.added_tokens.split(document) {
                    if let Segment::Text(text) = segment {
                        segments.push_weighted(text, weight);
                    }
                }
            }
            handle(worker, &segments)
        };
        self.corpus.read(options, &handle_segments, progress)
    }

    fn size(&self) -> Option<u64> {
        self.corpus.size()
    }

    fn skipped(&self) -> Vec<String> {
        self.corpus.skipped()
    }

    fn unused_weight(&self) -> Option<&str> {
        self.corpus.unused_weight()
    }
}
