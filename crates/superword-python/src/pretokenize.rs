//! `Pattern` and `Eligibility`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyList, PyString};
use superword_core::pretokenize;

use crate::arrays::Array;
use crate::encode::{is_long, run};
use crate::errors::{call_core, exception, guard};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pattern>()?;
    module.add_class::<Eligibility>()?;
    let named = PyDict::new(module.py());
    for (name, regex) in pretokenize::NAMED {
        named.set_item(name, regex)?;
    }
    module.add("NAMED_PATTERNS", named)?;
    module.add("DEFAULT_PATTERN", pretokenize::DEFAULT_PATTERN)?;
    module.add("ELIGIBLE", pretokenize::ELIGIBLE)?;
    module.add("SCRIPT_PATTERN", pretokenize::SCRIPT_PATTERN)?;
    module.add("SCRIPT_ELIGIBLE", pretokenize::SCRIPT_ELIGIBLE)?;
    module.add("SECOND_PATTERN", pretokenize::SECOND_PATTERN)?;
    module.add("PORTABLE_PATTERN", pretokenize::PORTABLE_PATTERN)?;
    module.add("UNICODE_VERSION", pretokenize::UNICODE_VERSION)?;
    module.add("BACKTRACK_LIMIT", pretokenize::BACKTRACK_LIMIT)
}

/// A pattern that splits texts into pretokens.
#[pyclass(frozen, module = "superword._core")]
struct Pattern(pretokenize::Pattern);

#[pymethods]
impl Pattern {
    #[new]
    #[pyo3(signature = (source, /))]
    fn new(py: Python<'_>, source: &str) -> PyResult<Pattern> {
        guard(|| {
            let pattern = call_core(py, || pretokenize::Pattern::new(source))?;
            pattern.map(Pattern).map_err(|error| exception(py, &error))
        })
    }

    /// The pretokens of a text.
    #[pyo3(signature = (text, /))]
    fn split<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        guard(|| {
            let spans: Vec<_> = run(py, self.is_long(text.len()), |is_interrupted| {
                self.0.spans(text).interrupted_by(is_interrupted).collect()
            })?;
            PyList::new(py, spans.into_iter().map(|span| PyString::new(py, &text[span])))
        })
    }

    /// The ends of the pretokens of texts, in the bytes of all texts concatenated, and the indices of
    /// the pretokens that contain a letter. Both are uint64.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (texts, /))]
    fn ends<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, u64>)> {
        guard(|| {
            let (mut ends, mut words) = (Vec::new(), Vec::new());
            let bytes = texts.iter().map(|text| text.len()).sum();
            run(py, self.is_long(bytes), |is_interrupted| {
                let mut start = 0;
                texts.iter().try_for_each(|text| {
                    self.0.spans(text).interrupted_by(is_interrupted).try_for_each(|span| {
                        let span = span?;
                        if has_letter(&text[span.clone()]) {
                            words.push(ends.len() as u64);
                        }
                        ends.push((start + span.end) as u64);
                        Ok(())
                    })?;
                    start += text.len();
                    Ok(())
                })
            })?;
            Ok((PyArray1::from_vec(py, ends), PyArray1::from_vec(py, words)))
        })
    }

    /// The number of pretokens of a text, and a digest of their ends in bytes.
    ///
    /// The digest is the sum, modulo 2**64, of `x ^ x >> 32` for x = end * 0x9E3779B97F4A7C15.
    #[pyo3(signature = (text, /))]
    fn digest(&self, py: Python<'_>, text: &str) -> PyResult<(u64, u64)> {
        guard(|| {
            run(py, self.is_long(text.len()), |is_interrupted| {
                let spans = self.0.spans(text).interrupted_by(is_interrupted);
                let start = (0, 0, None);
                let (count, digest, failed) =
                    spans.fold(start, |(count, digest, failed), span| match span {
                        Ok(span) => {
                            let mixed = (span.end as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                            (count + 1, u64::wrapping_add(digest, mixed ^ mixed >> 32), failed)
                        }
                        Err(error) => (count, digest, Some(error)),
                    });
                failed.map_or(Ok((count, digest)), Err)
            })
        })
    }

    /// Whether the matches are known to cover every text.
    #[getter]
    fn covers_all(&self) -> PyResult<bool> {
        guard(|| Ok(self.0.covers_all()))
    }
}

impl Pattern {
    /// Whether splitting this many bytes may take long.
    fn is_long(&self, bytes: usize) -> bool {
        is_long(bytes, self.0.is_regex())
    }
}

/// Whether a pretoken contains a letter.
fn has_letter(pretoken: &str) -> bool {
    pretoken.bytes().any(|byte| byte.is_ascii_alphabetic())
        || (!pretoken.is_ascii() && pretoken.chars().any(pretokenize::is_letter))
}

/// The test that decides which pretokens are eligible for supermerges.
#[pyclass(frozen, module = "superword._core")]
struct Eligibility(pretokenize::Eligibility);

#[pymethods]
impl Eligibility {
    #[new]
    #[pyo3(signature = (source, /))]
    fn new(py: Python<'_>, source: &str) -> PyResult<Eligibility> {
        guard(|| {
            let rule = call_core(py, || pretokenize::Eligibility::new(source))?;
            rule.map(Eligibility).map_err(|error| exception(py, &error))
        })
    }

    /// Whether a pretoken is eligible.
    #[pyo3(signature = (pretoken, /))]
    fn has(&self, py: Python<'_>, pretoken: &str) -> PyResult<bool> {
        guard(|| call_core(py, || self.0.has(pretoken))?.map_err(|error| exception(py, &error)))
    }
}
