//! `train`.

use std::sync::mpsc::SyncSender;

use pyo3::prelude::*;
use superword_core::{Control, Effort};

use crate::corpus::Corpus;
use crate::errors::exception;
use crate::model::{GivenParameters, Model};
use crate::progress_queue::News;
use crate::run_detached::attended;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LEAST_MEMORY", superword_core::LEAST_MEMORY)?;
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// The model that training on a corpus gives.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
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
    let totals = (corpus.0.size(), Some(u64::from(parameters.vocab_size)));
    let news = News::default();
    let (threads, memory_limit, verify_every) = effort;
    let effort = Effort { threads, memory_limit, verify_every };
    let trained = attended(
        py,
        |is_interrupted, _end: SyncSender<()>| {
            let control =
                Control { progress: &|stage, done| news.add(stage, done), is_interrupted };
            superword_core::train(&*corpus.0, parameters, special_tokens, effort, &control)
        },
        |_| news.tell(py, progress.as_ref(), totals),
    )?;
    trained.map(Model::from).map_err(|error| exception(py, &error))
}
