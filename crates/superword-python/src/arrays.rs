//! Arrays of numbers.

use numpy::PyArray1;
use pyo3::Bound;

/// An array of `NumPy`. Made from a vector, it takes over its memory.
pub(crate) type Array<'py, T> = Bound<'py, PyArray1<T>>;
