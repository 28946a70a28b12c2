//! Counting in parts and training on the sums, against training on the whole.

use std::collections::BTreeMap;

use superword_core::corpus::Memory;
use superword_core::model::{Deletion, Parameters, SecondStage};
use superword_core::pretokenize::ELIGIBLE;
use superword_core::train::from_counts::Pretokens;
use superword_core::train::shard_counts::{
    CountEffort, Counts, Cut, FragmentCounter, PretokenCounter, Seen, Splitting, count_fragments,
    count_pretokens,
};
use superword_core::{Control, Effort, Error, PLACES, train};

const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };
const EFFORT: Effort = Effort { threads: 2, memory_limit: None, verify_every: None };

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
    Parameters {
        pattern: "boundless".to_owned(),
        eligible: ELIGIBLE.to_owned(),
        supermerges: true,
        deletion: Some(Deletion::Bytes),
        tau: 0.9,
        min_count: 2,
        vocab_size: 300,
        second_stage: None,
    }
}

type Sums = BTreeMap<Vec<u8>, u64>;

/// Adds counts to sums; their keys must be in order.
fn add(sums: &mut Sums, counts: &mut Counts) {
    let mut last: Option<Vec<u8>> = None;
    while let Some(rows) = counts.next_rows().expect("readable") {
        for (ends, count) in rows.offsets.windows(2).zip(rows.counts) {
            let key = rows.bytes[ends[0] as usize..ends[1] as usize].to_vec();
            assert!(last.as_ref() < Some(&key));
            *sums.entry(key.clone()).or_default() += count;
            last = Some(key);
        }
    }
}

#[test]
fn sums_of_parts_lead_to_the_model_of_the_whole() {
    let documents = documents();
    let corpus: Memory = documents.iter().collect();
    let wanted = train(&corpus, parameters(), Vec::new(), EFFORT, &QUIET).expect("a model");
    let splitting = Splitting::new("boundless", ELIGIBLE).expect("good regexes");
    let effort = CountEffort { threads: 3, memory_limit: None };
    let mut whole =
        count_pretokens(&corpus, &splitting, true, effort, &QUIET).expect("nothing is wrong");
    let (mut sums, mut bigrams, mut seen) = (Sums::new(), vec![0; PLACES], Seen::default());
    for part in documents.chunks(25) {
        let mut counter = PretokenCounter::new(splitting.clone(), true);
        for document in part {
            counter.add(document).expect("a document");
        }
        let mut counts = counter.finish().expect("counts");
        add(&mut sums, &mut counts);
        for (sum, count) in bigrams.iter_mut().zip(counts.take_bigrams().expect("counted")) {
            *sum += count;
        }
        seen.totals = [seen.totals, counts.seen().totals].into_iter().sum();
        seen.pretokens += counts.seen().pretokens;
    }
    assert_eq!(seen, whole.seen());
    assert_eq!(bigrams, whole.take_bigrams().expect("counted"));
    let mut expected = Sums::new();
    add(&mut expected, &mut whole);
    assert_eq!(sums, expected);

    let mut pretokens = Pretokens::new(ELIGIBLE, None).expect("a good regex");
    for (pretoken, &count) in &sums {
        pretokens.add(pretoken, count).expect("a pretoken");
    }
    let mut merged = pretokens.learn(parameters(), seen, EFFORT, &QUIET).expect("merges");
    let mut bits = vec![0_u8; PLACES / 8];
    for (place, &count) in bigrams.iter().enumerate() {
        bits[place / 8] |= u8::from(u64::from(count) >= merged.bound()) << (place % 8);
    }
    let cut = Cut::new(merged.words(), Some(&bits)).expect("a bit for each place");
    let mut whole =
        count_fragments(&corpus, &splitting, &cut, effort, &QUIET).expect("nothing is wrong");
    let (mut sums, mut expected) = (Sums::new(), Sums::new());
    for part in documents.chunks(11) {
        let mut counter = FragmentCounter::new(splitting.clone());
        for document in part {
            counter.add(document, &cut).expect("a document");
        }
        add(&mut sums, &mut counter.finish().expect("counts"));
    }
    assert_eq!(whole.seen(), seen);
    add(&mut expected, &mut whole);
    assert!(!sums.is_empty());
    assert_eq!(sums, expected);

    let mut fragments = merged.fragments().expect("room on the disk");
    for (fragment, &count) in &sums {
        fragments.add(fragment, count).expect("a fragment");
    }
    let model = merged.finish(Some((fragments, true)), Vec::new(), [None; 2], EFFORT, &QUIET);
    let model = model.expect("nothing is wrong").expect("no superword is spelled in two ways");
    assert_eq!(model.to_json(), wanted.to_json());
}

#[test]
fn counts_that_no_corpus_gives_are_refused() {
    let mut pretokens = Pretokens::new(ELIGIBLE, None).expect("a good regex");
    pretokens.add(b" be", 3).expect("a pretoken");
    for (pretoken, count) in [(&b" be"[..], 1), (b"", 1), (b"\xff", 1), (b"or", 0)] {
        let refused = pretokens.add(pretoken, count);
        assert!(matches!(refused, Err(Error::Counts { .. })), "{refused:?}");
    }
    let merged = pretokens.learn(parameters(), Seen::default(), EFFORT, &QUIET).expect("merges");
    let mut fragments = merged.fragments().expect("room on the disk");
    fragments.add(&[0; 8], 1).expect("the only word, twice");
    for (fragment, count) in [(&[0; 4][..], 1), (&[0; 7], 1), (&[1; 8], 1), (&[0; 8], 0)] {
        let refused = fragments.add(fragment, count);
        assert!(matches!(refused, Err(Error::Counts { .. })), "{refused:?}");
    }
    assert!(matches!(Cut::new(merged.words(), Some(&[0; 9])), Err(Error::Counts { .. })));
}

#[test]
fn a_second_stage_is_not_learned_on_counts() {
    let second_stage = Some(SecondStage { transition: 280, pattern: "(?s).+".to_owned() });
    let parameters =
        Parameters { supermerges: false, deletion: None, second_stage, ..parameters() };
    let pretokens = Pretokens::new(ELIGIBLE, None).expect("a good regex");
    let refused = pretokens.learn(parameters, Seen::default(), EFFORT, &QUIET);
    assert!(matches!(refused, Err(Error::Counts { .. })));
}
