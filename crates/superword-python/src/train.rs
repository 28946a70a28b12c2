//! `train`.

use pyo3::prelude::*;
use superword_core::Resources;

use crate::corpus::Corpus;
use crate::errors::guard;
use crate::model::{ConfigArgument, Model};
use crate::resources::ResourcesArgument;
use crate::run_detached::ProgressCallback;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_THREADS", superword_core::MAX_THREADS)?;
    module.add("MIN_MEMORY_LIMIT", superword_core::MIN_MEMORY_LIMIT)?;
    module.add("DOCUMENTS_PER_LIMIT", superword_core::DOCUMENTS_PER_LIMIT)?;
    module.add("ENCODED_DOCUMENTS_PER_LIMIT", superword_core::ENCODED_DOCUMENTS_PER_LIMIT)?;
    module.add("MAX_DOCUMENT_BYTES", superword_core::corpus::MAX_DOCUMENT_BYTES)?;
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// Trains a model on a corpus.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, config, special_tokens, resources, progress, /))]
fn train(
    py: Python<'_>,
    corpus: &Corpus,
    config: ConfigArgument,
    special_tokens: Vec<String>,
    resources: ResourcesArgument,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    guard(|| {
        let parameters = config.into_parameters()?;
        let resources = Resources::from(resources);
        let progress = ProgressCallback {
            function: progress.as_ref(),
            vocab_size: Some(parameters.vocab_size.into()),
            ..ProgressCallback::default()
        };
        let model = corpus.run(py, progress, |corpus, control| {
            superword_core::train(corpus, parameters, special_tokens, resources, control)
        })?;
        Ok(model.into())
    })
}
