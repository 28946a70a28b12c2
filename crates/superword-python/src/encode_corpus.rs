//! `encode_corpus`.

use pyo3::prelude::*;
use superword_core::encode::Encoded;
use superword_core::{Control, Error};

use crate::corpus::Corpus;
use crate::encode::{Array, Encoder, Numbers};
use crate::errors::exception;
use crate::progress_queue::News;
use crate::run_detached::attended;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encode_corpus, module)?)
}

/// Encodes a corpus, and calls `write` with arrays of ids and of offsets, in the order of its
/// documents; gives the number of documents, of their bytes, and of items that were skipped.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
#[pyo3(signature = (encoder, corpus, threads, write, progress, /))]
fn encode_corpus(
    py: Python<'_>,
    encoder: &Encoder,
    corpus: &Corpus,
    threads: usize,
    write: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let news = News::default();
    let size = corpus.0.size();
    let totals = attended(
        py,
        |is_interrupted, portions| {
            let control =
                Control { progress: &|stage, done| news.add(stage, done), is_interrupted };
            let mut send = |portion| portions.send(portion).map_err(|_| Error::Interrupted);
            let encoder = &encoder.encoder;
            superword_core::encode_corpus(encoder, &*corpus.0, threads, &mut send, &control)
        },
        |portion: Option<Encoded>| {
            if let Some(Encoded { ids, offsets }) = portion {
                let ids = Array::view(py, Numbers::Ids(ids))?;
                let offsets = Array::view(py, Numbers::Offsets(offsets))?;
                write.call1(py, (ids, offsets))?;
            }
            news.tell(py, progress.as_ref(), (size, None))
        },
    )?;
    let totals = totals.map_err(|error| exception(py, &error))?;
    Ok((totals.documents, totals.bytes, totals.skipped))
}
