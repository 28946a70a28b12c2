//! `Model`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};
use superword_core::encode::list_unreachable;
use superword_core::model::{
    self, DEFAULT_SUPERWORD_SHARE, Deletion, MergePair, Parameters, RankedModel, RuleLimits,
    SecondStage, SpelledRule, SuperwordCap, TokenId, Training,
};

use crate::errors::{call_core, exception, guard};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("DEFAULT_SUPERWORD_SHARE", DEFAULT_SUPERWORD_SHARE)?;
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

/// `superword.TrainingConfig`, or any object with its attributes.
#[derive(FromPyObject)]
pub(crate) struct ConfigArgument {
    pattern: String,
    eligible: String,
    supermerges: bool,
    deletion: Option<String>,
    tau: f64,
    min_count: u64,
    vocab_size: u32,
    transition: Option<u32>,
    second_pattern: Option<String>,
    max_superwords: Option<CapValue>,
    max_words: Option<u32>,
    max_token_bytes: Option<u32>,
    forbid: Option<String>,
}

/// A number of superwords, or a share of the vocabulary.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum CapValue {
    Count(u32),
    Share(f64),
}

impl From<CapValue> for SuperwordCap {
    fn from(cap: CapValue) -> SuperwordCap {
        match cap {
            CapValue::Count(count) => SuperwordCap::Count(count),
            CapValue::Share(share) => SuperwordCap::Share(share),
        }
    }
}

/// `superword.Rule`, or any object with its attributes.
#[derive(FromPyObject)]
struct RuleArgument {
    kind: String,
    left: PyBackedBytes,
    right: Option<PyBackedBytes>,
    parts: Vec<PyBackedBytes>,
    count: Option<u64>,
}

/// The fields of `superword.TrainingConfig`, as a dict.
#[derive(IntoPyObject)]
struct ConfigRecord<'a> {
    pattern: &'a str,
    eligible: &'a str,
    supermerges: bool,
    deletion: Option<&'static str>,
    tau: f64,
    min_count: u64,
    vocab_size: u32,
    transition: Option<u32>,
    second_pattern: Option<&'a str>,
    max_superwords: Option<CapValue>,
    max_words: Option<u32>,
    max_token_bytes: Option<u32>,
    forbid: Option<&'a str>,
}

/// The fields of `superword.tokenizer.Training`: attributes on the way in, a dict on the way out.
#[derive(FromPyObject, IntoPyObject)]
struct TrainingRecord {
    documents: u64,
    bytes: u64,
    pretokens: u64,
    distinct_pretokens: u64,
    min_pretoken_count: Option<u64>,
    min_fragment_count: Option<u64>,
}

/// The fields of `superword.Rule`, without its index, as a dict.
#[derive(IntoPyObject)]
struct RuleRecord<'py> {
    kind: &'static str,
    left: Bound<'py, PyBytes>,
    right: Option<Bound<'py, PyBytes>>,
    parts: Bound<'py, PyTuple>,
    count: Option<u64>,
}

/// A model of merges by rank, and what its rules do not reproduce, as a dict.
#[derive(IntoPyObject)]
struct RankedModelRecord<'py> {
    model: Bound<'py, Model>,
    early: Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>,
}

#[pymethods]
impl Model {
    /// A model with these rules.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (config, rules, special_tokens, training, /))]
    fn from_rules(
        py: Python<'_>,
        config: ConfigArgument,
        rules: Vec<RuleArgument>,
        special_tokens: Vec<String>,
        training: TrainingRecord,
    ) -> PyResult<Model> {
        guard(|| {
            let TrainingRecord { documents, bytes, pretokens, distinct_pretokens, .. } = training;
            let TrainingRecord { min_pretoken_count, min_fragment_count, .. } = training;
            let training = Training {
                documents,
                bytes,
                pretokens,
                distinct_pretokens,
                min_pretoken_count,
                min_fragment_count,
            };
            let parameters = config.into_parameters()?;
            let made = call_core(py, || {
                let rules = rules.iter().map(RuleArgument::spell);
                model::Model::from_spelled(parameters, rules, special_tokens, training)
            })?;
            made.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// A model with these rules and ids, and these looked-up tokens.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (config, rules, vocabulary, special_tokens, added_tokens, lookup_tokens, /))]
    fn with_ids(
        py: Python<'_>,
        config: ConfigArgument,
        rules: Vec<RuleArgument>,
        vocabulary: Vec<(u32, PyBackedBytes)>,
        special_tokens: Vec<(u32, String)>,
        added_tokens: Vec<(u32, String)>,
        lookup_tokens: Vec<PyBackedBytes>,
    ) -> PyResult<Model> {
        guard(|| {
            let parameters = config.into_parameters()?;
            let vocabulary = number_tokens(vocabulary);
            let [special_tokens, added_tokens] = [special_tokens, added_tokens].map(number_tokens);
            let made = call_core(py, || {
                model::Model::with_ids(
                    parameters,
                    rules.iter().map(RuleArgument::spell),
                    &vocabulary,
                    special_tokens,
                    added_tokens,
                    &lookup_tokens,
                )
            })?;
            made.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// A model of merges by rank, and what its rules do not reproduce.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (config, vocabulary, merges, special_tokens, added_tokens, looks_up, /))]
    fn with_ranks(
        py: Python<'_>,
        config: ConfigArgument,
        vocabulary: Vec<(u32, PyBackedBytes)>,
        merges: Option<Vec<(PyBackedBytes, PyBackedBytes)>>,
        special_tokens: Vec<(u32, String)>,
        added_tokens: Vec<(u32, String)>,
        looks_up: bool,
    ) -> PyResult<RankedModelRecord<'_>> {
        guard(|| {
            let parameters = config.into_parameters()?;
            let vocabulary = number_tokens(vocabulary);
            let [special_tokens, added_tokens] = [special_tokens, added_tokens].map(number_tokens);
            let pairs: Option<Vec<MergePair<'_>>> = merges.as_ref().map(|merges| {
                merges.iter().map(|(left, right)| MergePair { left, right }).collect()
            });
            let made = call_core(py, || {
                model::Model::with_ranks(
                    parameters,
                    &vocabulary,
                    pairs.as_deref(),
                    special_tokens,
                    added_tokens,
                    looks_up,
                )
            })?;
            let RankedModel { model, early } = made.map_err(|error| exception(py, &error))?;
            let early = early.iter().filter_map(|rule| match rule {
                SpelledRule::Merge { left, right, .. } => {
                    Some((PyBytes::new(py, left), PyBytes::new(py, right)))
                }
                _ => None,
            });
            Ok(RankedModelRecord {
                model: Bound::new(py, Model::from(model))?,
                early: early.collect(),
            })
        })
    }

    /// Reads a model from its file.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        guard(|| {
            let read = call_core(py, move || model::Model::read(&path))?;
            read.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// Reads a model from the content of a file.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(py: Python<'_>, text: &[u8]) -> PyResult<Model> {
        guard(|| {
            let read = call_core(py, || model::Model::from_json(text))?;
            read.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// Reads a model from the content of one of the authors' files.
    #[staticmethod]
    #[pyo3(signature = (text, deletion, /))]
    fn from_authors(py: Python<'_>, text: &[u8], deletion: &str) -> PyResult<Model> {
        guard(|| {
            let deletion = parse_deletion(deletion)?;
            let read = call_core(py, || model::Model::from_authors(text, deletion))?;
            read.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// The content of the model's file.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guard(|| Ok(PyBytes::new(py, &call_core(py, || self.0.to_json())?)))
    }

    /// The model that training with a smaller vocabulary gives.
    #[pyo3(signature = (vocab_size, /))]
    fn truncate(&self, py: Python<'_>, vocab_size: u32) -> PyResult<Model> {
        guard(|| {
            let truncated = call_core(py, || self.0.truncate(vocab_size))?;
            truncated.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// The model with further special tokens.
    #[pyo3(signature = (texts, multiple, /))]
    fn with_special_tokens(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        multiple: Option<u32>,
    ) -> PyResult<Model> {
        guard(|| {
            let made = call_core(py, || self.0.with_special_tokens(texts, multiple))?;
            made.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// The model without the tokens that have these ids.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (removed, /))]
    fn prune(&self, py: Python<'_>, removed: Vec<u32>) -> PyResult<Model> {
        guard(|| {
            let removed: Vec<TokenId> = removed.iter().copied().map(TokenId).collect();
            let pruned = call_core(py, || self.0.prune(&removed))?;
            pruned.map(Model::from).map_err(|error| exception(py, &error))
        })
    }

    /// The number of tokens that are left after the last rule, but have no id.
    #[getter]
    fn removed_count(&self) -> PyResult<usize> {
        guard(|| Ok(self.0.removed_count()))
    }

    /// A digest of everything that decides the ids.
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        guard(|| call_core(py, || self.0.fingerprint()))
    }

    /// One sentence for each Unicode table that differs from the one used in training.
    fn differing_tables(&self) -> PyResult<Vec<String>> {
        guard(|| Ok(self.0.differing_tables()))
    }

    /// The number of tokens in the vocabulary, not counting special and added tokens.
    #[getter]
    fn vocab_size(&self) -> PyResult<usize> {
        guard(|| Ok(self.0.vocab_size()))
    }

    /// The vocabulary in ascending order of ids, without special and added tokens.
    fn vocabulary<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        guard(|| {
            Ok(self.0.vocabulary().map(|(id, token)| (id.0, PyBytes::new(py, token))).collect())
        })
    }

    /// The bytes of the token with an id.
    #[pyo3(signature = (id, /))]
    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Option<Bound<'py, PyBytes>>> {
        guard(|| Ok(self.0.token_bytes(TokenId(id)).map(|token| PyBytes::new(py, token))))
    }

    /// The id of a token.
    #[pyo3(signature = (token, /))]
    fn token_id(&self, token: &[u8]) -> PyResult<Option<u32>> {
        guard(|| Ok(self.0.token_id(token).map(|id| id.0)))
    }

    /// Whether the token with an id is a superword.
    #[pyo3(signature = (id, /))]
    fn is_superword(&self, id: u32) -> PyResult<Option<bool>> {
        guard(|| Ok(self.0.is_superword(TokenId(id))))
    }

    /// The special tokens with their ids.
    #[getter]
    fn special_tokens(&self) -> PyResult<Vec<(&str, u32)>> {
        guard(|| {
            Ok(self.0.special_tokens().iter().map(|(id, text)| (text.as_str(), id.0)).collect())
        })
    }

    /// The added tokens with their ids.
    #[getter]
    fn added_tokens(&self) -> PyResult<Vec<(&str, u32)>> {
        guard(|| Ok(self.0.added_tokens().iter().map(|(id, text)| (text.as_str(), id.0)).collect()))
    }

    /// The tokens that are looked up.
    #[getter]
    fn lookup_tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        guard(|| {
            let tokens = self.0.lookup_tokens();
            Ok(tokens.map(|token| PyBytes::new(py, self.0.token(token))).collect())
        })
    }

    /// The tokens that merges make, but that a pretoken with the same bytes does not become.
    fn unreachable_tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        guard(|| {
            let tokens = call_core(py, || list_unreachable(&self.0))?;
            Ok(tokens.iter().map(|token| PyBytes::new(py, token)).collect())
        })
    }

    /// The training configuration.
    #[getter]
    fn config(&self) -> PyResult<ConfigRecord<'_>> {
        guard(|| {
            let parameters = self.0.parameters();
            let second = parameters.second_stage.as_ref();
            Ok(ConfigRecord {
                pattern: &parameters.pattern,
                eligible: &parameters.eligible,
                supermerges: parameters.supermerges,
                deletion: parameters.deletion.map(|deletion| match deletion {
                    Deletion::Bytes => "bytes",
                    Deletion::Pair => "pair",
                }),
                tau: parameters.tau,
                min_count: parameters.min_count,
                vocab_size: parameters.vocab_size,
                transition: second.map(|stage| stage.transition),
                second_pattern: second.map(|stage| stage.pattern.as_str()),
                max_superwords: parameters.limits.max_superwords.map(|cap| match cap {
                    SuperwordCap::Count(count) => CapValue::Count(count),
                    SuperwordCap::Share(share) => CapValue::Share(share),
                }),
                max_words: parameters.limits.max_words,
                max_token_bytes: parameters.limits.max_token_bytes,
                forbid: parameters.limits.forbid.as_deref(),
            })
        })
    }

    /// The size of the training corpus, and the thresholds of its counts.
    #[getter]
    fn training(&self) -> PyResult<TrainingRecord> {
        guard(|| {
            let &Training { documents, bytes, pretokens, distinct_pretokens, .. } =
                self.0.training();
            let &Training { min_pretoken_count, min_fragment_count, .. } = self.0.training();
            Ok(TrainingRecord {
                documents,
                bytes,
                pretokens,
                distinct_pretokens,
                min_pretoken_count,
                min_fragment_count,
            })
        })
    }

    /// The number of rules.
    #[getter]
    fn rule_count(&self) -> PyResult<usize> {
        guard(|| Ok(self.0.rules().len()))
    }

    /// The rule with an index.
    #[pyo3(signature = (index, /))]
    fn rule<'py>(&self, py: Python<'py>, index: usize) -> PyResult<RuleRecord<'py>> {
        guard(|| {
            let Some(rule) = self.0.rules().get(index) else {
                return Err(PyIndexError::new_err(format!("there is no rule {index}")));
            };
            let bytes = |token: &[u8]| PyBytes::new(py, token);
            let join = |kind, left: &[u8], right: &[u8], count| RuleRecord {
                kind,
                left: bytes(left),
                right: Some(bytes(right)),
                parts: PyTuple::empty(py),
                count: Some(count),
            };
            Ok(match self.0.spelled(rule) {
                SpelledRule::Merge { left, right, count } => join("merge", &left, &right, count),
                SpelledRule::Supermerge { left, right, count } => {
                    join("supermerge", &left, &right, count)
                }
                SpelledRule::Delete { token, parts } => RuleRecord {
                    kind: "delete",
                    left: bytes(&token),
                    right: None,
                    parts: PyTuple::new(py, parts.iter().map(|part| bytes(part)))?,
                    count: None,
                },
            })
        })
    }
}

impl ConfigArgument {
    pub(crate) fn into_parameters(self) -> PyResult<Parameters> {
        let deletion = self.deletion.as_deref().map(parse_deletion).transpose()?;
        let second_stage = match (self.transition, self.second_pattern) {
            (None, None) => None,
            (Some(transition), Some(pattern)) => Some(SecondStage { transition, pattern }),
            _ => {
                let message = "transition and second_pattern must be given together";
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
            limits: RuleLimits {
                max_superwords: self.max_superwords.map(SuperwordCap::from),
                max_words: self.max_words,
                max_token_bytes: self.max_token_bytes,
                forbid: self.forbid,
            },
        })
    }
}

pub(crate) fn number_tokens<T>(tokens: Vec<(u32, T)>) -> Vec<(TokenId, T)> {
    tokens.into_iter().map(|(id, token)| (TokenId(id), token)).collect()
}

fn parse_deletion(name: &str) -> PyResult<Deletion> {
    match name {
        "bytes" => Ok(Deletion::Bytes),
        "pair" => Ok(Deletion::Pair),
        other => {
            let message = format!("deletion must be 'bytes', 'pair' or None, not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

impl RuleArgument {
    fn spell(&self) -> Result<SpelledRule<'_>, superword_core::Error> {
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
                let reason = format!("a rule has the unknown kind {other:?}");
                Err(superword_core::Error::Model { reason })
            }
        }
    }
}
