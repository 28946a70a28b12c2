//! `train`.

use pyo3::prelude::*;
use superword_core::Effort;

use crate::corpus::Corpus;
use crate::model::{GivenParameters, Model};
use crate::run_detached::{ProgressCallback, run_detached};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LEAST_MEMORY", superword_core::LEAST_MEMORY)?;
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// Trains a model on a corpus.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, parameters, special_tokens, effort, progress, /))]
fn train(
    py: Python<'_>,
    corpus: &Corpus,
    parameters: GivenParameters,
    special_tokens: Vec<String>,
    effort: (usize, Option<u64>, Option<u64>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let parameters = parameters.checked()?;
    let (threads, memory_limit, verify_every) = effort;
    let effort = Effort { threads, memory_limit, verify_every };
    let progress = ProgressCallback {
        function: progress.as_ref(),
        input_size: corpus.0.size(),
        vocab_size: Some(parameters.vocab_size.into()),
    };
    let model = run_detached(py, progress, |control| {
        superword_core::train(&*corpus.0, parameters, special_tokens, effort, control)
    })?;
    Ok(model.into())
}
