//! The Python module `superword._core`: the core's types and nothing of its own.

use pyo3::prelude::*;

mod corpus;
mod errors;
mod pretokenize;
mod train;

/// The compiled core of superword.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train::train_rules, module)?)?;
    corpus::register(module)?;
    pretokenize::register(module)
}
