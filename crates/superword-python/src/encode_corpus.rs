//! `encode_corpus`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;
use superword_core::encode::Encoded;
use superword_core::{Control, Error};

use crate::corpus::Corpus;
use crate::encode::{Array, Encoder, Numbers};
use crate::errors::exception;
use crate::train::News;

/// How often progress is told and Ctrl-C noticed.
const TICK: Duration = Duration::from_millis(50);

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
    let is_interrupted = AtomicBool::new(false);
    let news = News::default();
    let control = Control {
        progress: &|stage, done| news.add(stage, done),
        is_interrupted: &|| is_interrupted.load(Ordering::Relaxed),
    };
    let size = corpus.0.size();
    let tell = |portion: Option<Encoded>| {
        py.check_signals()?;
        if let Some(Encoded { ids, offsets }) = portion {
            let ids = Array::view(py, Numbers::Ids(ids))?;
            let offsets = Array::view(py, Numbers::Offsets(offsets))?;
            write.call1(py, (ids, offsets))?;
        }
        news.tell(py, progress.as_ref(), (size, None))
    };
    // The work is done by other threads; this one looks after Python.
    let (totals, said) = std::thread::scope(|scope| {
        let (portions, mut ready) = mpsc::sync_channel(1);
        let (encoder, control) = (&encoder.encoder, &control);
        let job = scope.spawn(move || {
            let mut send = |portion| portions.send(portion).map_err(|_| Error::Interrupted);
            superword_core::encode_corpus(encoder, &*corpus.0, threads, &mut send, control)
        });
        let mut said = Ok(());
        loop {
            let waiting = &mut ready;
            let received = py.detach(move || waiting.recv_timeout(TICK));
            let is_running = received != Err(RecvTimeoutError::Disconnected);
            if said.is_ok() {
                said = tell(received.ok());
            }
            if said.is_err() {
                is_interrupted.store(true, Ordering::Relaxed);
            }
            if !is_running {
                return (py.detach(|| job.join()), said);
            }
        }
    });
    said?;
    match totals {
        Ok(totals) => totals
            .map(|totals| (totals.documents, totals.bytes, totals.skipped))
            .map_err(|error| exception(py, &error)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
