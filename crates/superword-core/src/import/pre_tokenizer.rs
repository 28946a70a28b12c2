//! The pattern of the pre-tokenizer of a `tokenizer.json`.

use serde::Deserialize;

use super::model_error;
use super::patterns::{join_patterns, quote_regex};
use crate::Error;
use crate::pretokenize::Pattern;

/// A pre-tokenizer, or a step of one.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct PreTokenizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    pretokenizers: Vec<PreTokenizer>,
    add_prefix_space: Option<bool>,
    use_regex: Option<bool>,
    individual_digits: Option<bool>,
    pattern: Option<SplitPattern>,
    behavior: Option<String>,
    invert: Option<bool>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct SplitPattern {
    #[serde(rename = "Regex")]
    regex: Option<String>,
}

/// Returns the pattern of a pre-tokenizer.
pub(super) fn read_pattern(described: Option<&PreTokenizer>) -> Result<String, Error> {
    let described = described
        .ok_or_else(|| model_error("it is not byte-level BPE: it has no pre-tokenizer"))?;
    let steps = match described.kind.as_str() {
        "Sequence" => &described.pretokenizers[..],
        _ => std::slice::from_ref(described),
    };
    let is_split = |step: &PreTokenizer| matches!(step.kind.as_str(), "Split" | "Digits");
    let (last, splits) = match steps {
        [splits @ .., last] if last.kind == "ByteLevel" && splits.iter().all(is_split) => {
            (last, splits)
        }
        _ => {
            let kinds: Vec<_> = steps.iter().map(|step| step.kind.as_str()).collect();
            let kinds = if kinds.is_empty() { "empty".to_owned() } else { kinds.join(" and ") };
            return Err(model_error(format!(
                "its pre-tokenizer is {kinds}; supported are ByteLevel, and Splits and ByteLevel"
            )));
        }
    };
    if last.add_prefix_space.unwrap_or(true) {
        let reason = "its pre-tokenizer puts a space before texts (add_prefix_space)";
        return Err(model_error(reason));
    }
    let mut regexes = splits.iter().map(read_split).collect::<Result<Vec<_>, _>>()?;
    if last.use_regex.unwrap_or(true) {
        regexes.push("gpt2".to_owned());
    }
    Ok(if regexes.is_empty() { "(?s).+".to_owned() } else { join_patterns(&regexes) })
}

/// Returns the regex of a step.
fn read_split(step: &PreTokenizer) -> Result<String, Error> {
    if step.kind == "Digits" {
        // Rust's is_numeric: the general categories Nd, Nl and No.
        let is_individual = step.individual_digits.unwrap_or(false);
        return Ok(if is_individual { r"\p{N}" } else { r"\p{N}+" }.to_owned());
    }
    let regex = step.pattern.as_ref().and_then(|pattern| pattern.regex.as_deref());
    let regex =
        regex.ok_or_else(|| model_error("its pre-tokenizer splits by a string, not by a regex"))?;
    let behavior = step.behavior.as_deref().unwrap_or("missing");
    let is_inverted = step.invert.unwrap_or(false);
    // Removing unmatched text removes nothing if the regex matches everything.
    let keeps_all =
        behavior == "Removed" && is_inverted && Pattern::new(&quote_regex(regex))?.covers_all();
    if (behavior, is_inverted) != ("Isolated", false) && !keeps_all {
        let inverted = if is_inverted { ", inverted" } else { "" };
        return Err(model_error(format!(
            "its pre-tokenizer splits with the behavior {behavior}{inverted}, not Isolated"
        )));
    }
    Ok(quote_regex(regex))
}
