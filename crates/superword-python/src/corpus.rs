//! `Corpus`, and `Spool`, which collects documents that can be read only once.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::str;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMapping, PyString};
use superword_core::Error;
use superword_core::corpus::{self, Batch, CorpusOptions, OnError, ReadOptions, Totals};

use crate::batches::Batches;
use crate::errors::exception;

/// The bytes of documents that are taken from Python before they are stored.
const BATCH_BYTES: usize = 1 << 20;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Corpus>()?;
    module.add_class::<Spool>()?;
    module.add_function(wrap_pyfunction!(is_supported_name, module)?)
}

/// Whether `Corpus.files` can read a file with this name.
#[pyfunction]
#[pyo3(signature = (name, /))]
fn is_supported_name(name: &str) -> bool {
    corpus::is_supported(name)
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

impl From<CorpusOptionsArgument> for CorpusOptions {
    fn from(given: CorpusOptionsArgument) -> CorpusOptions {
        let CorpusOptionsArgument { column, separator, on_error, max_bytes, max_documents } = given;
        let on_error = if on_error == "skip" { OnError::Skip } else { OnError::Raise };
        CorpusOptions { column, separator, on_error, max_bytes, max_documents }
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
    #[pyo3(signature = (paths, options, /))]
    fn files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        options: CorpusOptionsArgument,
    ) -> PyResult<Corpus> {
        let files = corpus::Files::new(paths, options.into());
        files.map(|files| Corpus(Arc::new(files))).map_err(|error| exception(py, &error))
    }

    /// All documents, in order.
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let read = Mutex::new(Vec::new());
        let work = |_: usize, batch: &Batch| {
            read.lock().unwrap_or_else(PoisonError::into_inner).push(batch.clone());
            Ok(())
        };
        let totals = py.detach(|| self.0.read(ReadOptions::whole_documents(1), &work, &|_| ()));
        totals.map_err(|error| exception(py, &error))?;
        let batches = read.into_inner().unwrap_or_else(PoisonError::into_inner);
        let documents: Vec<&str> = batches.iter().flat_map(Batch::documents).collect();
        PyList::new(py, documents)
    }

    /// All documents, in order, in lists of about a megabyte; a larger document comes alone.
    fn batches(&self) -> Batches {
        Batches::of(Arc::clone(&self.0))
    }

    /// The number of documents, of their bytes, and of skipped items.
    #[pyo3(signature = (threads = 1))]
    fn count(&self, py: Python<'_>, threads: usize) -> PyResult<TotalsRecord> {
        let totals = py
            .detach(|| self.0.read(ReadOptions::whole_documents(threads), &|_, _| Ok(()), &|_| ()));
        let totals = totals.map_err(|error| exception(py, &error))?;
        Ok(totals.into())
    }

    /// The errors of the first few items that the last pass skipped.
    fn skipped(&self) -> Vec<String> {
        self.0.skipped()
    }

    /// The size of the input in bytes, compressed if it is; None if unknown.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.0.size()
    }
}

/// Collects documents that can be read only once into a corpus.
#[pyclass(frozen, module = "superword._core")]
struct Spool(Mutex<Option<corpus::Spool>>);

#[pymethods]
impl Spool {
    #[new]
    #[pyo3(signature = (options, /, *, memory = corpus::SPOOL_MEMORY))]
    fn new(py: Python<'_>, options: CorpusOptionsArgument, memory: usize) -> PyResult<Spool> {
        let spool = corpus::Spool::new(options.into(), memory);
        let spool = spool.map_err(|error| exception(py, &error))?;
        Ok(Spool(Mutex::new(Some(spool))))
    }

    /// Adds documents: strings, or mappings with the document in the column.
    #[pyo3(signature = (documents, /))]
    fn extend(&self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<()> {
        let (options, totals) =
            self.with(py, |spool| Ok((spool.options().clone(), spool.totals())))?;
        let mut limits = Limits { options: &options, totals };
        let mut batch = Batch::default();
        let mut iterator = documents.try_iter()?;
        let mut position: u64 = 0;
        while !self.is_full(py)? {
            while batch.byte_len() < BATCH_BYTES && !limits.are_reached() {
                let Some(item) = iterator.next() else {
                    return self.with(py, |spool| spool.extend(&batch));
                };
                position += 1;
                match extract_document(&item?, &options.column, position)? {
                    Ok(text) => {
                        // The spool rejects a document that exceeds the limits, and is then full.
                        let text = str::from_utf8(text.as_bytes()).map_err(utf8_error)?;
                        batch.push(text);
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
    }

    /// Adds the documents of a binary file, JSON lines or text, compressed or not.
    #[pyo3(signature = (file, name, /))]
    fn extend_from_file(&self, py: Python<'_>, file: Py<PyAny>, name: &str) -> PyResult<()> {
        let raised = Arc::default();
        let input = PythonFile { file, raised: Arc::clone(&raised) };
        let input = Box::new(BufReader::with_capacity(BATCH_BYTES, input));
        let added = self.with(py, |spool| spool.extend_stream(name, input));
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => added,
        }
    }

    /// Adds the documents of a corpus.
    #[pyo3(signature = (corpus, /))]
    fn extend_from_corpus(&self, py: Python<'_>, corpus: &Corpus) -> PyResult<()> {
        let is_interrupted = || Python::attach(|py| py.check_signals().is_err());
        self.with(py, |spool| spool.extend_from(&*corpus.0, &is_interrupted))
    }

    /// Counts a skipped item, and keeps the reason.
    #[pyo3(signature = (message, /))]
    fn skip(&self, py: Python<'_>, message: String) -> PyResult<()> {
        self.with(py, |spool| {
            spool.skip(message);
            Ok(())
        })
    }

    /// Whether the limits are reached.
    #[getter]
    fn is_full(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |spool| Ok(spool.is_full()))
    }

    /// Returns the corpus. Nothing can be added after that.
    fn finish(&self) -> PyResult<Corpus> {
        let spool = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        spool.map(|spool| Corpus(Arc::new(spool))).ok_or_else(finished_error)
    }
}

impl Spool {
    /// Runs a function on the spool without the GIL.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut corpus::Spool) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let acted = py.detach(|| {
            let mut spool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            spool.as_mut().map(act)
        });
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
