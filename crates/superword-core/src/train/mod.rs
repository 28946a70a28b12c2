//! Training: from a corpus to a model.

pub(crate) mod engine;
mod extend;
pub mod from_counts;
pub(crate) mod merges;
pub mod shard_counts;
mod superbpe;
pub(crate) mod supermerges;

use crate::platform::memory_budget::Budget;
pub use extend::extend;

use crate::control::Control;
use crate::corpus::{Corpus, Reading};
use crate::count;
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, SecondStage, TokenIndex};
use crate::platform::huge_pages;
use crate::pretokenize::{Eligibility, Pattern};
use crate::train::engine::token::TokenId;
use crate::train::supermerges::Learned;

/// How to train, without an effect on what is learned.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many threads to use.
    pub threads: usize,
    /// How many bytes of memory to keep to, if any: at least [`LEAST_MEMORY`].
    ///
    /// [`LEAST_MEMORY`]: crate::LEAST_MEMORY
    pub memory_limit: Option<u64>,
    /// After how many rules to count everything anew and compare, if at all.
    pub verify_every: Option<u64>,
}

/// Learns a model from a corpus.
///
/// # Errors
/// When the corpus cannot be read, changes while it is read, or a regex fails on it; when the job
/// is interrupted; when the special tokens contradict each other.
pub fn train(
    corpus: &dyn Corpus,
    parameters: Parameters,
    special_tokens: Vec<String>,
    effort: Effort,
    control: &Control,
) -> Result<Model, Error> {
    let pattern = Pattern::new(&parameters.pattern)?;
    let eligibility = Eligibility::new(&parameters.eligible)?;
    let in_pieces = pattern.has_seams() && eligibility.is_default();
    let reading = Reading { threads: effort.threads, in_pieces };
    let split = (&pattern, &eligibility);
    let budget = Budget::new(effort.memory_limit);
    let counted = count::count(corpus, reading, split, parameters.supermerges, budget, control)?;
    let training = counted.training();
    let learned = if let Some(SecondStage { transition, pattern }) = &parameters.second_stage {
        let first_stage = Parameters { vocab_size: *transition, ..parameters.clone() };
        let merges = merges::learn(&counted, &first_stage, effort, control)?;
        let totals = counted.totals;
        drop(counted);
        huge_pages::release();
        let in_pieces = Pattern::new(pattern)?.has_seams();
        let corpus = (corpus, Reading { in_pieces, ..reading });
        superbpe::learn(corpus, totals, merges, &parameters, effort, control)?
    } else {
        let merges = merges::learn(&counted, &parameters, effort, control)?;
        huge_pages::release();
        let corpus = (corpus, reading);
        supermerges::learn(corpus, &pattern, counted, merges, &parameters, effort, control)?
    };
    let (tokens, rules) = index_tokens(learned);
    Model::new(parameters, tokens, rules, special_tokens, training)
}

/// The bytes of the tokens that rules name, and the rules with their tokens by index: first the
/// single bytes, then in the order in which the rules name them.
pub(crate) fn index_tokens(learned: Learned) -> (Vec<Box<[u8]>>, Vec<Rule>) {
    let Learned { tokens, rules } = learned;
    let mut bytes: Vec<_> = tokens.into_bytes().into_iter().map(Some).collect();
    let mut indices = vec![None; bytes.len()];
    let mut named = Vec::new();
    let mut index_of = |token: TokenId| {
        *indices[token as usize].get_or_insert_with(|| {
            named.push(bytes[token as usize].take().expect("a token is named first once"));
            TokenIndex(named.len() as u32 - 1)
        })
    };
    for byte in 0..256 {
        index_of(byte);
    }
    let rules = rules.into_iter().map(|rule| rule.renumber(&mut index_of)).collect();
    (named, rules)
}
