//! `Corpus`, and jobs that read one.

use std::path::PathBuf;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use superword_core::corpus::{
    self, Batch, CorpusOptions, OnError, ReadOptions, SourceWeight, Spool, Totals,
};
use superword_core::{Control, Error};

use crate::batches::Batches;
use crate::errors::{exception, guard};
use crate::feed::Feed;
use crate::run_detached::{ProgressCallback, run_detached_and_receive};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Corpus>()?;
    module.add_class::<Weights>()?;
    module.add_function(wrap_pyfunction!(is_supported_name, module)?)
}

/// Whether `Corpus.files` can read a file with this name.
#[pyfunction]
#[pyo3(signature = (name, /))]
fn is_supported_name(name: &str) -> PyResult<bool> {
    guard(|| Ok(corpus::is_supported(name)))
}

/// `superword.CorpusOptions`, or any object with its attributes.
#[derive(FromPyObject)]
struct CorpusOptionsArgument {
    column: String,
    separator: Option<String>,
    on_error: String,
    max_bytes: Option<u64>,
    max_documents: Option<u64>,
}

impl CorpusOptionsArgument {
    fn with_weights(self, weights: Option<&Weights>) -> CorpusOptions {
        let CorpusOptionsArgument { column, separator, on_error, max_bytes, max_documents } = self;
        let on_error = if on_error == "skip" { OnError::Skip } else { OnError::Raise };
        let weights = weights.map(|weights| Arc::clone(&weights.0));
        CorpusOptions { column, separator, on_error, max_bytes, max_documents, weights }
    }
}

/// The number of documents, of their bytes, and of skipped items, as a dict.
#[derive(IntoPyObject)]
pub(crate) struct TotalsRecord {
    documents: u64,
    bytes: u64,
    skipped: u64,
}

impl From<Totals> for TotalsRecord {
    fn from(Totals { documents, bytes, skipped }: Totals) -> TotalsRecord {
        TotalsRecord { documents, bytes, skipped }
    }
}

/// A corpus.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Corpus(Documents);

enum Documents {
    Rereadable(Arc<dyn corpus::Corpus + Send + Sync>),
    /// They can be read only once.
    Fed(Box<Feed>),
}

#[pymethods]
impl Corpus {
    /// The corpus of these files.
    #[staticmethod]
    #[pyo3(signature = (paths, options, weights = None, /))]
    fn files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        options: CorpusOptionsArgument,
        weights: Option<&Weights>,
    ) -> PyResult<Corpus> {
        guard(|| {
            let files = corpus::Files::new(paths, options.with_weights(weights));
            let files = files.map_err(|error| exception(py, &error))?;
            Ok(Corpus(Documents::Rereadable(Arc::new(files))))
        })
    }

    /// The corpus of inputs that can be read only once. `skipped` gets the messages of items that the
    /// inputs skip. If the corpus is read `once`, no more documents are kept than `memory` bytes have;
    /// otherwise the others are stored in a temporary file.
    #[staticmethod]
    #[pyo3(signature = (
        inputs, skipped, options, weights = None, /, *, once, memory = None, memory_limit = None
    ))]
    fn inputs(
        inputs: &Bound<'_, PyAny>,
        skipped: Bound<'_, PyList>,
        options: CorpusOptionsArgument,
        weights: Option<&Weights>,
        once: bool,
        memory: Option<usize>,
        memory_limit: Option<u64>,
    ) -> PyResult<Corpus> {
        guard(|| {
            let py = inputs.py();
            let feed = Feed::new(inputs, skipped, options.with_weights(weights), memory_limit)?;
            let memory = memory.unwrap_or_else(|| Spool::usual_memory(memory_limit));
            let store = || {
                // What fits in memory can be read repeatedly, and has a known size.
                if once && !feed.take_first(py, memory)? {
                    return Ok(None);
                }
                feed.store(py, memory).map(Some)
            };
            match store() {
                Ok(None) => Ok(Corpus(Documents::Fed(Box::new(feed)))),
                Ok(Some(spool)) => Ok(Corpus(Documents::Rereadable(Arc::new(spool)))),
                Err(error) => {
                    feed.close(py);
                    Err(error)
                }
            }
        })
    }

    /// All documents, in order.
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let read = Mutex::new(Vec::new());
            self.read(py, 1, &|batch| {
                read.lock().unwrap_or_else(PoisonError::into_inner).push(batch.clone());
            })?;
            let batches = read.into_inner().unwrap_or_else(PoisonError::into_inner);
            let documents: Vec<&str> = batches.iter().flat_map(Batch::documents).collect();
            PyList::new(py, documents)
        })
    }

    /// All documents, in order, in lists of about a megabyte; a larger document comes alone.
    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        guard(|| match &self.0 {
            Documents::Rereadable(corpus) => Batches::of(py, Arc::clone(corpus)),
            Documents::Fed(_) => Err(PyRuntimeError::new_err("open the corpus with once=False")),
        })
    }

    /// The number of documents, of their bytes, and of skipped items.
    #[pyo3(signature = (threads = 1))]
    fn count(&self, py: Python<'_>, threads: usize) -> PyResult<TotalsRecord> {
        guard(|| {
            let totals = self.read(py, threads, &|_| ())?;
            Ok(totals.into())
        })
    }

    /// The errors of the first few items that the last pass skipped.
    fn skipped(&self) -> PyResult<Vec<String>> {
        guard(|| match &self.0 {
            Documents::Rereadable(corpus) => Ok(corpus.skipped()),
            Documents::Fed(feed) => Ok(feed.skipped()),
        })
    }

    /// A source that weights name and no document has had so far, unless a limit may be why.
    #[getter]
    fn unused_weight(&self) -> PyResult<Option<&str>> {
        guard(|| match &self.0 {
            Documents::Rereadable(corpus) => Ok(corpus.unused_weight()),
            Documents::Fed(feed) => Ok(feed.unused_weight()),
        })
    }

    /// The size of the input in bytes, compressed if it is; None if unknown.
    #[getter]
    fn size(&self) -> PyResult<Option<u64>> {
        guard(|| match &self.0 {
            Documents::Rereadable(corpus) => Ok(corpus.size()),
            Documents::Fed(feed) => Ok(feed.size()),
        })
    }
}

/// What a job sends to the thread that started it.
enum Message<P> {
    /// A part of its result.
    Part(P),
    /// A request for documents, answered when they are there. If nobody will, it is dropped.
    TakeBatch(SyncSender<()>),
}

impl Corpus {
    /// Runs a job that reads the corpus on another thread, as [`run_detached_and_receive`] does.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        progress: ProgressCallback<'_>,
        work: impl FnOnce(&dyn corpus::Corpus, &Control) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let work = |corpus: &dyn corpus::Corpus, control: &Control, _: &dyn Fn(()) -> _| {
            work(corpus, control)
        };
        self.run_and_receive(py, progress, work, |()| Ok(()))
    }

    /// Like [`Corpus::run`], for a job that sends parts of its result while it runs.
    pub(crate) fn run_and_receive<P: Send, T: Send>(
        &self,
        py: Python<'_>,
        progress: ProgressCallback<'_>,
        work: impl FnOnce(
            &dyn corpus::Corpus,
            &Control,
            &dyn Fn(P) -> Result<(), Error>,
        ) -> Result<T, Error>
        + Send,
        mut receive: impl FnMut(P) -> PyResult<()>,
    ) -> PyResult<T> {
        let feed = match &self.0 {
            Documents::Rereadable(corpus) => {
                let progress = ProgressCallback { input_size: corpus.size(), ..progress };
                let work = |control: &Control, parts: SyncSender<P>| {
                    let send = |part| parts.send(part).map_err(|_| Error::Interrupted);
                    work(&**corpus, control, &send)
                };
                return run_detached_and_receive(py, progress, work, receive);
            }
            Documents::Fed(feed) => feed,
        };
        let progress = ProgressCallback { feed: Some(feed), ..progress };
        let work = |control: &Control, messages: SyncSender<Message<P>>| {
            let send = |message| messages.send(message).map_err(|_| Error::Interrupted);
            let refill = || {
                let (answer, answered) = mpsc::sync_channel(1);
                send(Message::TakeBatch(answer))?;
                answered.recv().map_err(|_| Error::Interrupted)
            };
            let corpus = corpus::Feed::new(Arc::clone(feed.builder()), &refill);
            work(&corpus, control, &|part| send(Message::Part(part)))
        };
        let done = run_detached_and_receive(py, progress, work, |message| match message {
            Message::Part(part) => receive(part),
            Message::TakeBatch(answer) => {
                feed.take_batch(py)?;
                // If nobody waits for it any more, the job has failed and says why.
                let _ = answer.send(());
                Ok(())
            }
        });
        feed.close(py);
        done
    }

    /// Reads all documents on other threads, so that Ctrl-C stops it.
    fn read(
        &self,
        py: Python<'_>,
        threads: usize,
        each: &(dyn Fn(&Batch) + Sync),
    ) -> PyResult<Totals> {
        let options = ReadOptions::whole_documents(threads);
        self.run(py, ProgressCallback::default(), |corpus, control| {
            let handle = |_: usize, batch: &Batch| {
                each(batch);
                if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
            };
            corpus.read(options, &handle, &|_| ())
        })
    }
}

/// How often documents count, by source.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Weights(Arc<corpus::Weights>);

#[pymethods]
impl Weights {
    #[new]
    #[pyo3(signature = (named, column, /))]
    fn new(named: Vec<(String, u64)>, column: Option<String>) -> PyResult<Weights> {
        guard(|| {
            let named = named.into_iter().map(|(name, weight)| SourceWeight { name, weight });
            Ok(Weights(Arc::new(corpus::Weights::new(column, named.collect()))))
        })
    }

    /// The weight of documents with this value in the column.
    #[pyo3(signature = (source, /))]
    fn find_source(&self, py: Python<'_>, source: &str) -> PyResult<u64> {
        guard(|| {
            self.0.find_source(source).map_err(|message| {
                let column = self.0.column().map(str::to_owned);
                exception(py, &Error::Corpus { file: None, line: None, column, message })
            })
        })
    }

    /// The weight of the documents of a file.
    #[pyo3(signature = (path, /))]
    fn find_file(&self, py: Python<'_>, path: &str) -> PyResult<u64> {
        guard(|| self.0.find_file(path).map_err(|error| exception(py, &error)))
    }
}
