//! A recorded corpus is split as its text is.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::RecordSplitter;
use crate::control::{Control, never};
use crate::corpus::{Batch, Memory};
use crate::count::{
    AboveThreshold, CorpusPass, FragmentCollector, FragmentSymbol, Fragments, OpenableSplitter,
    PretokenMap, Recorded, count_pretokens,
};
use crate::platform::memory_budget::MemoryBudget;
use crate::pretokenize::{ELIGIBLE, Splitter};

type Counts = BTreeMap<Vec<u32>, u64>;

fn collect(fragments: Fragments) -> Counts {
    let mut counts = Counts::new();
    let add = |fragment: &[FragmentSymbol], count| {
        *counts.entry(fragment.iter().map(|symbol| symbol.0).collect()).or_default() += count;
    };
    fragments.for_each(add).expect("it is in memory");
    counts
}

fn make_batch(documents: &[(String, u64)]) -> Batch {
    let mut batch = Batch::default();
    for (document, weight) in documents {
        batch.push_weighted(document, *weight);
    }
    batch
}

/// Splits documents as text and as a record, at pretokens that contain the letter `never_open`, and
/// between neighbours that are rarer than `threshold`, if there is one.
fn split_twice(
    batches: &[Vec<(String, u64)>],
    never_open: char,
    threshold: Option<u64>,
    threads: usize,
    budget: MemoryBudget,
) -> [Counts; 2] {
    let control = Control { progress: &|_, _| (), is_interrupted: &never };
    let corpus = Memory::new(batches.iter().map(|batch| make_batch(batch)).collect());
    let splitter = Splitter::new("gpt4o", ELIGIBLE).expect("it is well formed");
    let pass = CorpusPass {
        corpus: &corpus,
        reading: splitter.read_options(threads),
        tables: threads,
        budget,
        control: &control,
        expected: None,
    };
    let counts = count_pretokens(&pass, &splitter, true).expect("nothing fails");
    let mut openable = PretokenMap::new();
    let mut symbols = (0..).map(FragmentSymbol);
    counts.for_each(|pretoken, _| {
        let text = str::from_utf8(pretoken).expect("it is text");
        if !text.contains(never_open) && counts.has_eligible(pretoken) {
            openable.insert(pretoken, symbols.next().expect("there are many"));
        }
    });
    let Recorded { bigrams, record } = counts.into_recorded().expect("it was recorded");
    let bigrams = threshold.map(|threshold| AboveThreshold::new(&bigrams, threshold));
    let bigrams = bigrams.as_ref();
    let text = OpenableSplitter {
        pattern: splitter.pattern(),
        openable: &openable,
        bigrams,
        is_interrupted: &never,
    };
    let recorded = RecordSplitter::of_pretokens(&record, &openable).count_fragments(&pass, bigrams);
    let (collector, _) = FragmentCollector::collect_corpus(&pass, &text).expect("nothing fails");
    let text = collector.into_counter().into_fragments(bigrams.is_some());
    [text, recorded].map(|found| collect(found.expect("nothing fails")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 100, ..Default::default() })]
    #[test]
    fn a_record_has_the_fragments_of_its_text(
        batches in prop::collection::vec(
            prop::collection::vec(("( [a-e]{1,2}|[.7]| [a-e]{1,3}){0,300}", 0..4_u64), 0..5), 0..5),
        threshold in prop::option::of(1..6_u64),
        threads in 1..4_usize,
        memory_limit in prop::option::of(Just(256_000_000)),
    ) {
        let budget = MemoryBudget::new(memory_limit);
        let [text, record] = split_twice(&batches, 'e', threshold, threads, budget);
        prop_assert_eq!(text, record);
    }
}
