//! Extending: adding tokens to an existing model, by merges, supermerges or both.

use std::borrow::Cow;
use std::collections::HashSet;
use std::convert::Infallible;

use crate::control::Control;
use crate::corpus::{Corpus, ReadOptions};
use crate::count::{PretokenCounts, count_pretokens};
use crate::error::Error;
use crate::model::{Model, Parameters, Rule, RuleLimits, SuperwordCap, TokenIndex, Training};
use crate::platform::huge_pages;
use crate::pretokenize::is_unspaced_word;
use crate::train::learned_rules::LearnedRules;
use crate::train::merges::MergeSteps;
use crate::train::segmented_corpus::SegmentedCorpus;
use crate::train::supermerges;
use crate::train::{Resources, TrainingContext};

/// The kinds of rules that an extension learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionKind {
    /// Merges inside pretokens.
    Merges,
    /// Supermerges.
    Superwords,
    /// Both, as in training: the more frequent pair first, of equals the supermerge.
    Both,
}

/// How far to extend a model.
#[derive(Clone, Debug)]
pub struct Extension {
    /// What to learn.
    pub kind: ExtensionKind,
    /// The number of tokens to add.
    pub add: u32,
    /// The smallest count of a rule.
    pub min_count: u64,
    /// Which rules may be learned; those of the model stay. A cap on superwords counts those of the
    /// model too, and a share is one of the extended vocabulary.
    pub limits: RuleLimits,
}

/// Learns rules on a corpus, after all rules of a model. Nothing is deleted.
///
/// Stops when the extension is complete or no pair reaches its `min_count`. The tokens of the model
/// keep their ids; the new ones follow the largest id.
///
/// # Errors
/// When the model has a second stage or is pruned, or no ids are left; when it has more superwords
/// than the cap, or no supermerges are learned that it could limit; when the corpus cannot be read,
/// changes while it is read, or a regex fails on it; when the memory limit is too low; when the job
/// is interrupted.
pub fn extend(
    corpus: &dyn Corpus,
    base: &Model,
    extension: Extension,
    resources: Resources,
    control: &Control,
) -> Result<Model, Error> {
    let kind = extension.kind;
    let parameters = extension.into_parameters(base)?;
    let context = TrainingContext { parameters: &parameters, resources, control };
    let splitter = base.splitter();
    let segmented =
        base.added_token_finder().map(|added_tokens| SegmentedCorpus { corpus, added_tokens });
    let corpus = segmented.as_ref().map_or(corpus, |segmented| segmented);
    let threads = resources.threads;
    let split_documents = base.may_split_documents();
    let reading = ReadOptions { split_documents, ..ReadOptions::whole_documents(threads) };
    let pass = resources.pass(corpus, reading, 0, control);
    let counts = count_pretokens(&pass, splitter, kind != ExtensionKind::Merges)?;
    let training = counts.training();
    let merges = learn_merges(base, kind, &counts, &context)?;
    huge_pages::release();
    let learned = match merges {
        Some(merges) if kind == ExtensionKind::Merges => {
            LearnedRules { rules: merges.rules(), tokens: merges.tokens }
        }
        merges => supermerges::learn_after(base, &pass, counts, merges, &context)?,
    };
    append_learned(base, parameters, &learned, training)
}

impl Extension {
    /// Checks that a model can be extended, and returns the parameters of the extended one.
    pub(super) fn into_parameters(self, base: &Model) -> Result<Parameters, Error> {
        let Extension { kind, add, min_count, limits } = self;
        let Ok(vocab_size) = u32::try_from(base.vocab_size() as u64 + u64::from(add)) else {
            let reason = format!("there are not enough ids left for {add} more tokens");
            return Err(Error::VocabSize { reason });
        };
        if base.parameters().second_stage.is_some() {
            let reason = "a model with a second stage cannot be extended: its pretokens are long, \
                          and hardly any is one token";
            return Err(Error::VocabSize { reason: reason.to_owned() });
        }
        if base.is_pruned() {
            let reason = "a pruned model cannot be extended; extend the model that it was made \
                          from, and prune the result";
            return Err(Error::VocabSize { reason: reason.to_owned() });
        }
        let max_superwords = resolve_cap(limits.max_superwords, base, kind, vocab_size)?;
        Ok(Parameters {
            supermerges: base.parameters().supermerges || kind != ExtensionKind::Merges,
            min_count,
            vocab_size: vocab_size.max(256),
            limits: RuleLimits { max_superwords, ..limits },
            ..base.parameters().clone()
        })
    }
}

/// Learns merges after the rules of a model, if the extension has any.
pub(super) fn learn_merges(
    base: &Model,
    kind: ExtensionKind,
    counts: &PretokenCounts,
    context: &TrainingContext,
) -> Result<Option<MergeSteps>, Error> {
    if kind == ExtensionKind::Superwords {
        return Ok(None);
    }
    // The vocabulary of learning has all single bytes, and the model may lack some.
    let missing = (0..=u8::MAX).filter(|&byte| base.id_of(byte.into()).is_none()).count();
    let vocab_size = context.parameters.vocab_size.saturating_add(missing as u32);
    let parameters = Parameters { vocab_size, ..context.parameters.clone() };
    let context = TrainingContext { parameters: &parameters, ..*context };
    MergeSteps::learn_after(base, counts, &context).map(Some)
}

/// Returns a model with learned rules after its own.
pub(super) fn append_learned(
    base: &Model,
    parameters: Parameters,
    learned: &LearnedRules,
    training: Training,
) -> Result<Model, Error> {
    let spell = |token| Ok::<_, Infallible>(Cow::Borrowed(learned.tokens.bytes(token)));
    let rules = learned.rules.iter().map(|rule| {
        let Ok(rule) = rule.spelled(spell);
        rule
    });
    base.append_rules(parameters, rules, training)
}

/// Returns the number of superwords that the extended vocabulary may have.
fn resolve_cap(
    cap: Option<SuperwordCap>,
    base: &Model,
    kind: ExtensionKind,
    vocab_size: u32,
) -> Result<Option<SuperwordCap>, Error> {
    let Some(cap) = cap else { return Ok(None) };
    if kind != ExtensionKind::Both {
        let reason = "max_superwords needs kind \"both\": merges alone make no superwords, and the \
                      number of superwords alone is the number of tokens to add";
        return Err(Error::VocabSize { reason: reason.to_owned() });
    }
    // Words of scripts without spaces do not count.
    let superwords: HashSet<_> = base.rules().iter().filter_map(superword_of).collect();
    let counted = superwords.iter().filter(|&&token| !is_unspaced_word(base.token(token)));
    let (count, known) = (cap.count(vocab_size), counted.count());
    if count < known {
        let reason = format!(
            "max_superwords is {count}, but the base has {known} superwords already; raise it, or \
             add merges only"
        );
        return Err(Error::VocabSize { reason });
    }
    Ok(Some(SuperwordCap::Count(u32::try_from(count).unwrap_or(u32::MAX))))
}

fn superword_of(rule: &Rule) -> Option<TokenIndex> {
    match *rule {
        Rule::Supermerge { token, .. } => Some(token),
        _ => None,
    }
}
