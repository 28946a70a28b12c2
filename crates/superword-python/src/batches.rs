//! `Batches`: the documents of a corpus, one list at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use pyo3::prelude::*;
use pyo3::types::PyList;
use superword_core::Error;
use superword_core::corpus::{Batch, Corpus, ReadOptions};

use crate::errors::exception;
use crate::run_detached::TICK;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Batches>()
}

/// An iterator of lists of documents, in order. Another thread reads one list ahead.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Batches {
    inbox: Mutex<Receiver<Result<Batch, Error>>>,
    reader: Mutex<Option<JoinHandle<()>>>,
    consumed: Arc<AtomicU64>,
}

impl Batches {
    pub(crate) fn of(corpus: Arc<dyn Corpus + Send + Sync>) -> Batches {
        let (sender, inbox) = mpsc::sync_channel(1);
        let consumed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&consumed);
        let reader = thread::spawn(move || {
            let send = |batch| sender.send(batch).map_err(|_| Error::Interrupted);
            let work = |_: usize, batch: &Batch| send(Ok(batch.clone()));
            let progress = |done| count.store(done, Ordering::Relaxed);
            // A single thread keeps the documents in order.
            if let Err(error) = corpus.read(ReadOptions::whole_documents(1), &work, &progress) {
                // If the iterator is gone, nobody needs the error.
                let _ = send(Err(error));
            }
        });
        Batches { inbox: Mutex::new(inbox), reader: Mutex::new(Some(reader)), consumed }
    }

    /// Joins the reader, which has ended, and passes on its panic if it had one.
    fn join_reader(&self, py: Python<'_>) {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err(panic)) = reader.map(|reader| py.detach(|| reader.join())) {
            std::panic::resume_unwind(panic);
        }
    }
}

#[pymethods]
impl Batches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        loop {
            let received = py.detach(|| {
                self.inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK)
            });
            match received {
                Ok(Ok(batch)) => {
                    let documents: Vec<&str> = batch.documents().collect();
                    return PyList::new(py, documents).map(Some);
                }
                Ok(Err(error)) => return Err(exception(py, &error)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    self.join_reader(py);
                    return Ok(None);
                }
            }
        }
    }

    /// The bytes of input read so far, in the unit of `Corpus.size`.
    #[getter]
    fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }
}
