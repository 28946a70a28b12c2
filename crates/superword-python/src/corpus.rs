//! `Corpus`, and `Spool`, which collects documents that can be read only once.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::str;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyList, PyMapping, PyString};
use superword_core::Error;
use superword_core::corpus::{
    self, Batch, CorpusOptions, OnError, ReadOptions, SourceWeight, Totals,
};

use crate::batches::Batches;
use crate::errors::{call_core, exception, guard};
use crate::run_detached::{ProgressCallback, run_detached};

/// The bytes of documents that are taken from Python before they are stored.
const BATCH_BYTES: usize = 1 << 20;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Corpus>()?;
    module.add_class::<Spool>()?;
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

/// A corpus that can be read repeatedly.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Corpus(pub(crate) Arc<dyn corpus::Corpus + Send + Sync>);

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
            files.map(|files| Corpus(Arc::new(files))).map_err(|error| exception(py, &error))
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
        guard(|| Batches::of(py, Arc::clone(&self.0)))
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
        guard(|| Ok(self.0.skipped()))
    }

    /// A source that weights name and no document has had so far, unless a limit may be why.
    #[getter]
    fn unused_weight(&self) -> PyResult<Option<&str>> {
        guard(|| Ok(self.0.unused_weight()))
    }

    /// The size of the input in bytes, compressed if it is; None if unknown.
    #[getter]
    fn size(&self) -> PyResult<Option<u64>> {
        guard(|| Ok(self.0.size()))
    }
}

impl Corpus {
    /// Reads all documents on other threads, so that Ctrl-C stops it.
    fn read(
        &self,
        py: Python<'_>,
        threads: usize,
        each: &(dyn Fn(&Batch) + Sync),
    ) -> PyResult<Totals> {
        let options = ReadOptions::whole_documents(threads);
        run_detached(py, ProgressCallback::default(), |control| {
            let handle = |_: usize, batch: &Batch| {
                each(batch);
                if (control.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
            };
            self.0.read(options, &handle, &|_| ())
        })
    }
}

/// Collects documents that can be read only once into a corpus.
#[pyclass(frozen, module = "superword._core")]
struct Spool(Mutex<Option<corpus::Spool>>);

#[pymethods]
impl Spool {
    #[new]
    #[pyo3(signature = (
        options, weights = None, /, *, memory = corpus::SPOOL_MEMORY, memory_limit = None
    ))]
    fn new(
        py: Python<'_>,
        options: CorpusOptionsArgument,
        weights: Option<&Weights>,
        memory: usize,
        memory_limit: Option<u64>,
    ) -> PyResult<Spool> {
        guard(|| {
            let spool = corpus::Spool::new(options.with_weights(weights), memory);
            let mut spool = spool.map_err(|error| exception(py, &error))?;
            if let Some(limit) = memory_limit {
                spool.set_memory_limit(limit);
            }
            Ok(Spool(Mutex::new(Some(spool))))
        })
    }

    /// Adds documents: strings, or mappings with the document in the column. They may be of a file.
    #[pyo3(signature = (documents, file = None, /))]
    fn extend(
        &self,
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        file: Option<&str>,
    ) -> PyResult<()> {
        guard(|| {
            let (options, totals) =
                self.with(py, |spool| Ok((spool.options().clone(), spool.totals())))?;
            let mut limits = Limits { options: &options, totals };
            let weights =
                ItemWeights::new(&options, file).map_err(|error| exception(py, &error))?;
            let mut batch = Batch::default();
            let mut iterator = documents.try_iter()?;
            let mut position: u64 = 0;
            while !self.is_full(py)? {
                while batch.byte_len() < BATCH_BYTES && !limits.are_reached() {
                    let Some(item) = iterator.next() else {
                        return self.with(py, |spool| spool.extend(&batch));
                    };
                    position += 1;
                    let item = item?;
                    let found = match extract_document(&item, &options.column, position)? {
                        Ok(text) => weights.find(&item, position)?.map(|weight| (text, weight)),
                        Err(refused) => Err(refused),
                    };
                    match found {
                        Ok((text, weight)) => {
                            // The spool rejects a document that exceeds the limits, and is then full.
                            let text = str::from_utf8(text.as_bytes()).map_err(utf8_error)?;
                            batch.push_weighted(text, weight);
                            limits.totals.documents += 1;
                            limits.totals.bytes += text.len() as u64;
                        }
                        Err(refused) if options.on_error == OnError::Skip => {
                            self.skip(py, refused.to_string())?;
                        }
                        Err(refused) => return Err(exception(py, &refused)),
                    }
                }
                py.check_signals()?;
                self.with(py, |spool| spool.extend(&batch))?;
                batch = Batch::default();
                if limits.are_reached() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Adds the documents of a binary file, JSON lines or text, compressed or not.
    #[pyo3(signature = (file, name, /))]
    fn extend_from_file(&self, py: Python<'_>, file: Py<PyAny>, name: &str) -> PyResult<()> {
        guard(|| {
            let raised = Arc::default();
            let input = PythonFile { file, raised: Arc::clone(&raised) };
            let input = Box::new(BufReader::with_capacity(BATCH_BYTES, input));
            let added = self.with(py, |spool| spool.extend_stream(name, input));
            match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(error) => Err(error),
                None => added,
            }
        })
    }

    /// Adds the documents of a corpus.
    #[pyo3(signature = (corpus, /))]
    fn extend_from_corpus(&self, py: Python<'_>, corpus: &Corpus) -> PyResult<()> {
        guard(|| {
            let is_interrupted = || Python::attach(|py| py.check_signals().is_err());
            self.with(py, |spool| spool.extend_from(&*corpus.0, &is_interrupted))
        })
    }

    /// Counts a skipped item, and keeps the reason.
    #[pyo3(signature = (message, /))]
    fn skip(&self, py: Python<'_>, message: String) -> PyResult<()> {
        guard(|| {
            self.with(py, |spool| {
                spool.skip(message);
                Ok(())
            })
        })
    }

    /// Whether the limits are reached.
    #[getter]
    fn is_full(&self, py: Python<'_>) -> PyResult<bool> {
        guard(|| self.with(py, |spool| Ok(spool.is_full())))
    }

    /// Returns the corpus. Nothing can be added after that.
    fn finish(&self) -> PyResult<Corpus> {
        guard(|| {
            let spool = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            spool.map(|spool| Corpus(Arc::new(spool))).ok_or_else(finished_error)
        })
    }
}

impl Spool {
    /// Runs a function on the spool without the GIL.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut corpus::Spool) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let acted = call_core(py, || {
            let mut spool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            spool.as_mut().map(act)
        })?;
        let Some(acted) = acted else { return Err(finished_error()) };
        acted.map_err(|error| exception(py, &error))
    }
}

fn finished_error() -> PyErr {
    PyRuntimeError::new_err("the spool is finished; make a new one")
}

/// The error for a string that Python encoded as something other than UTF-8.
fn utf8_error(error: str::Utf8Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The totals so far, and the options that limit them.
struct Limits<'o> {
    options: &'o CorpusOptions,
    totals: Totals,
}

impl Limits<'_> {
    fn are_reached(&self) -> bool {
        self.options.max_documents.is_some_and(|most| self.totals.documents >= most)
            || self.options.max_bytes.is_some_and(|most| self.totals.bytes > most)
    }
}

/// The document in an item, a string or a mapping, as UTF-8; or what is wrong with the item.
///
/// The copy is temporary. Python would keep its own UTF-8 copy as long as the string.
fn extract_document<'py>(
    item: &Bound<'py, PyAny>,
    column: &str,
    position: u64,
) -> PyResult<Result<Bound<'py, PyBytes>, Error>> {
    let reject = |column: Option<&str>, message: String| {
        let column = column.map(str::to_owned);
        let message = format!("document {position} {message}");
        Ok(Err(Error::Corpus { file: None, line: None, column, message }))
    };
    let py = item.py();
    let (text, column) = if item.is_instance_of::<PyString>() {
        (item.clone(), None)
    } else if let Ok(mapping) = item.cast::<PyMapping>() {
        match mapping.get_item(column) {
            Ok(value) => (value, Some(column)),
            Err(error) if error.is_instance_of::<PyKeyError>(py) => {
                let keys = mapping.keys()?.repr()?;
                return reject(Some(column), format!("has no such column; its keys are {keys}"));
            }
            Err(error) => return Err(error),
        }
    } else {
        (item.clone(), None)
    };
    let Ok(text) = text.cast::<PyString>() else {
        let kind = text.get_type().name()?;
        return reject(column, format!("is of type {kind}; a document must be a str"));
    };
    match text.encode_utf8() {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
            let at: usize = error.value(py).getattr("start")?.extract()?;
            let what = "is a lone surrogate, which UTF-8 cannot represent; replace it";
            reject(column, format!("cannot be encoded: character {at} {what}"))
        }
        Err(error) => Err(error),
    }
}

/// How often documents from Python count.
enum ItemWeights<'w> {
    /// All alike.
    Same(u64),
    /// By the value in a column.
    ByColumn { weights: &'w corpus::Weights, column: &'w str, file: Option<&'w str> },
}

impl<'w> ItemWeights<'w> {
    fn new(options: &'w CorpusOptions, file: Option<&'w str>) -> Result<ItemWeights<'w>, Error> {
        let Some(weights) = options.weights.as_deref() else { return Ok(ItemWeights::Same(1)) };
        if let Some(column) = weights.column() {
            return Ok(ItemWeights::ByColumn { weights, column, file });
        }
        let Some(file) = file else {
            let message = "documents of an iterable have no file; weight rows by a column, with \
                           weight_column"
                .to_owned();
            return Err(Error::Corpus { file: None, line: None, column: None, message });
        };
        weights.find_file(file).map(ItemWeights::Same)
    }

    /// The weight of an item. The inner error is about a row that has none. A source that weights
    /// do not name is an error even if rows are skipped.
    fn find(&self, item: &Bound<'_, PyAny>, position: u64) -> PyResult<Result<u64, Error>> {
        let (weights, column, file) = match *self {
            ItemWeights::Same(weight) => return Ok(Ok(weight)),
            ItemWeights::ByColumn { weights, column, file } => (weights, column, file),
        };
        let py = item.py();
        let make_error = |message: String| {
            let message = format!("document {position}: {message}");
            let (file, column) = (file.map(str::to_owned), Some(column.to_owned()));
            Error::Corpus { file, line: None, column, message }
        };
        let is_mapping = !item.is_instance_of::<PyString>();
        let value = match item.cast::<PyMapping>() {
            Ok(mapping) if is_mapping => match mapping.get_item(column) {
                Ok(value) => Some(value),
                Err(error) if error.is_instance_of::<PyKeyError>(py) => None,
                Err(error) => return Err(error),
            },
            _ => None,
        };
        let Some(value) = value else {
            return Ok(Err(make_error("it has no such column to weight it by".to_owned())));
        };
        let is_integer = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
        if !is_integer && !value.is_instance_of::<PyString>() {
            let kind = value.get_type().name()?;
            return Ok(Err(make_error(format!("{kind} instead of a string or an integer"))));
        }
        let source = value.str()?.to_string();
        let found = weights.find_source(&source);
        found.map(Ok).map_err(|message| exception(py, &make_error(message)))
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

/// A binary file object of Python. It keeps the exception, because the core has only its own errors.
struct PythonFile {
    file: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Read for PythonFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let mut read = || {
                py.check_signals()?;
                let read = self.file.bind(py).call_method1("read", (into.len(),))?;
                let bytes = read.cast::<PyBytes>()?.as_bytes();
                let Some(room) = into.get_mut(..bytes.len()) else {
                    return Err(PyRuntimeError::new_err("read() returned more than was requested"));
                };
                room.copy_from_slice(bytes);
                Ok(bytes.len())
            };
            let read: PyResult<usize> = read();
            read.map_err(|error| {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                io::Error::other("the file cannot be read")
            })
        })
    }
}
