//! `encode_corpus`.

use numpy::PyArray1;
use pyo3::prelude::*;
use superword_core::corpus;
use superword_core::encode::Encoded;
use superword_core::{Control, Resources};

use crate::corpus::{Corpus, TotalsRecord};
use crate::encode::Encoder;
use crate::errors::guard;
use crate::resources::ResourcesArgument;
use crate::run_detached::ProgressCallback;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encode_corpus, module)?)
}

/// Encodes a corpus, and calls `write` with arrays of ids and of offsets, in the order of the
/// documents. Returns the number of documents, of their bytes, and of skipped items.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (encoder, corpus, resources, write, progress, /))]
fn encode_corpus(
    py: Python<'_>,
    encoder: &Encoder,
    corpus: &Corpus,
    resources: ResourcesArgument,
    write: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<TotalsRecord> {
    guard(|| {
        let progress =
            ProgressCallback { function: progress.as_ref(), ..ProgressCallback::default() };
        let Resources { threads, memory_limit, .. } = resources.into();
        let work = |corpus: &dyn corpus::Corpus, control: &Control, send: &dyn Fn(_) -> _| {
            let (encoder, mut write) = (&encoder.encoder, send);
            superword_core::encode_corpus(
                encoder,
                corpus,
                threads,
                memory_limit,
                &mut write,
                control,
            )
        };
        let totals = corpus.run_and_receive(py, progress, work, |Encoded { ids, offsets }| {
            let (ids, offsets) = (PyArray1::from_vec(py, ids), PyArray1::from_vec(py, offsets));
            write.call1(py, (ids, offsets)).map(drop)
        })?;
        Ok(totals.into())
    })
}
