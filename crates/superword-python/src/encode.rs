//! `Encoder`: from texts to ids and back.

use std::sync::{Arc, OnceLock};
use std::thread;

use numpy::PyArray1;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyString};
use superword_core::encode::{self, EncodeStream, Encoded, OpenTextEncoder};
use superword_core::model::TokenIndex;
use superword_core::{Error, check_available, model};

use crate::arrays::Array;
use crate::errors::{call_core, exception, guard};
use crate::id_list::{BYTES_PER_INTEGER, KEPT_INTEGERS, make_list};
use crate::large_objects::make_bytes;
use crate::model::Model;
use crate::run_detached::{ProgressCallback, run_detached};

/// Work on this many bytes or more runs on another thread, so that Ctrl-C stops it.
const INTERRUPTIBLE: usize = 1 << 22;

/// The same for a regex, which may take a time that is quadratic in the bytes.
const INTERRUPTIBLE_REGEX: usize = 1 << 12;

/// Up to this many bytes, a text is encoded without releasing the GIL, which would take a tenth of the
/// time or more.
const SHORT: usize = 1 << 12;

/// A single text of this many bytes or more is encoded on several threads.
const LARGE: usize = 1 << 20;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_PRETOKEN_BYTES", encode::MAX_PRETOKEN_BYTES)?;
    module.add("BYTES_PER_PRETOKEN_BYTE", encode::BYTES_PER_PRETOKEN_BYTE)?;
    module.add("MAX_CACHE_BYTES", encode::MAX_CACHE_BYTES)?;
    module.add("KEPT_INTEGERS", KEPT_INTEGERS)?;
    module.add_class::<Encoder>()?;
    module.add_class::<Replay>()
}

/// Encodes and decodes with a model.
#[pyclass(frozen, module = "superword._core")]
#[expect(clippy::struct_field_names, reason = "it wraps the core's encoder")]
pub(crate) struct Encoder {
    model: Arc<model::Model>,
    pub(crate) encoder: Arc<superword_core::Encoder>,
    /// For texts that go on. It is built on first use.
    open_texts: OnceLock<Arc<OpenTextEncoder>>,
}

/// The fields of `superword.Step`, with the index of its rule, as a dict.
#[derive(IntoPyObject)]
struct StepRecord<'py> {
    rule: Option<usize>,
    units: Vec<Vec<Bound<'py, PyBytes>>>,
    changes: Vec<(usize, usize)>,
}

#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (model, /))]
    fn new(py: Python<'_>, model: &Model) -> PyResult<Encoder> {
        guard(|| {
            let model = Arc::clone(&model.0);
            let encoder = call_core(py, || superword_core::Encoder::new(&model))?;
            let encoder = encoder.map_err(|error| exception(py, &error))?;
            Ok(Encoder { model, encoder: Arc::new(encoder), open_texts: OnceLock::new() })
        })
    }

    /// The ids of a text. A large text is encoded on all threads.
    #[pyo3(signature = (text, /))]
    fn encode<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        guard(|| make_list(text.py(), &self.encode_one(text)?))
    }

    /// The ids of a text, as an array of uint32.
    #[pyo3(signature = (text, /))]
    fn encode_to_array<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Array<'py, u32>> {
        guard(|| Ok(PyArray1::from_vec(text.py(), self.encode_one(text)?)))
    }

    /// The ids of bytes, which may not be UTF-8.
    #[pyo3(signature = (bytes, threads, /))]
    fn encode_bytes<'py>(
        &self,
        py: Python<'py>,
        bytes: PyBackedBytes,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let encoded = run(py, self.is_long(bytes.len()), |is_interrupted| {
                self.encoder.encode_bytes(&bytes, threads, is_interrupted)
            })?;
            make_list(py, &encoded.ids)
        })
    }

    /// One list of ids for each text.
    #[pyo3(signature = (texts, threads, /))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let encoded = self.encode_all(py, &texts.strings(), threads)?;
            let bytes = encoded.ids.len().saturating_mul(BYTES_PER_INTEGER);
            check_available(bytes, "lists of the ids").map_err(|error| exception(py, &error))?;
            let lists = encoded
                .offsets
                .windows(2)
                .map(|ends| make_list(py, &encoded.ids[ends[0] as usize..ends[1] as usize]));
            PyList::new(py, lists.collect::<PyResult<Vec<_>>>()?)
        })
    }

    /// The ids of all texts as uint32, and the offsets of the texts in them as uint64.
    #[pyo3(signature = (texts, threads, /))]
    fn encode_to_arrays<'py>(
        &self,
        py: Python<'py>,
        texts: Texts,
        threads: usize,
    ) -> PyResult<(Array<'py, u32>, Array<'py, u64>)> {
        guard(|| {
            let Encoded { ids, offsets } = self.encode_all(py, &texts.strings(), threads)?;
            Ok((PyArray1::from_vec(py, ids), PyArray1::from_vec(py, offsets)))
        })
    }

    /// The ids of a text that no continuation can change, and the bytes that follow them.
    #[pyo3(signature = (text, /))]
    fn encode_prompt<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyBytes>)> {
        guard(|| {
            let mut stream = EncodeStream::new(self.open_texts(py)?, None);
            let ids = run(py, self.is_long(text.len()), |is_interrupted| {
                stream.feed(text.as_bytes(), is_interrupted)
            })?;
            Ok((make_list(py, &ids)?, make_bytes(py, stream.held_back())?))
        })
    }

    /// The number of ids of a text.
    #[pyo3(signature = (text, threads, /))]
    fn count(&self, py: Python<'_>, text: PyBackedStr, threads: usize) -> PyResult<usize> {
        guard(|| {
            run(py, self.is_long(text.len()), |is_interrupted| {
                self.encoder.count(&text, threads, is_interrupted)
            })
        })
    }

    /// The spans of a text's tokens, in bytes and in characters.
    #[pyo3(signature = (text, ids, /))]
    fn offsets(
        &self,
        py: Python<'_>,
        text: PyBackedStr,
        ids: Vec<u32>,
    ) -> PyResult<[Vec<(usize, usize)>; 2]> {
        guard(|| {
            let offsets = call_core(py, || self.model.offsets(&text, &ids))?;
            offsets.map_err(|error| exception(py, &error))
        })
    }

    /// The bytes of a sequence of ids.
    #[pyo3(signature = (ids, /))]
    fn decode<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        guard(|| {
            let py = ids.py();
            let ids = self.extract_ids(ids)?;
            let bytes = call_core(py, || self.model.decode(&ids))?;
            make_bytes(py, &bytes.map_err(|error| exception(py, &error))?)
        })
    }

    /// The steps in which the rules encode a text, one at a time.
    #[pyo3(signature = (text, /))]
    fn explain(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<Replay> {
        guard(|| {
            let replay = call_core(py, || encode::Replay::new(Arc::clone(&self.model), &text))?;
            let replay = replay.map_err(|error| exception(py, &error))?;
            Ok(Replay { model: Arc::clone(&self.model), replay })
        })
    }

    /// The tokens of a text by applying rule after rule, as the definition does. Slow, for tests.
    #[pyo3(signature = (text, /))]
    fn replay<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        guard(|| {
            let tokens = call_core(py, || encode::replay_tokens(&self.model, &text))?;
            let tokens = tokens.map_err(|error| exception(py, &error))?;
            Ok(tokens
                .iter()
                .map(|&token| PyBytes::new(py, encode::replayed_token(&self.model, token).0))
                .collect())
        })
    }
}

/// Iterator over the steps in which the rules encode a text.
#[pyclass(module = "superword._core")]
struct Replay {
    model: Arc<model::Model>,
    replay: encode::Replay<Arc<model::Model>>,
}

#[pymethods]
impl Replay {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<StepRecord<'py>>> {
        guard(|| {
            let Replay { model, replay } = self;
            let Some(step) = call_core(py, || replay.next())? else { return Ok(None) };
            let token =
                |&token: &TokenIndex| PyBytes::new(py, encode::replayed_token(model, token).0);
            let units = step.units.iter().map(|unit| unit.iter().map(token).collect()).collect();
            Ok(Some(StepRecord { rule: step.rule, units, changes: step.changes }))
        })
    }
}

/// The text in a string. The error for another object says of which type it is.
fn extract_text(given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    if let Ok(text) = given.cast::<PyString>() {
        return PyBackedStr::try_from(text.clone());
    }
    let name = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("a text must be a str, not {name}")))
}

/// A list of strings.
struct Texts(Vec<PyBackedStr>);

impl Texts {
    fn strings(&self) -> Vec<&str> {
        self.0.iter().map(|text| &**text).collect()
    }
}

impl<'py> FromPyObject<'_, 'py> for Texts {
    type Error = PyErr;

    /// The error for an item that is not a string says which one it is.
    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Texts> {
        let mut texts = Vec::with_capacity(given.len()?);
        for (index, text) in given.try_iter()?.enumerate() {
            let text = text?;
            texts.push(
                text.extract().map_err(|error: PyErr| explain_type_error(&text, index, error))?,
            );
        }
        Ok(Texts(texts))
    }
}

fn explain_type_error(given: &Bound<'_, PyAny>, index: usize, error: PyErr) -> PyErr {
    let py = given.py();
    match given.get_type().name() {
        Ok(name) if error.is_instance_of::<PyTypeError>(py) => {
            PyTypeError::new_err(format!("texts[{index}] is of type '{name}', not 'str'"))
        }
        _ => match error.value(py).call_method1("add_note", (format!("in texts[{index}]"),)) {
            Ok(_) => error,
            Err(failed) => failed,
        },
    }
}

impl Encoder {
    /// The ids in a list, or in any other iterable.
    fn extract_ids(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        if let Ok(ids) = given.extract() {
            return Ok(ids);
        }
        let mut ids = Vec::new();
        for (position, id) in given.try_iter()?.enumerate() {
            let id = id?;
            ids.push(id.extract().map_err(|error: PyErr| {
                if error.is_instance_of::<PyOverflowError>(given.py()) {
                    exception(given.py(), &self.model.unknown_id(&id, position))
                } else {
                    error
                }
            })?);
        }
        Ok(ids)
    }

    /// The encoder of texts that go on.
    pub(crate) fn open_texts(&self, py: Python<'_>) -> PyResult<Arc<OpenTextEncoder>> {
        if let Some(built) = self.open_texts.get() {
            return Ok(Arc::clone(built));
        }
        let built = call_core(py, || OpenTextEncoder::new(&self.model, Arc::clone(&self.encoder)))?;
        Ok(Arc::clone(self.open_texts.get_or_init(|| Arc::new(built))))
    }

    /// Whether encoding this many bytes may take long.
    fn is_long(&self, bytes: usize) -> bool {
        is_long(bytes, self.encoder.has_regex())
    }

    /// The ids of a text.
    fn encode_one(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let py = text.py();
        let text = extract_text(text)?;
        if text.len() <= SHORT && !self.encoder.has_regex() {
            return self.encoder.encode(&text).map_err(|error| exception(py, &error));
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads = if text.len() < LARGE { 1 } else { threads };
        Ok(self.encode_all(py, &[&text], threads)?.ids)
    }

    /// Encodes texts without the GIL.
    fn encode_all(&self, py: Python<'_>, texts: &[&str], threads: usize) -> PyResult<Encoded> {
        let bytes = texts.iter().map(|text| text.len()).sum();
        run(py, self.is_long(bytes), |is_interrupted| {
            self.encoder.encode_all(texts, threads, is_interrupted)
        })
    }
}

/// Whether work on this many bytes may take long.
pub(crate) fn is_long(bytes: usize, has_regex: bool) -> bool {
    bytes >= if has_regex { INTERRUPTIBLE_REGEX } else { INTERRUPTIBLE }
}

/// Runs `work` without the GIL. If it may take long, Ctrl-C interrupts it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    is_long: bool,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if !is_long {
        return call_core(py, || work(&|| false))?.map_err(|error| exception(py, &error));
    }
    run_detached(py, ProgressCallback::default(), |control| work(control.is_interrupted))
}
