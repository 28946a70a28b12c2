//! Python objects that may be large. If Python has no memory for one, that is a `MemoryError`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
