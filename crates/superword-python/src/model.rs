//! `Model`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};
use superword_core::model::{
    self, Deletion, Parameters, SecondStage, SpelledRule, TokenId, Training,
};

use crate::errors::{exception, os_error};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()
}

/// A trained model.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Model(pub(crate) Arc<model::Model>);

impl From<model::Model> for Model {
    fn from(model: model::Model) -> Model {
        Model(Arc::new(model))
    }
}

/// `superword.tokenizer.Parameters`, or anything with its attributes.
#[derive(FromPyObject)]
pub(crate) struct GivenParameters {
    pattern: String,
    eligible: String,
    supermerges: bool,
    deletion: Option<String>,
    tau: f64,
    min_count: u64,
    vocab_size: u32,
    transition: Option<u32>,
    second_pattern: Option<String>,
}

/// `superword.rules.Rule`, or anything with its attributes.
#[derive(FromPyObject)]
struct GivenRule {
    kind: String,
    left: PyBackedBytes,
    right: Option<PyBackedBytes>,
    parts: Vec<PyBackedBytes>,
    count: Option<u64>,
}

/// Pattern, eligible, supermerges, deletion, tau, `min_count`, `vocab_size`, transition and
/// `second_pattern`.
type ShownParameters<'a> =
    (&'a str, &'a str, bool, Option<&'a str>, f64, u64, u32, Option<u32>, Option<&'a str>);

/// Documents, bytes, pretokens, distinct pretokens, `min_pretoken_count` and `min_fragment_count`.
type ShownTraining = (u64, u64, u64, u64, Option<u64>, Option<u64>);

/// Kind, left, right, parts and count.
type ShownRule<'py> = (
    &'static str,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
    Bound<'py, PyTuple>,
    Option<u64>,
);

#[pymethods]
impl Model {
    /// The model with these rules, in this order.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (parameters, rules, special_tokens, training, /))]
    fn from_rules(
        py: Python<'_>,
        parameters: GivenParameters,
        rules: Vec<GivenRule>,
        special_tokens: Vec<String>,
        training: ShownTraining,
    ) -> PyResult<Model> {
        let (documents, bytes, pretokens, distinct_pretokens, pretoken, fragment) = training;
        let training = Training {
            documents,
            bytes,
            pretokens,
            distinct_pretokens,
            min_pretoken_count: pretoken,
            min_fragment_count: fragment,
        };
        let parameters = parameters.checked()?;
        let rules = rules.iter().map(GivenRule::spelled);
        let made = model::Model::from_spelled(parameters, rules, special_tokens, training);
        made.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// The model with these rules, in this order, and ids of its own.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (parameters, rules, vocabulary, special_tokens, /))]
    fn with_ids(
        py: Python<'_>,
        parameters: GivenParameters,
        rules: Vec<GivenRule>,
        vocabulary: Vec<(u32, PyBackedBytes)>,
        special_tokens: Vec<(u32, String)>,
    ) -> PyResult<Model> {
        let parameters = parameters.checked()?;
        let rules = rules.iter().map(GivenRule::spelled);
        let vocabulary: Vec<_> =
            vocabulary.into_iter().map(|(id, token)| (TokenId(id), token)).collect();
        let special_tokens =
            special_tokens.into_iter().map(|(id, text)| (TokenId(id), text)).collect();
        let made = model::Model::with_ids(parameters, rules, &vocabulary, special_tokens);
        made.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// The model that the text of a file holds.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(py: Python<'_>, text: &[u8]) -> PyResult<Model> {
        let read = py.detach(|| model::Model::from_json(text));
        read.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// The model that the text of one of the paper authors' files holds.
    #[staticmethod]
    #[pyo3(signature = (text, deletion, /))]
    fn from_authors(py: Python<'_>, text: &[u8], deletion: &str) -> PyResult<Model> {
        let deletion = deletion_named(deletion)?;
        let read = py.detach(|| model::Model::from_authors(text, deletion));
        read.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// The text of the model's file.
    fn to_json<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.to_json()))
    }

    /// Writes the model to a file, whole or not at all.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(&path)).map_err(|error| os_error(&error, &path, None))
    }

    /// The model that training would have given at a smaller size.
    #[pyo3(signature = (vocab_size, /))]
    fn truncate(&self, py: Python<'_>, vocab_size: u32) -> PyResult<Model> {
        let truncated = py.detach(|| self.0.truncate(vocab_size));
        truncated.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// The model with further special tokens.
    #[pyo3(signature = (texts, multiple, /))]
    fn with_special_tokens(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        multiple: Option<u32>,
    ) -> PyResult<Model> {
        let made = py.detach(|| self.0.with_special_tokens(texts, multiple));
        made.map(Model::from).map_err(|error| exception(py, &error))
    }

    /// A digest of what decides the ids.
    fn fingerprint(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.fingerprint())
    }

    /// Sentences about Unicode tables that are not those the model was trained with.
    fn differing_tables(&self) -> Vec<String> {
        self.0.differing_tables()
    }

    /// How many tokens are in the vocabulary, special tokens apart.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.0.vocab_size()
    }

    /// The vocabulary's ids, ascending, with their tokens; special tokens apart.
    fn vocabulary<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        self.0.vocabulary().map(|(id, token)| (id.0, PyBytes::new(py, token))).collect()
    }

    /// The bytes of the token with an id.
    #[pyo3(signature = (id, /))]
    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> Option<Bound<'py, PyBytes>> {
        self.0.token_bytes(TokenId(id)).map(|token| PyBytes::new(py, token))
    }

    /// The id of a token.
    #[pyo3(signature = (token, /))]
    fn token_id(&self, token: &[u8]) -> Option<u32> {
        self.0.token_id(token).map(|id| id.0)
    }

    /// Whether the token with an id is a superword.
    #[pyo3(signature = (id, /))]
    fn is_superword(&self, id: u32) -> Option<bool> {
        self.0.is_superword(TokenId(id))
    }

    /// The special tokens with their ids.
    #[getter]
    fn special_tokens(&self) -> Vec<(&str, u32)> {
        self.0.special_tokens().iter().map(|(id, text)| (text.as_str(), id.0)).collect()
    }

    /// What training was given.
    #[getter]
    fn parameters(&self) -> ShownParameters<'_> {
        let parameters = self.0.parameters();
        let second = parameters.second_stage.as_ref();
        let deletion = parameters.deletion.map(|deletion| match deletion {
            Deletion::Bytes => "bytes",
            Deletion::Pair => "pair",
        });
        (
            &parameters.pattern,
            &parameters.eligible,
            parameters.supermerges,
            deletion,
            parameters.tau,
            parameters.min_count,
            parameters.vocab_size,
            second.map(|stage| stage.transition),
            second.map(|stage| stage.pattern.as_str()),
        )
    }

    /// What the training corpus held, and what was left out.
    #[getter]
    fn training(&self) -> ShownTraining {
        let training = self.0.training();
        (
            training.documents,
            training.bytes,
            training.pretokens,
            training.distinct_pretokens,
            training.min_pretoken_count,
            training.min_fragment_count,
        )
    }

    /// How many rules there are.
    #[getter]
    fn rule_count(&self) -> usize {
        self.0.rules().len()
    }

    /// One of the rules.
    #[pyo3(signature = (index, /))]
    fn rule<'py>(&self, py: Python<'py>, index: usize) -> PyResult<ShownRule<'py>> {
        let Some(rule) = self.0.rules().get(index) else {
            return Err(PyIndexError::new_err(format!("there is no rule {index}")));
        };
        let bytes = |token: &[u8]| PyBytes::new(py, token);
        Ok(match self.0.spelled(rule) {
            SpelledRule::Merge { left, right, count } => {
                ("merge", bytes(&left), Some(bytes(&right)), PyTuple::empty(py), Some(count))
            }
            SpelledRule::Supermerge { left, right, count } => {
                ("supermerge", bytes(&left), Some(bytes(&right)), PyTuple::empty(py), Some(count))
            }
            SpelledRule::Delete { token, parts } => {
                let parts = PyTuple::new(py, parts.iter().map(|part| bytes(part)))?;
                ("delete", bytes(&token), None, parts, None)
            }
        })
    }
}

impl GivenParameters {
    pub(crate) fn checked(self) -> PyResult<Parameters> {
        let deletion = self.deletion.as_deref().map(deletion_named).transpose()?;
        let second_stage = match (self.transition, self.second_pattern) {
            (None, None) => None,
            (Some(transition), Some(pattern)) => Some(SecondStage { transition, pattern }),
            _ => {
                let message = "transition and second_pattern come together";
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(Parameters {
            pattern: self.pattern,
            eligible: self.eligible,
            supermerges: self.supermerges,
            deletion,
            tau: self.tau,
            min_count: self.min_count,
            vocab_size: self.vocab_size,
            second_stage,
        })
    }
}

fn deletion_named(name: &str) -> PyResult<Deletion> {
    match name {
        "bytes" => Ok(Deletion::Bytes),
        "pair" => Ok(Deletion::Pair),
        other => {
            let message = format!("deletion must be 'bytes', 'pair' or None, not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

impl GivenRule {
    fn spelled(&self) -> Result<SpelledRule<'_>, superword_core::Error> {
        let left = Cow::Borrowed(&*self.left);
        let right = || Cow::Borrowed(self.right.as_deref().unwrap_or_default());
        let count = self.count.unwrap_or_default();
        match self.kind.as_str() {
            "merge" => Ok(SpelledRule::Merge { left, right: right(), count }),
            "supermerge" => Ok(SpelledRule::Supermerge { left, right: right(), count }),
            "delete" => {
                let parts = self.parts.iter().map(|part| Cow::Borrowed(&**part)).collect();
                Ok(SpelledRule::Delete { token: left, parts })
            }
            other => {
                let reason = format!("a rule's kind is {other:?}");
                Err(superword_core::Error::Model { reason })
            }
        }
    }
}
