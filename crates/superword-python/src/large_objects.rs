//! Python objects that may be large. If Python has no memory for one, that is a `MemoryError`.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Larger objects are made in a way that may fail.
const LARGE_BYTES: usize = 1 << 24;

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

/// The bytes of numbers, as this machine has them.
pub(crate) fn make_bytearray<'py>(
    py: Python<'py>,
    numbers: &[u32],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, size_of_val(numbers), |room| {
        for (bytes, number) in room.as_chunks_mut().0.iter_mut().zip(numbers) {
            *bytes = number.to_ne_bytes();
        }
        Ok(())
    })
}
