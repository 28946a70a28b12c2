//! `Encoder`: from texts to ids and back.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use pyo3::exceptions::{PyBufferError, PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyMemoryView};
use superword_core::encode::{self, Encoded};
use superword_core::model::TokenIndex;
use superword_core::{Error, model};

use crate::errors::exception;
use crate::model::Model;
use crate::run_detached::attended;

/// From how many bytes on a job may take so long that Ctrl-C matters.
const LONG: usize = 1 << 22;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Encoder>()
}

/// What encodes and decodes with a model.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Encoder {
    model: Arc<model::Model>,
    pub(crate) encoder: superword_core::Encoder,
}

/// Rule, units of tokens, changes.
type ShownStep<'py> = (Option<usize>, Vec<Vec<Bound<'py, PyBytes>>>, Vec<(usize, usize)>);

#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (model, /))]
    fn new(py: Python<'_>, model: &Model) -> PyResult<Encoder> {
        let model = Arc::clone(&model.0);
        let encoder = py.detach(|| superword_core::Encoder::new(&model));
        let encoder = encoder.map_err(|error| exception(py, &error))?;
        Ok(Encoder { model, encoder })
    }

    /// The ids of a text.
    #[pyo3(signature = (text, threads, /))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let encoded = self.encoded(py, &[&text], threads)?;
        PyList::new(py, encoded.ids)
    }

    /// The ids of bytes that need not be UTF-8.
    #[pyo3(signature = (bytes, threads, /))]
    fn encode_bytes<'py>(
        &self,
        py: Python<'py>,
        bytes: PyBackedBytes,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let encoded = worked(py, bytes.len(), |is_interrupted| {
            self.encoder.encode_bytes(&bytes, threads, is_interrupted)
        })?;
        PyList::new(py, encoded.ids)
    }

    /// The ids of texts, a list each.
    #[pyo3(signature = (texts, threads, /))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let encoded = self.encoded(py, &texts.strings(), threads)?;
        let lists = encoded
            .offsets
            .windows(2)
            .map(|ends| PyList::new(py, &encoded.ids[ends[0] as usize..ends[1] as usize]));
        PyList::new(py, lists.collect::<PyResult<Vec<_>>>()?)
    }

    /// The ids of texts in one array of uint32, and where each starts and the last ends, in one of
    /// uint64.
    #[pyo3(signature = (texts, threads, /))]
    fn encode_to_arrays<'py>(
        &self,
        py: Python<'py>,
        texts: Texts,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyMemoryView>, Bound<'py, PyMemoryView>)> {
        let Encoded { ids, offsets } = self.encoded(py, &texts.strings(), threads)?;
        Ok((Array::view(py, Numbers::Ids(ids))?, Array::view(py, Numbers::Offsets(offsets))?))
    }

    /// How many ids a text has.
    #[pyo3(signature = (text, threads, /))]
    fn count(&self, py: Python<'_>, text: PyBackedStr, threads: usize) -> PyResult<usize> {
        worked(py, text.len(), |is_interrupted| self.encoder.count(&text, threads, is_interrupted))
    }

    /// Where the tokens of a text are, in bytes and in characters.
    #[pyo3(signature = (text, ids, /))]
    fn offsets(
        &self,
        py: Python<'_>,
        text: PyBackedStr,
        ids: Vec<u32>,
    ) -> PyResult<[Vec<(usize, usize)>; 2]> {
        let offsets = py.detach(|| self.model.offsets(&text, &ids));
        offsets.map_err(|error| exception(py, &error))
    }

    /// The bytes that ids stand for.
    #[pyo3(signature = (ids, /))]
    fn decode<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = ids.py();
        let ids = self.ids(ids)?;
        let bytes = py.detach(|| self.model.decode(&ids));
        bytes.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| exception(py, &error))
    }

    /// The steps in which the rules encode a text.
    #[pyo3(signature = (text, /))]
    fn explain<'py>(&self, py: Python<'py>, text: PyBackedStr) -> PyResult<Vec<ShownStep<'py>>> {
        let mut steps = Vec::new();
        let done = py.detach(|| encode::replay(&self.model, &text, |step| steps.push(step)));
        done.map_err(|error| exception(py, &error))?;
        let token = |&token: &TokenIndex| PyBytes::new(py, self.model.token(token));
        let shown = steps.into_iter().map(|step| {
            let units = step.units.iter().map(|unit| unit.iter().map(token).collect()).collect();
            (step.rule, units, step.changes)
        });
        Ok(shown.collect())
    }

    /// The tokens of a text as the definition has them, rule by rule: slow, for tests.
    #[pyo3(signature = (text, /))]
    fn replay<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let mut units = Vec::new();
        let done = py.detach(|| encode::replay(&self.model, &text, |step| units = step.units));
        done.map_err(|error| exception(py, &error))?;
        let tokens = units.iter().flatten();
        Ok(tokens.map(|&token| PyBytes::new(py, self.model.token(token))).collect())
    }
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

    /// Says which of them is none.
    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Texts> {
        let mut texts = Vec::with_capacity(given.len()?);
        for (index, text) in given.try_iter()?.enumerate() {
            let text = text?;
            texts.push(text.extract().map_err(|error: PyErr| not_a_text(&text, index, error))?);
        }
        Ok(Texts(texts))
    }
}

fn not_a_text(given: &Bound<'_, PyAny>, index: usize, error: PyErr) -> PyErr {
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
    /// The ids that a list or anything else gives.
    fn ids(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        if let Ok(ids) = given.extract() {
            return Ok(ids);
        }
        let mut ids = Vec::new();
        for (place, id) in given.try_iter()?.enumerate() {
            let id = id?;
            ids.push(id.extract().map_err(|error: PyErr| {
                if error.is_instance_of::<PyOverflowError>(given.py()) {
                    exception(given.py(), &self.model.unknown_id(&id, place))
                } else {
                    error
                }
            })?);
        }
        Ok(ids)
    }

    /// Encodes without the GIL. If it may take long, another thread does it while this one looks
    /// after signals.
    fn encoded(&self, py: Python<'_>, texts: &[&str], threads: usize) -> PyResult<Encoded> {
        let bytes = texts.iter().map(|text| text.len()).sum();
        worked(py, bytes, |is_interrupted| self.encoder.encode_all(texts, threads, is_interrupted))
    }
}

/// Does `work` on so many bytes without the GIL; if they are many, it may be interrupted.
fn worked<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let done = if bytes < LONG {
        py.detach(|| work(&|| false))
    } else {
        let work =
            |is_interrupted: &(dyn Fn() -> bool + Sync), _end: SyncSender<()>| work(is_interrupted);
        attended(py, work, |_| Ok(()))?
    };
    done.map_err(|error| exception(py, &error))
}

/// Numbers that Python reads where they are, through its buffer protocol.
#[pyclass(frozen, module = "superword._core")]
pub(crate) struct Array(Numbers);

pub(crate) enum Numbers {
    Ids(Vec<u32>),
    Offsets(Vec<u64>),
}

impl Array {
    pub(crate) fn view(py: Python<'_>, numbers: Numbers) -> PyResult<Bound<'_, PyMemoryView>> {
        PyMemoryView::from(Bound::new(py, Array(numbers))?.as_any())
    }
}

#[pymethods]
impl Array {
    /// Lends the memory.
    ///
    /// # Safety
    /// Python calls it with a view to be filled.
    #[expect(clippy::needless_pass_by_value, reason = "what PyO3 asks for")]
    unsafe fn __getbuffer__(
        this: PyRef<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, length): (*const c_void, usize) = match &this.0 {
            Numbers::Ids(ids) => (ids.as_ptr().cast(), size_of_val(ids.as_slice())),
            Numbers::Offsets(offsets) => (offsets.as_ptr().cast(), size_of_val(offsets.as_slice())),
        };
        // SAFETY: the numbers never change, and the view keeps the object that has them.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(
                view,
                this.as_ptr(),
                start.cast_mut(),
                length.cast_signed(),
                1,
                flags,
            )
        };
        if filled == -1 { Err(PyBufferError::new_err("the array is read-only")) } else { Ok(()) }
    }
}
