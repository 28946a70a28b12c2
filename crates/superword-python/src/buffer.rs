//! Arrays that Python reads in place, through the buffer protocol.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// A read-only array of unsigned integers.
#[pyclass(frozen, module = "superword._core")]
pub(crate) enum Buffer {
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Buffer {
    /// A memoryview of the bytes, which keeps them alive.
    pub(crate) fn into_view(self, py: Python<'_>) -> PyResult<Bound<'_, PyMemoryView>> {
        PyMemoryView::from(Bound::new(py, self)?.as_any())
    }
}

#[pymethods]
impl Buffer {
    /// Fills a view of the bytes.
    ///
    /// # Safety
    /// Python calls it with a view to fill.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that PyO3 requires")]
    unsafe fn __getbuffer__(
        this: PyRef<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, length): (*const c_void, usize) = match &*this {
            Buffer::U32(values) => (values.as_ptr().cast(), size_of_val(values.as_slice())),
            Buffer::U64(values) => (values.as_ptr().cast(), size_of_val(values.as_slice())),
        };
        // SAFETY: the values never change, and the view holds a reference to their owner.
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
