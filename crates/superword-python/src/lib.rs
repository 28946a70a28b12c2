//! The Python module `superword._core`: the core's types and nothing of its own.

use pyo3::prelude::*;

mod attended;
mod corpus;
mod encode;
mod encode_corpus;
mod errors;
mod model;
mod news;
mod pretokenize;
mod train;

/// The compiled core of superword.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    corpus::register(module)?;
    pretokenize::register(module)?;
    model::register(module)?;
    encode::register(module)?;
    encode_corpus::register(module)?;
    train::register(module)
}
