//! What a model is, in a few fields.

use serde_json::{Value, json};
use superword_core::import::find_shown_name;
use superword_core::model::{Model, Parameters, SuperwordCap, TokenId};

use crate::open_model::OpenModel;

/// Summarizes an open model.
pub(crate) fn summarize(opened: &OpenModel, handle: u32, name: &str, warnings: &[String]) -> Value {
    let OpenModel { model, .. } = opened;
    let superwords = model.vocabulary().filter(|&(id, _)| model.is_superword(id) == Some(true));
    json!({
        "handle": handle,
        "name": name,
        "kind": name_kind(model.parameters()),
        "vocab_size": model.vocab_size(),
        "rule_count": model.rules().len(),
        "pattern": model.parameters().last_pattern(),
        "pattern_name": find_shown_name(model.parameters().last_pattern()),
        "special_tokens": list_ids(model.special_tokens()),
        "added_tokens": list_ids(model.added_tokens()),
        "superword_count": superwords.count(),
        "removed_count": model.removed_count(),
        "lookup_count": model.lookup_tokens().len(),
        "fingerprint": model.fingerprint(),
        "training": describe_training(model),
        "parameters": describe_parameters(model.parameters()),
        "warnings": warnings,
    })
}

/// Returns the name of the method that trains such a model.
fn name_kind(parameters: &Parameters) -> &'static str {
    if parameters.second_stage.is_some() {
        "SuperBPE"
    } else if parameters.supermerges {
        "BoundlessBPE"
    } else if parameters.deletion.is_some() {
        "PickyBPE"
    } else {
        "BPE"
    }
}

/// Returns texts with their ids, in the order of the ids.
pub(crate) fn list_ids(tokens: &[(TokenId, String)]) -> Value {
    tokens.iter().map(|(id, text)| (text.clone(), Value::from(id.0))).collect()
}

/// Returns the size of the training corpus; null if the model was not trained here.
pub(crate) fn describe_training(model: &Model) -> Value {
    let training = model.training();
    json!({
        "documents": training.documents,
        "bytes": training.bytes,
        "pretokens": training.pretokens,
        "distinct_pretokens": training.distinct_pretokens,
        "min_pretoken_count": training.min_pretoken_count,
        "min_fragment_count": training.min_fragment_count,
    })
}

/// Returns the settings of training, with the names that they have in Python.
pub(crate) fn describe_parameters(parameters: &Parameters) -> Value {
    let second = parameters.second_stage.as_ref();
    let limits = &parameters.limits;
    json!({
        "pattern": parameters.pattern,
        "eligible": parameters.eligible,
        "supermerges": parameters.supermerges,
        "deletion": parameters.deletion,
        "tau": parameters.tau,
        "min_count": parameters.min_count,
        "vocab_size": parameters.vocab_size,
        "max_superwords": limits.max_superwords.map(|cap| match cap {
            SuperwordCap::Count(count) => Value::from(count),
            SuperwordCap::Share(share) => Value::from(share),
        }),
        "max_words": limits.max_words,
        "max_token_bytes": limits.max_token_bytes,
        "forbid": limits.forbid,
        "transition": second.map(|stage| stage.transition),
        "second_pattern": second.map(|stage| &stage.pattern),
    })
}
