//! A trained model against the rules and ids of the twin.

use superword_core::corpus::{Batch, Corpus, Memory};
use superword_core::model::{Parameters, SpelledRule};
use superword_core::{Control, Resources};

use super::{Kind, Rule, Token, train};

/// Checks that both ways of training agree.
///
/// # Panics
/// At the first rule or id that differs.
pub(crate) fn assert_same_model(
    corpus: &dyn Corpus,
    documents: &[String],
    parameters: &Parameters,
    threads: usize,
) {
    let resources = Resources { threads, memory_limit: None, verify_every: None };
    let control = Control { progress: &|_, _| (), is_interrupted: &|| false };
    let model = superword_core::train(corpus, parameters.clone(), Vec::new(), resources, &control)
        .expect("a model");
    let (rules, vocabulary) = train(documents, parameters);
    for index in 0..rules.len().max(model.rules().len()) {
        let trained = model.rules().get(index).map(|rule| convert_rule(&model.spelled(rule)));
        let (got, expected) = (trained.as_ref(), rules.get(index));
        assert!(got == expected, "rule {index} is {}, not {}", show(got), show(expected));
    }
    let ids = model.vocabulary().map(|(id, token)| (id.0, token.escape_ascii().to_string()));
    let expected = (0..).zip(vocabulary.iter().map(|token| token.escape_ascii().to_string()));
    assert!(ids.len() == vocabulary.len(), "{} ids, not {}", ids.len(), vocabulary.len());
    for (got, expected) in ids.zip(expected) {
        assert_eq!(got, expected, "the first id that differs");
    }
}

/// Checks the same for documents in memory, each in its own batch, so that every thread may get
/// some.
pub(crate) fn assert_same_model_in_memory(
    documents: &[String],
    parameters: &Parameters,
    threads: usize,
) {
    let batches = documents.iter().map(|document| Batch::from_iter([document])).collect();
    assert_same_model(&Memory::new(batches), documents, parameters, threads);
}

/// Converts a rule of a model to one of the twin.
fn convert_rule(rule: &SpelledRule) -> Rule {
    let (kind, parts, count) = match rule {
        SpelledRule::Merge { left, right, count } => (Kind::Merge, vec![left, right], *count),
        SpelledRule::Supermerge { left, right, count } => {
            (Kind::Supermerge, vec![left, right], *count)
        }
        SpelledRule::Delete { parts, .. } => (Kind::Delete, parts.iter().collect(), 0),
    };
    let token = match rule {
        SpelledRule::Delete { token, .. } => Token::from(&**token),
        _ => parts.iter().flat_map(|part| part.iter().copied()).collect(),
    };
    let parts = parts.into_iter().map(|part| Token::from(&**part)).collect();
    Rule { kind, token, parts, count }
}

/// Describes a rule: `Merge "th" of "t" "h", 12 times`.
fn show(rule: Option<&Rule>) -> String {
    let Some(Rule { kind, token, parts, count }) = rule else { return "missing".to_owned() };
    let quoted = |token: &Token| format!("\"{}\"", token.escape_ascii());
    let parts: Vec<String> = parts.iter().map(quoted).collect();
    format!("{kind:?} {} of {}, {count} times", quoted(token), parts.join(" "))
}
