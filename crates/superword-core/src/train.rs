//! Training: from a corpus to the rules of a model.

use crate::control::Control;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::model::{Parameters, Rule, Training};
use crate::pretokenize::{Eligibility, Pattern};
use crate::{count, merges, supermerges};

/// What training gives: every token that a rule names, and the rules.
pub struct Trained {
    /// The tokens, first the single bytes.
    pub tokens: Vec<Box<[u8]>>,
    /// The rules, in order; they name tokens by index.
    pub rules: Vec<Rule>,
    /// What was trained on.
    pub training: Training,
}

/// Learns rules from a corpus.
///
/// # Errors
/// When the corpus cannot be read, changes while it is read, or a regex fails on it; when the job
/// is interrupted.
pub fn train(
    corpus: &dyn Corpus,
    parameters: &Parameters,
    threads: usize,
    control: &Control,
) -> Result<Trained, Error> {
    let pattern = Pattern::new(&parameters.pattern)?;
    let eligibility = Eligibility::new(&parameters.eligible)?;
    let split = (&pattern, &eligibility);
    let counted = count::count(corpus, threads, split, parameters.supermerges, control)?;
    let training = Training {
        documents: counted.totals.documents,
        bytes: counted.totals.bytes,
        pretokens: counted.pretokens,
        distinct_pretokens: counted.distinct() as u64,
    };
    let merges = merges::learn(&counted, parameters, control)?;
    let learned =
        supermerges::learn((corpus, threads), &pattern, counted, merges, parameters, control)?;
    Ok(Trained { tokens: learned.tokens.into_bytes(), rules: learned.rules, training })
}
