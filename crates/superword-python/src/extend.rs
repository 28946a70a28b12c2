//! `extend`.

use std::sync::mpsc::SyncSender;

use pyo3::prelude::*;
use superword_core::{Control, Effort};

use crate::corpus::Corpus;
use crate::errors::exception;
use crate::model::Model;
use crate::progress_queue::News;
use crate::run_detached::attended;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extend, module)?)
}

/// A model with supermerges after its rules, learned on a corpus.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
#[pyo3(signature = (corpus, base, add, min_count, effort, progress, /))]
fn extend(
    py: Python<'_>,
    corpus: &Corpus,
    base: &Model,
    add: u32,
    min_count: u64,
    effort: (usize, Option<u64>, Option<u64>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let totals = (corpus.0.size(), Some(base.0.vocab_size() as u64 + u64::from(add)));
    let news = News::default();
    let (threads, memory_limit, verify_every) = effort;
    let effort = Effort { threads, memory_limit, verify_every };
    let base = &*base.0;
    let extended = attended(
        py,
        |is_interrupted, _end: SyncSender<()>| {
            let control =
                Control { progress: &|stage, done| news.add(stage, done), is_interrupted };
            superword_core::extend(&*corpus.0, base, add, min_count, effort, &control)
        },
        |_| news.tell(py, progress.as_ref(), totals),
    )?;
    extended.map(Model::from).map_err(|error| exception(py, &error))
}
