//! Python objects that may be large. If Python has no memory for one, that is a `MemoryError`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use superword_core::check_available;

use crate::errors::exception;

/// The bytes that an integer of Python takes, with its place in a list.
pub(crate) const BYTES_PER_INTEGER: usize = 40;

/// Larger objects are made in a way that may fail.
const LARGE_BYTES: usize = 1 << 24;

/// A list of ids.
pub(crate) fn make_list(py: Python<'_>, ids: Vec<u32>) -> PyResult<Bound<'_, PyList>> {
    let bytes = ids.len().saturating_mul(BYTES_PER_INTEGER);
    check_available(bytes, "a list of the ids").map_err(|error| exception(py, &error))?;
    PyList::new(py, ids)
}

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
