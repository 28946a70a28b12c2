//! Counting shards and training on the sums, against training on the whole corpus.

use std::collections::BTreeMap;

use superword_core::corpus::{Memory, Totals};
use superword_core::model::{Parameters, SecondStage};
use superword_core::pretokenize::{DEFAULT_PATTERN, ELIGIBLE};
use superword_core::train::from_counts::{CountThresholds, CountedFragments, PretokenSums};
use superword_core::train::shard_counts::{
    ShardFragmentCounter, ShardFragmentSplitter, ShardPretokenCounter, ShardTotals, SortedCounts,
    Splitter, count_fragments, count_pretokens,
};
use superword_core::{BIGRAM_BUCKETS, Control, Error, Resources, train};

const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };
const RESOURCES: Resources = Resources { threads: 3, memory_limit: None, verify_every: None };

fn documents() -> Vec<String> {
    let words = ["to", " be", " or", " not", " see", ",", " question", " the", " of"];
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as usize
    };
    (0..40).map(|_| (0..next() % 30).map(|_| words[next() % words.len()]).collect()).collect()
}

fn parameters() -> Parameters {
    Parameters { vocab_size: 300, ..Parameters::default() }
}

type Sums = BTreeMap<Vec<u8>, u64>;

/// Adds counts to sums. Their keys must be in order.
fn add(sums: &mut Sums, counts: &mut SortedCounts) {
    let mut last: Option<Vec<u8>> = None;
    while let Some(batch) = counts.next_batch().expect("readable") {
        for (ends, count) in batch.offsets.windows(2).zip(batch.counts) {
            let key = batch.bytes[ends[0] as usize..ends[1] as usize].to_vec();
            assert!(last.as_ref() < Some(&key));
            *sums.entry(key.clone()).or_default() += count;
            last = Some(key);
        }
    }
}

#[test]
fn sums_of_shards_give_the_model_of_the_whole_corpus() {
    let documents = documents();
    let corpus: Memory = documents.iter().collect();
    let wanted = train(&corpus, parameters(), Vec::new(), RESOURCES, &QUIET).expect("a model");
    let splitter = Splitter::new(DEFAULT_PATTERN, ELIGIBLE).expect("good regexes");
    let mut whole = count_pretokens(&corpus, &splitter, true, RESOURCES, &QUIET).expect("counts");
    let mut sums = Sums::new();
    let mut bigrams = vec![0; BIGRAM_BUCKETS];
    let mut totals = ShardTotals::default();
    for shard in documents.chunks(25) {
        let mut counter = ShardPretokenCounter::new(splitter.clone(), true);
        for document in shard {
            counter.add(document, 1).expect("a document");
        }
        let mut counts = counter.finish().expect("counts");
        add(&mut sums, &mut counts);
        for (sum, count) in bigrams.iter_mut().zip(counts.take_bigrams().expect("counted")) {
            *sum += count;
        }
        totals.corpus.documents += counts.totals().corpus.documents;
        totals.corpus.bytes += counts.totals().corpus.bytes;
        totals.pretokens += counts.totals().pretokens;
    }
    assert_eq!(totals, whole.totals());
    assert_eq!(bigrams, whole.take_bigrams().expect("counted"));
    let mut expected = Sums::new();
    add(&mut expected, &mut whole);
    assert_eq!(sums, expected);

    let mut pretokens = PretokenSums::new(ELIGIBLE, None).expect("a good regex");
    for (pretoken, &count) in &sums {
        pretokens.add(pretoken, count).expect("a pretoken");
    }
    let mut merges = pretokens.learn(parameters(), totals, RESOURCES, &QUIET).expect("merges");
    let mut bits = vec![0_u8; BIGRAM_BUCKETS / 8];
    for (bucket, &count) in bigrams.iter().enumerate() {
        let is_frequent = u64::from(count) >= merges.min_supermerge_count();
        bits[bucket / 8] |= u8::from(is_frequent) << (bucket % 8);
    }
    let fragment_splitter = ShardFragmentSplitter::new(merges.openable_pretokens(), Some(&bits));
    let fragment_splitter = fragment_splitter.expect("a bit for each bucket");
    let mut whole =
        count_fragments(&corpus, &splitter, &fragment_splitter, RESOURCES, &QUIET).expect("counts");
    let (mut sums, mut expected) = (Sums::new(), Sums::new());
    for shard in documents.chunks(11) {
        let mut counter = ShardFragmentCounter::new(splitter.clone());
        for document in shard {
            counter.add(document, 1, &fragment_splitter).expect("a document");
        }
        add(&mut sums, &mut counter.finish().expect("counts"));
    }
    assert_eq!(whole.totals(), totals);
    add(&mut expected, &mut whole);
    assert!(!sums.is_empty());
    assert_eq!(sums, expected);

    let mut fragments = merges.fragment_sums().expect("room on the disk");
    for (fragment, &count) in &sums {
        fragments.add(fragment, count).expect("a fragment");
    }
    let fragments = CountedFragments { sums: fragments, splits_rare_neighbours: true };
    let thresholds = CountThresholds::default();
    let model = merges.finish(Some(fragments), Vec::new(), thresholds, RESOURCES, &QUIET);
    let model = model.expect("nothing fails").expect("no superword is spelled in two ways");
    assert_eq!(model.to_json(), wanted.to_json());
}

#[test]
fn impossible_counts_are_refused() {
    let mut pretokens = PretokenSums::new(ELIGIBLE, None).expect("a good regex");
    pretokens.add(b" be", 3).expect("a pretoken");
    let negative = (-5_i64).cast_unsigned();
    let impossible = [(&b" be"[..], 1), (b"", 1), (b"\xff", 1), (b"or", 0)];
    for (pretoken, count) in
        impossible.into_iter().chain([(&b"or"[..], 1 << 62), (b"or", negative)])
    {
        let refused = pretokens.add(pretoken, count);
        assert!(matches!(refused, Err(Error::Counts { .. })), "{refused:?}");
    }
    let corpus = Totals { documents: 1, bytes: 9, skipped: 0 };
    let totals = ShardTotals { corpus, pretokens: 3 };
    let merges = pretokens.learn(parameters(), totals, RESOURCES, &QUIET).expect("merges");
    let mut fragments = merges.fragment_sums().expect("room on the disk");
    fragments.add(&[0; 8], 1).expect("the only openable pretoken, twice");
    // The last one has it twice more, and it occurs three times.
    let impossible = [(&[0; 4][..], 1), (&[0; 7], 1), (&[1; 8], 1), (&[0; 8], 0), (&[0; 8], 1)];
    for (fragment, count) in impossible {
        let refused = fragments.add(fragment, count);
        assert!(matches!(refused, Err(Error::Counts { .. })), "{refused:?}");
    }
    let refused = ShardFragmentSplitter::new(merges.openable_pretokens(), Some(&[0; 9]));
    assert!(matches!(refused, Err(Error::Counts { .. })));
}

#[test]
fn pretokens_that_exceed_their_documents_are_refused() {
    for (bytes, pretokens, is_possible) in [(9, 3, true), (8, 3, false), (9, 2, false)] {
        let mut sums = PretokenSums::new(ELIGIBLE, None).expect("a good regex");
        sums.add(b" be", 3).expect("a pretoken");
        let corpus = Totals { documents: 1, bytes, skipped: 0 };
        let learned =
            sums.learn(parameters(), ShardTotals { corpus, pretokens }, RESOURCES, &QUIET);
        assert_eq!(learned.is_ok(), is_possible, "{bytes} {pretokens}");
    }
}

#[test]
fn a_second_stage_is_not_learned_on_counts() {
    let second_stage = Some(SecondStage { transition: 280, pattern: "(?s).+".to_owned() });
    let parameters =
        Parameters { supermerges: false, deletion: None, second_stage, ..parameters() };
    let pretokens = PretokenSums::new(ELIGIBLE, None).expect("a good regex");
    let refused = pretokens.learn(parameters, ShardTotals::default(), RESOURCES, &QUIET);
    assert!(matches!(refused, Err(Error::Counts { .. })));
}
