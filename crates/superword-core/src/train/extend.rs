//! Extending: from a model that is there and a corpus to one with more superwords.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::control::Control;
use crate::corpus::{Corpus, Reading};
use crate::count;
use crate::error::Error;
use crate::model::{Model, Parameters};
use crate::platform::huge_pages;
use crate::platform::memory_budget::Budget;
use crate::train::Effort;
use crate::train::supermerges;

/// Learns supermerges on a corpus, after all rules of a model, until there are `add` more tokens or
/// no pair reaches `min_count`. What the model has stays as it is, ids included; the new tokens'
/// ids follow the largest that there is.
///
/// # Errors
/// When the model has a second stage, or no ids are left; when the corpus cannot be read, changes
/// while it is read, or a regex fails on it; when the job is interrupted.
pub fn extend(
    corpus: &dyn Corpus,
    base: &Model,
    add: u32,
    min_count: u64,
    effort: Effort,
    control: &Control,
) -> Result<Model, Error> {
    let Ok(vocab_size) = u32::try_from(base.vocab_size() as u64 + u64::from(add)) else {
        let reason = format!("there are no ids left for {add} more tokens");
        return Err(Error::VocabSize { reason });
    };
    if base.parameters().second_stage.is_some() {
        let reason = "a model with a second stage cannot be extended: its pretokens are long, and \
                      hardly any is one token";
        return Err(Error::VocabSize { reason: reason.to_owned() });
    }
    let parameters = Parameters {
        supermerges: true,
        min_count,
        vocab_size: vocab_size.max(256),
        ..base.parameters().clone()
    };
    let (pattern, eligibility) = (base.pattern(), base.eligibility());
    let in_pieces = pattern.has_seams() && eligibility.is_default();
    let reading = Reading { threads: effort.threads, in_pieces };
    let budget = Budget::new(effort.memory_limit);
    let counted = count::count(corpus, reading, (pattern, eligibility), true, budget, control)?;
    let training = counted.training();
    huge_pages::release();
    let learned =
        supermerges::learn_after(base, (corpus, reading), counted, &parameters, effort, control)?;
    let spell = |token| Ok::<_, Infallible>(Cow::Borrowed(learned.tokens.bytes(token)));
    let rules = learned.rules.iter().map(|rule| {
        let Ok(rule) = rule.spelled(spell);
        rule
    });
    base.append_rules(parameters, rules, training)
}
