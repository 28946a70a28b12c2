//! The Python module `superword._core`: the core's types and nothing of its own.

use pyo3::prelude::*;

mod attended;
mod batches;
mod corpus;
mod encode;
mod encode_corpus;
mod errors;
mod extend;
mod model;
mod news;
mod partial;
mod pretokenize;
mod staged;
mod train;

/// The compiled core of superword.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    batches::register(module)?;
    corpus::register(module)?;
    pretokenize::register(module)?;
    model::register(module)?;
    encode::register(module)?;
    encode_corpus::register(module)?;
    partial::register(module)?;
    staged::register(module)?;
    extend::register(module)?;
    train::register(module)
}
