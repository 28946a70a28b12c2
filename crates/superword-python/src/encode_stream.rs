//! `EncodeStream`: a text that arrives in pieces.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyString};
use superword_core::encode;
use superword_core::model::{AddedTokenFinder, TokenId};

use crate::encode::{Encoder, is_long, run};
use crate::errors::{call_core, exception, guard};
use crate::id_list::make_list;
use crate::large_objects::make_bytes;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SpecialTokenFinder>()?;
    module.add_class::<EncodeStream>()
}

/// Finds special tokens in texts.
#[pyclass(frozen, module = "superword._core")]
struct SpecialTokenFinder(Option<Arc<AddedTokenFinder>>);

#[pymethods]
impl SpecialTokenFinder {
    #[new]
    #[pyo3(signature = (tokens, /))]
    fn new(py: Python<'_>, tokens: Vec<(String, u32)>) -> PyResult<SpecialTokenFinder> {
        guard(|| {
            let tokens: Vec<_> = tokens.into_iter().map(|(text, id)| (TokenId(id), text)).collect();
            let finder = call_core(py, || AddedTokenFinder::new(&tokens))?;
            let finder = finder.map_err(|error| exception(py, &error))?;
            Ok(SpecialTokenFinder(finder.map(Arc::new)))
        })
    }
}

/// Encodes a text that arrives in pieces.
#[pyclass(module = "superword._core")]
struct EncodeStream(encode::EncodeStream);

#[pymethods]
impl EncodeStream {
    #[new]
    #[pyo3(signature = (encoder, special_tokens, /))]
    fn new(
        py: Python<'_>,
        encoder: &Encoder,
        special_tokens: &SpecialTokenFinder,
    ) -> PyResult<EncodeStream> {
        guard(|| {
            let (open_texts, finder) = (encoder.open_texts(py)?, special_tokens.0.clone());
            Ok(EncodeStream(encode::EncodeStream::new(open_texts, finder)))
        })
    }

    /// Adds a piece, and returns the ids that are stable now.
    #[pyo3(signature = (piece, /))]
    fn feed<'py>(&mut self, piece: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            if piece.is_instance_of::<PyString>() {
                let text: PyBackedStr = piece.extract()?;
                return self.feed_bytes(piece.py(), text.as_bytes());
            }
            let bytes: PyBackedBytes = piece.extract()?;
            self.feed_bytes(piece.py(), &bytes)
        })
    }

    /// The ids of the text that is held back, as if the text ended here.
    fn peek<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let ids = run(py, self.is_long(0), |is_interrupted| self.0.peek(is_interrupted))?;
            make_list(py, &ids)
        })
    }

    /// Ends the text, and returns the rest of its ids.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let is_long = self.is_long(0);
            let stream = &mut self.0;
            let ids = run(py, is_long, |is_interrupted| stream.finish(is_interrupted))?;
            make_list(py, &ids)
        })
    }

    /// The bytes whose ids were not returned yet.
    #[getter]
    fn held_back<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guard(|| make_bytes(py, self.0.held_back()))
    }

    /// A stream that goes on from here on its own.
    fn copy(&self) -> PyResult<EncodeStream> {
        guard(|| Ok(EncodeStream(self.0.clone())))
    }
}

impl EncodeStream {
    fn feed_bytes<'py>(&mut self, py: Python<'py>, piece: &[u8]) -> PyResult<Bound<'py, PyList>> {
        let is_long = self.is_long(piece.len());
        let stream = &mut self.0;
        let ids = run(py, is_long, |is_interrupted| stream.feed(piece, is_interrupted))?;
        make_list(py, &ids)
    }

    /// Whether encoding the bytes that are held back, and so many more, may take long.
    fn is_long(&self, more: usize) -> bool {
        is_long(self.0.held_back().len() + more, self.0.has_regex())
    }
}
