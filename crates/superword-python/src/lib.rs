//! The Python module `superword._core`: a thin layer over the core.
//!
//! Configuration objects of Python come in by their attributes (`...Argument`). Results with several
//! fields go out as dicts (`...Record`). `run_detached` is the only place that releases the GIL for
//! long work.

use pyo3::prelude::*;

mod arrays;
mod batches;
mod corpus;
mod encode;
mod encode_corpus;
mod encode_stream;
mod errors;
mod extend;
mod feed;
mod from_counts;
mod id_list;
mod import;
mod items;
mod large_objects;
mod model;
mod pretokenize;
mod resources;
mod run_detached;
mod shard_counts;
mod train;

/// The compiled core of superword.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    batches::register(module)?;
    corpus::register(module)?;
    pretokenize::register(module)?;
    model::register(module)?;
    import::register(module)?;
    encode::register(module)?;
    encode_corpus::register(module)?;
    encode_stream::register(module)?;
    run_detached::register(module)?;
    shard_counts::register(module)?;
    from_counts::register(module)?;
    extend::register(module)?;
    train::register(module)
}
