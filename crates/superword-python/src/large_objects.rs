//! Python objects that may be large. If Python has no memory for one, that is a `MemoryError`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes};

/// Larger objects are made in a way that may fail.
const LARGE_BYTES: usize = 1 << 24;

/// `numpy.frombuffer`, and the type of uint32. Looking them up takes longer than a short text to encode.
static ARRAYS: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// A copy of bytes.
pub(crate) fn make_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    if bytes.len() < LARGE_BYTES {
        return Ok(PyBytes::new(py, bytes));
    }
    PyBytes::new_with(py, bytes.len(), |room| {
        room.copy_from_slice(bytes);
        Ok(())
    })
}

/// An array of numbers. It reads the bytes of a bytearray.
pub(crate) fn make_array<'py>(py: Python<'py>, numbers: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyByteArray::new_with(py, size_of_val(numbers), |room| {
        for (bytes, number) in room.as_chunks_mut().0.iter_mut().zip(numbers) {
            *bytes = number.to_ne_bytes();
        }
        Ok(())
    })?;
    let (from_buffer, dtype) = ARRAYS.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        let dtype = numpy.getattr("dtype")?.call1((numpy.getattr("uint32")?,))?;
        PyResult::Ok((numpy.getattr("frombuffer")?.unbind(), dtype.unbind()))
    })?;
    from_buffer.bind(py).call1((bytes, dtype))
}
