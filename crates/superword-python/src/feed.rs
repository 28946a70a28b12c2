//! `Feed`: documents that can be read only once, taken from Python when the core needs them.

use std::io::{self, BufReader, Read};
use std::str;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList};
use superword_core::Error;
use superword_core::corpus::{BatchBuilder, CorpusOptions, DocumentStream, OnError, Spool};

use crate::errors::{call_core, exception};
use crate::items::{ItemWeights, extract_document};

/// The size of a read from a file of Python, in bytes.
const READ_BYTES: usize = 1 << 20;

/// Documents of inputs that can be read only once. Only the thread that runs a job calls Python: an
/// iterator may belong to its thread, and only the main thread handles Ctrl-C.
pub(crate) struct Feed {
    builder: Arc<Mutex<BatchBuilder>>,
    options: CorpusOptions,
    inputs: Mutex<Inputs>,
    /// The messages of items that Python skipped, until they are counted.
    skipped: Py<PyList>,
}

struct Inputs {
    /// The inputs that follow.
    rest: Py<PyIterator>,
    current: Option<Input>,
}

/// `superword.corpus.documents.Input`, or any object with its attributes.
#[derive(FromPyObject)]
struct InputArgument<'py> {
    name: Option<String>,
    documents: Option<Bound<'py, PyAny>>,
    file: Option<Py<PyAny>>,
}

enum Input {
    /// Strings, or mappings with the document in the column. They may be of a file.
    Items { iterator: Py<PyIterator>, file: Option<String>, position: u64 },
    /// A binary file, JSON lines or text, compressed or not.
    Stream { stream: DocumentStream, raised: Arc<Mutex<Option<PyErr>>> },
}

impl Feed {
    pub(crate) fn new(
        inputs: &Bound<'_, PyAny>,
        skipped: Bound<'_, PyList>,
        options: CorpusOptions,
        memory_limit: Option<u64>,
    ) -> PyResult<Feed> {
        let builder = BatchBuilder::new(options.clone(), memory_limit)
            .map_err(|error| exception(inputs.py(), &error))?;
        let inputs = Inputs { rest: inputs.try_iter()?.unbind(), current: None };
        Ok(Feed {
            builder: Arc::new(Mutex::new(builder)),
            options,
            inputs: Mutex::new(inputs),
            skipped: skipped.unbind(),
        })
    }

    /// The documents that were taken from Python and not yet read.
    pub(crate) fn builder(&self) -> &Arc<Mutex<BatchBuilder>> {
        &self.builder
    }

    fn lock_builder(&self) -> MutexGuard<'_, BatchBuilder> {
        self.builder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_inputs(&self) -> MutexGuard<'_, Inputs> {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of all documents, once they were read.
    pub(crate) fn size(&self) -> Option<u64> {
        let builder = self.lock_builder();
        builder.is_finished().then(|| builder.totals().bytes)
    }

    /// The errors of the first few skipped items.
    pub(crate) fn skipped(&self) -> Vec<String> {
        self.lock_builder().skipped().to_vec()
    }

    /// A source that weights name and no document has had so far, unless a limit may be why.
    pub(crate) fn unused_weight(&self) -> Option<&str> {
        self.options.find_unused_weight()
    }

    /// Takes up to `memory` bytes of documents; returns whether these are all.
    pub(crate) fn take_first(&self, py: Python<'_>, memory: usize) -> PyResult<bool> {
        while self.lock_builder().complete_bytes() <= memory {
            if self.lock_builder().is_finished() {
                return Ok(true);
            }
            self.take_batch(py)?;
        }
        Ok(false)
    }

    /// Stores all documents.
    pub(crate) fn store(&self, py: Python<'_>, memory: usize) -> PyResult<Spool> {
        let mut spool = Spool::new(self.options.clone(), memory);
        loop {
            let stored = call_core(py, || spool.take_from(&mut self.lock_builder()))?;
            stored.map_err(|error| exception(py, &error))?;
            if self.lock_builder().is_finished() {
                return Ok(spool);
            }
            self.take_batch(py)?;
        }
    }

    /// Takes documents until another batch is complete, or there are no more.
    pub(crate) fn take_batch(&self, py: Python<'_>) -> PyResult<()> {
        let batches = self.lock_builder().batches();
        let mut inputs = self.lock_inputs();
        while self.lock_builder().batches() == batches {
            py.check_signals()?;
            if self.lock_builder().is_full() || !self.step(py, &mut inputs)? {
                inputs.close(py);
                self.lock_builder().finish();
                break;
            }
        }
        Ok(())
    }

    /// Closes what is open. An exception may keep this object alive.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.lock_inputs().close(py);
    }

    /// Takes some documents of the current input, or opens the next; returns false at the end.
    fn step(&self, py: Python<'_>, inputs: &mut Inputs) -> PyResult<bool> {
        let has_more = match &mut inputs.current {
            None => {
                let Some(input) = inputs.rest.bind(py).clone().next() else { return Ok(false) };
                inputs.current = self.open(py, input?.extract()?)?;
                true
            }
            Some(Input::Items { iterator, file, position }) => {
                self.take_items(iterator.bind(py), file.as_deref(), position)?
            }
            Some(Input::Stream { stream, raised }) => {
                self.call_stream(py, raised, |builder| stream.read_into(builder))?
            }
        };
        if !has_more {
            inputs.current = None;
        }
        let skipped = self.skipped.bind(py);
        for message in skipped.iter() {
            self.lock_builder().skip(message.extract()?);
        }
        skipped.del_slice(0, skipped.len())?;
        Ok(true)
    }

    fn open(&self, py: Python<'_>, input: InputArgument<'_>) -> PyResult<Option<Input>> {
        let InputArgument { name, documents, file } = input;
        if let Some(documents) = documents {
            let iterator = documents.try_iter()?.unbind();
            return Ok(Some(Input::Items { iterator, file: name, position: 0 }));
        }
        let (Some(file), Some(name)) = (file, name) else {
            return Err(PyRuntimeError::new_err("an input is documents, or a file with a name"));
        };
        let raised = Arc::default();
        let input = PythonFile { file, raised: Arc::clone(&raised) };
        let input = Box::new(BufReader::with_capacity(READ_BYTES, input));
        let opened =
            self.call_stream(py, &raised, |builder| DocumentStream::open(&name, input, builder))?;
        Ok(opened.map(|stream| Input::Stream { stream, raised }))
    }

    /// Reads from a file of Python without the GIL. What the file raises is raised.
    fn call_stream<T: Send>(
        &self,
        py: Python<'_>,
        raised: &Mutex<Option<PyErr>>,
        read: impl FnOnce(&mut BatchBuilder) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let done = call_core(py, || read(&mut self.lock_builder()))?;
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => done.map_err(|error| exception(py, &error)),
        }
    }

    /// Takes items until a batch is complete; returns false at the end.
    fn take_items(
        &self,
        iterator: &Bound<'_, PyIterator>,
        file: Option<&str>,
        position: &mut u64,
    ) -> PyResult<bool> {
        let (py, options) = (iterator.py(), &self.options);
        let weights = ItemWeights::new(options, file).map_err(|error| exception(py, &error))?;
        let batches = self.lock_builder().batches();
        let is_open = |builder: &BatchBuilder| builder.batches() == batches && !builder.is_full();
        while is_open(&self.lock_builder()) {
            let Some(item) = iterator.clone().next() else { return Ok(false) };
            *position += 1;
            let item = item?;
            let found = match extract_document(&item, &options.column, *position)? {
                Ok(text) => weights.find(&item, *position)?.map(|weight| (text, weight)),
                Err(refused) => Err(refused),
            };
            match found {
                Ok((text, weight)) => {
                    let text = str::from_utf8(text.as_bytes())
                        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
                    self.lock_builder().push(text, weight);
                }
                Err(refused) if options.on_error == OnError::Skip => {
                    self.lock_builder().skip(refused.to_string());
                }
                Err(refused) => return Err(exception(py, &refused)),
            }
        }
        Ok(true)
    }
}

impl Inputs {
    fn close(&mut self, py: Python<'_>) {
        self.current = None;
        // A generator holds the current file open. There is nobody to tell if closing fails.
        let _ = self.rest.call_method0(py, "close");
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
