//! The trainer against its naive twin, on tiny corpora.

use superword_core::model::{Deletion, Parameters, RuleLimits, SuperwordCap};
use superword_core::pretokenize::{ELIGIBLE, SCRIPT_ELIGIBLE};

use crate::naive::{PATTERNS, assert_same_model_in_memory};
use crate::oracle::Choices;

/// What documents are made of. With few letters, pairs overlap and tokens are made in several ways.
const ALPHABETS: [&[&str]; 9] = [
    &["a"],
    &["a", "b"],
    &["a", "b", " "],
    &["a", "b", " ", "'"],
    &["a", "b", "c", " "],
    &["é", " ", "a"],
    &["'ab", "ab", "'a", "b", "'b", "a", "'abb", "c", "'ba"],
    &["ab", " ab", " c", " abc", " d", ", ", "1"],
    &["中", "文", "ア", " ", "a", " ab"],
];

const ELIGIBILITIES: [&str; 4] = [ELIGIBLE, "(?s).*", "[ab ]+", SCRIPT_ELIGIBLE];

/// Invents documents and parameters from bytes, and trains on them.
pub(super) fn train(data: &[u8]) {
    let mut choices = Choices::new(data);
    let threads = choices.between(1, 2);
    let parameters = invent_parameters(&mut choices);
    let documents = invent_documents(&mut choices);
    assert_same_model_in_memory(&documents, &parameters, threads);
}

/// Invents parameters. No corpus has pairs for the largest vocabulary.
pub(super) fn invent_parameters(choices: &mut Choices) -> Parameters {
    let vocab_size = match choices.below(4) {
        0 => choices.between(256, 280),
        1 | 2 => choices.between(256, 350),
        _ => 5000,
    };
    let deletions = [Some(Deletion::Bytes), Some(Deletion::Pair), None];
    Parameters {
        pattern: (*choices.pick(&PATTERNS)).to_owned(),
        eligible: (*choices.pick(&ELIGIBILITIES)).to_owned(),
        supermerges: choices.chance(80),
        deletion: *choices.pick(&deletions),
        tau: *choices.pick(&[0.05, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0]),
        min_count: choices.between(1, 6) as u64,
        vocab_size: vocab_size as u32,
        limits: invent_limits(choices),
        second_stage: None,
    }
}

/// No limits, or limits that many corpora reach.
fn invent_limits(choices: &mut Choices) -> RuleLimits {
    let max_superwords = match choices.below(4) {
        0 => Some(SuperwordCap::Count(choices.below(20) as u32)),
        1 => Some(SuperwordCap::Share(*choices.pick(&[0.001, 0.01, 0.1]))),
        _ => None,
    };
    let max_words = choices.chance(30).then(|| choices.between(1, 5) as u32);
    let max_token_bytes = choices.chance(30).then(|| choices.between(1, 8) as u32);
    let regexes = ["aa", "b a", "^ ", "b$", "é", "(?!)"];
    let forbid = choices.chance(30).then(|| (*choices.pick(&regexes)).to_owned());
    RuleLimits { max_superwords, max_words, max_token_bytes, forbid }
}

/// Invents documents of a few letters, some of them repeated.
pub(super) fn invent_documents(choices: &mut Choices) -> Vec<String> {
    let alphabet: &&[&str] = choices.pick(&ALPHABETS);
    let longest = *choices.pick(&[3, 10, 40, 80]);
    let mut documents = Vec::new();
    for _ in 0..choices.between(0, 12) {
        let length = choices.below(longest + 1);
        let document: String = (0..length).map(|_| *choices.pick(alphabet)).collect();
        let times = if choices.chance(30) { choices.between(2, 5) } else { 1 };
        documents.extend(vec![document; times]);
    }
    documents
}
