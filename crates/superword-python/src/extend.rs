//! `extend`.

use pyo3::prelude::*;
use superword_core::{Extension, Resources};

use crate::corpus::Corpus;
use crate::model::Model;
use crate::resources::ResourcesArgument;
use crate::run_detached::{ProgressCallback, run_detached};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extend, module)?)
}

/// Learns supermerges on a corpus and appends them to the rules of a model.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, base, add, min_count, resources, progress, /))]
fn extend(
    py: Python<'_>,
    corpus: &Corpus,
    base: &Model,
    add: u32,
    min_count: u64,
    resources: ResourcesArgument,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let extension = Extension { add, min_count };
    let resources = Resources::from(resources);
    let progress = ProgressCallback {
        function: progress.as_ref(),
        input_size: corpus.0.size(),
        vocab_size: Some(base.0.vocab_size() as u64 + u64::from(add)),
    };
    let base = &*base.0;
    let model = run_detached(py, progress, |control| {
        superword_core::extend(&*corpus.0, base, extension, resources, control)
    })?;
    Ok(model.into())
}
