//! `extend`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use superword_core::model::{RuleLimits, SuperwordCap};
use superword_core::{Extension, ExtensionKind, Resources};

use crate::corpus::Corpus;
use crate::errors::guard;
use crate::model::{CapValue, Model};
use crate::resources::ResourcesArgument;
use crate::run_detached::ProgressCallback;

/// `superword.training.extending.Extension`, or any object with its attributes.
#[derive(FromPyObject)]
pub(crate) struct ExtensionArgument {
    kind: String,
    add: u32,
    min_count: u64,
    limits: LimitsArgument,
}

/// `superword.training.extending.Limits`, or any object with its attributes.
#[derive(FromPyObject)]
struct LimitsArgument {
    max_superwords: Option<CapValue>,
    max_words: Option<u32>,
    max_token_bytes: Option<u32>,
    forbid: Option<String>,
}

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extend, module)?)
}

/// Learns rules on a corpus and appends them to those of a model.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, base, extension, resources, progress, /))]
fn extend(
    py: Python<'_>,
    corpus: &Corpus,
    base: &Model,
    extension: ExtensionArgument,
    resources: ResourcesArgument,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    guard(|| {
        let extension = extension.into_extension()?;
        let resources = Resources::from(resources);
        let progress = ProgressCallback {
            function: progress.as_ref(),
            vocab_size: Some(base.0.vocab_size() as u64 + u64::from(extension.add)),
            ..ProgressCallback::default()
        };
        let base = &*base.0;
        let model = corpus.run(py, progress, |corpus, control| {
            superword_core::extend(corpus, base, extension, resources, control)
        })?;
        Ok(model.into())
    })
}

impl ExtensionArgument {
    pub(crate) fn into_extension(self) -> PyResult<Extension> {
        let ExtensionArgument { kind, add, min_count, limits } = self;
        let LimitsArgument { max_superwords, max_words, max_token_bytes, forbid } = limits;
        let max_superwords = max_superwords.map(SuperwordCap::from);
        let limits = RuleLimits { max_superwords, max_words, max_token_bytes, forbid };
        Ok(Extension { kind: parse_kind(&kind)?, add, min_count, limits })
    }
}

fn parse_kind(name: &str) -> PyResult<ExtensionKind> {
    match name {
        "merges" => Ok(ExtensionKind::Merges),
        "superwords" => Ok(ExtensionKind::Superwords),
        "both" => Ok(ExtensionKind::Both),
        other => {
            let message = format!("kind must be 'merges', 'superwords' or 'both', not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}
