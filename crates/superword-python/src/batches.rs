//! `Batches`: the documents of a corpus, one list at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use pyo3::prelude::*;
use pyo3::types::PyList;
use superword_core::Error;
use superword_core::corpus::{Batch, Corpus, ReadOptions};

use crate::errors::{exception, guard, internal_error};
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
    pub(crate) fn of(py: Python<'_>, corpus: Arc<dyn Corpus + Send + Sync>) -> PyResult<Batches> {
        let (sender, inbox) = mpsc::sync_channel(1);
        let consumed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&consumed);
        let reader = Builder::new().spawn(move || {
            let send = |batch| sender.send(batch).map_err(|_| Error::Interrupted);
            let work = |_: usize, batch: &Batch| send(Ok(batch.clone()));
            let progress = |done| count.store(done, Ordering::Relaxed);
            // A single thread keeps the documents in order.
            if let Err(error) = corpus.read(ReadOptions::whole_documents(1), &work, &progress) {
                // If the iterator is gone, nobody needs the error.
                let _ = send(Err(error));
            }
        });
        let reader = reader.map_err(|source| exception(py, &Error::Thread { source }))?;
        Ok(Batches { inbox: Mutex::new(inbox), reader: Mutex::new(Some(reader)), consumed })
    }

    /// Joins the reader, which has ended, and raises its panic if it had one.
    fn join_reader(&self, py: Python<'_>) -> PyResult<()> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        match reader.map(|reader| py.detach(|| reader.join())) {
            Some(Err(payload)) => Err(internal_error(py, &*payload)),
            _ => Ok(()),
        }
    }
}

#[pymethods]
impl Batches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        guard(|| {
            loop {
                let received = py.detach(|| {
                    self.inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK)
                });
                match received {
                    // It came only to ask whether to go on.
                    Ok(Ok(batch)) if batch.is_empty() => {}
                    Ok(Ok(batch)) => {
                        let documents: Vec<&str> = batch.documents().collect();
                        return PyList::new(py, documents).map(Some);
                    }
                    Ok(Err(error)) => return Err(exception(py, &error)),
                    Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                    Err(RecvTimeoutError::Disconnected) => {
                        self.join_reader(py)?;
                        return Ok(None);
                    }
                }
            }
        })
    }

    /// The bytes of input read so far, in the unit of `Corpus.size`.
    #[getter]
    fn consumed(&self) -> PyResult<u64> {
        guard(|| Ok(self.consumed.load(Ordering::Relaxed)))
    }
}
