//! How the documents of all shards are split into fragments.

use crate::Error;
use crate::count::{
    BIGRAM_BUCKETS, FragmentSymbol, FrequentBuckets, OpenableSplitter, PretokenMap,
};
use crate::pretokenize::Pattern;
use crate::train::supermerges::OpenableIndex;

/// The pretokens that open at some time, and which neighbours are frequent.
pub struct ShardFragmentSplitter {
    /// The `OpenableIndex` of each pretoken.
    symbols: PretokenMap<FragmentSymbol>,
    frequent_buckets: Option<Box<[u8]>>,
}

impl ShardFragmentSplitter {
    /// Splits documents at all pretokens but the openable ones, which become the symbols of
    /// fragments by their index. Also splits between neighbours whose bigram bucket has a bit that
    /// is not set, the lowest bit of each byte first. Without bits, it keeps all neighbours
    /// together.
    ///
    /// # Errors
    /// When the number of bits is not the number of buckets.
    pub fn new<'p>(
        openable_pretokens: impl IntoIterator<Item = &'p [u8]>,
        frequent_buckets: Option<&[u8]>,
    ) -> Result<ShardFragmentSplitter, Error> {
        let mut symbols = PretokenMap::new();
        for (index, pretoken) in (0..).map(OpenableIndex).zip(openable_pretokens) {
            symbols.insert(pretoken, FragmentSymbol::from(index));
        }
        if frequent_buckets.is_some_and(|bits| bits.len() != BIGRAM_BUCKETS / 8) {
            let reason = format!("the bits of frequent buckets are not {BIGRAM_BUCKETS}");
            return Err(Error::Counts { reason });
        }
        let frequent_buckets = frequent_buckets.map(Box::from);
        Ok(ShardFragmentSplitter { symbols, frequent_buckets })
    }

    /// Splits documents into pretokens by a pattern.
    pub(super) fn with_pattern<'s>(
        &'s self,
        pattern: &'s Pattern,
        is_interrupted: &'s (dyn Fn() -> bool + Sync),
    ) -> OpenableSplitter<'s, FrequentBuckets<'s>> {
        let bigrams = self.frequent_buckets.as_deref().map(|bits| FrequentBuckets { bits });
        OpenableSplitter { pattern, openable: &self.symbols, bigrams, is_interrupted }
    }
}
