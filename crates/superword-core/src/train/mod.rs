//! Training: from a corpus to a model.
//!
//! [`train`] shows the whole of it. The files in reading order:
//!
//! 1. `resources`: threads, the memory limit and verification, and what all parts of training
//!    share;
//! 2. `merges`: learns merges and deletions on the counted pretokens;
//! 3. `supermerges`: learns supermerges on fragments of the documents;
//! 4. `superbpe`: learns the merges of a second stage instead;
//! 5. `learned_rules`: the result, and how a model numbers its tokens;
//! 6. `extend`: adds tokens to an existing model, `base_tokens`: the tokens it has,
//!    `segmented_corpus`: texts between added tokens;
//! 7. [`shard_counts`] and [`from_counts`]: counting the shards of a corpus, and training on the
//!    sums;
//! 8. `token_filter` and `word_counts`: the limits on what may become a rule;
//! 9. `engine`: what all kinds of learning share, a sequence of tokens with the counts of its
//!    pairs.

mod base_tokens;
mod engine;
mod extend;
pub mod from_counts;
mod learned_rules;
mod merges;
mod resources;
mod segmented_corpus;
pub mod shard_counts;
mod superbpe;
mod supermerges;
mod token_filter;
mod word_counts;

use crate::control::Control;
use crate::corpus::{Corpus, ReadOptions};
use crate::count::{CorpusPass, count_pretokens};
use crate::encode::MAX_CACHE_BYTES;
use crate::error::Error;
use crate::model::{Model, Parameters, SecondStage};
use crate::platform::huge_pages;
use crate::pretokenize::{Pattern, Splitter};

pub use extend::{Extension, ExtensionKind, extend};
use merges::MergeSteps;
pub use resources::Resources;
use resources::TrainingContext;

/// Trains a model on a corpus.
///
/// # Errors
/// When the corpus cannot be read, changes while it is read, or a regex fails on it; when the
/// memory limit is too low; when the job is interrupted; when the special tokens contradict each
/// other.
pub fn train(
    corpus: &dyn Corpus,
    parameters: Parameters,
    special_tokens: Vec<String>,
    resources: Resources,
    control: &Control,
) -> Result<Model, Error> {
    let context = TrainingContext { parameters: &parameters, resources, control };
    let splitter = Splitter::new(&parameters.pattern, &parameters.eligible)?;
    let reading = splitter.read_options(resources.threads);
    let pass = resources.pass(corpus, reading, 0, control);
    let counts = count_pretokens(&pass, &splitter, parameters.supermerges)?;
    let training = counts.training();
    let next_pass = CorpusPass { expected: Some(counts.totals), ..pass };
    let learned = if let Some(SecondStage { transition, pattern }) = &parameters.second_stage {
        let first_stage = Parameters { vocab_size: *transition, ..parameters.clone() };
        let first_stage = TrainingContext { parameters: &first_stage, ..context };
        let merges = MergeSteps::learn(&counts, &first_stage)?;
        drop(counts);
        huge_pages::release();
        let split_documents = Pattern::new(pattern)?.may_split_documents();
        let reading = ReadOptions { split_documents, ..reading };
        let second_pass = resources.pass(corpus, reading, MAX_CACHE_BYTES, control);
        let next_pass = CorpusPass { expected: next_pass.expected, ..second_pass };
        superbpe::learn(&next_pass, merges, &context)?
    } else {
        let merges = MergeSteps::learn(&counts, &context)?;
        huge_pages::release();
        supermerges::learn(&pass, counts, merges, &context)?
    };
    let (tokens, rules) = learned.index_tokens();
    Model::new(parameters, tokens, rules, special_tokens, training)
}
