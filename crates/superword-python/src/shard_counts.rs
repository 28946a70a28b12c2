//! Counting a part of a corpus: `count_pretokens`, `count_fragments`, and counters that are fed.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView};
use superword_core::train::shard_counts::{self, CountEffort, Splitting};
use superword_core::{Control, Error};

use crate::buffer::Buffer;
use crate::corpus::Corpus;
use crate::errors::exception;
use crate::run_detached::{ProgressCallback, run_detached};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("PLACES", superword_core::PLACES)?;
    module.add_class::<Counts>()?;
    module.add_class::<Cut>()?;
    module.add_class::<PretokenCounter>()?;
    module.add_class::<FragmentCounter>()?;
    module.add_function(wrap_pyfunction!(count_pretokens, module)?)?;
    module.add_function(wrap_pyfunction!(count_fragments, module)?)
}

/// Documents, bytes, items that were left out, and pretokens.
pub(crate) type ShownSeen = (u64, u64, u64, u64);

/// Keys one after the other, where each starts and the last ends, and their counts.
type ShownRows<'py> = (Bound<'py, PyBytes>, Bound<'py, PyMemoryView>, Bound<'py, PyMemoryView>);

/// What was counted.
#[pyclass(frozen, module = "superword._core")]
struct Counts(Mutex<shard_counts::Counts>);

#[pymethods]
impl Counts {
    /// Documents, bytes, items that were left out, and pretokens.
    #[getter]
    fn seen(&self) -> ShownSeen {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner).seen();
        let totals = seen.totals;
        (totals.documents, totals.bytes, totals.skipped, seen.pretokens)
    }

    /// How often pretokens stand side by side, by place, as uint32; given once, if counted.
    fn take_bigrams<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        let bigrams = self.0.lock().unwrap_or_else(PoisonError::into_inner).take_bigrams();
        bigrams.map(|bigrams| Buffer::U32(bigrams).into_view(py)).transpose()
    }

    /// The next keys in order: their bytes, their offsets and their counts, both as uint64.
    fn next_rows<'py>(&self, py: Python<'py>) -> PyResult<Option<ShownRows<'py>>> {
        let rows = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next_rows());
        let Some(rows) = rows.map_err(|error| exception(py, &error))? else { return Ok(None) };
        let offsets = Buffer::U64(rows.offsets).into_view(py)?;
        let counts = Buffer::U64(rows.counts).into_view(py)?;
        Ok(Some((PyBytes::new(py, &rows.bytes), offsets, counts)))
    }
}

/// Where documents are cut into fragments.
#[pyclass(frozen, module = "superword._core")]
struct Cut(shard_counts::Cut);

#[pymethods]
impl Cut {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (words, bits, /))]
    fn new(py: Python<'_>, words: Vec<PyBackedBytes>, bits: Option<&[u8]>) -> PyResult<Cut> {
        let words = words.iter().map(|word| &**word);
        shard_counts::Cut::new(words, bits).map(Cut).map_err(|error| exception(py, &error))
    }
}

fn splitting(py: Python<'_>, pattern: &str, eligible: &str) -> PyResult<Splitting> {
    Splitting::new(pattern, eligible).map_err(|error| exception(py, &error))
}

/// Counts the pretokens of a corpus and, if wanted, at which places they stand side by side.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, pattern, eligible, bigrams, effort, progress, /))]
fn count_pretokens(
    py: Python<'_>,
    corpus: &Corpus,
    pattern: &str,
    eligible: &str,
    bigrams: bool,
    effort: (usize, Option<u64>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let splitting = splitting(py, pattern, eligible)?;
    count(py, corpus, effort, progress.as_ref(), |effort, control| {
        shard_counts::count_pretokens(&*corpus.0, &splitting, bigrams, effort, control)
    })
}

/// Counts the fragments of a corpus.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, pattern, eligible, cut, effort, progress, /))]
fn count_fragments(
    py: Python<'_>,
    corpus: &Corpus,
    pattern: &str,
    eligible: &str,
    cut: &Cut,
    effort: (usize, Option<u64>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let splitting = splitting(py, pattern, eligible)?;
    count(py, corpus, effort, progress.as_ref(), |effort, control| {
        shard_counts::count_fragments(&*corpus.0, &splitting, &cut.0, effort, control)
    })
}

/// Counts on another thread.
fn count(
    py: Python<'_>,
    corpus: &Corpus,
    (threads, memory_limit): (usize, Option<u64>),
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(CountEffort, &Control) -> Result<shard_counts::Counts, Error> + Send,
) -> PyResult<Counts> {
    let progress =
        ProgressCallback { function: progress, input_size: corpus.0.size(), vocab_size: None };
    let effort = CountEffort { threads, memory_limit };
    let counts = run_detached(py, progress, |control| work(effort, control))?;
    Ok(Counts(Mutex::new(counts)))
}

/// Counts pretokens of documents that are handed to it.
#[pyclass(frozen, module = "superword._core")]
struct PretokenCounter(Mutex<Option<shard_counts::PretokenCounter>>);

#[pymethods]
impl PretokenCounter {
    #[new]
    #[pyo3(signature = (pattern, eligible, bigrams, /))]
    fn new(py: Python<'_>, pattern: &str, eligible: &str, bigrams: bool) -> PyResult<Self> {
        let counter =
            shard_counts::PretokenCounter::new(splitting(py, pattern, eligible)?, bigrams);
        Ok(PretokenCounter(Mutex::new(Some(counter))))
    }

    /// Counts documents.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (documents, /))]
    fn add(&self, py: Python<'_>, documents: Vec<PyBackedStr>) -> PyResult<()> {
        let added = py.detach(|| {
            let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let counter = counter.as_mut()?;
            Some(documents.iter().try_for_each(|document| counter.add(document)))
        });
        added.ok_or_else(finished)?.map_err(|error| exception(py, &error))
    }

    /// What was counted; nothing can be added after that.
    fn finish(&self, py: Python<'_>) -> PyResult<Counts> {
        let counter = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let counter = counter.ok_or_else(finished)?;
        let counts = py.detach(|| counter.finish()).map_err(|error| exception(py, &error))?;
        Ok(Counts(Mutex::new(counts)))
    }
}

/// Counts fragments of documents that are handed to it.
#[pyclass(frozen, module = "superword._core")]
struct FragmentCounter {
    cut: Py<Cut>,
    counter: Mutex<Option<shard_counts::FragmentCounter>>,
}

#[pymethods]
impl FragmentCounter {
    #[new]
    #[pyo3(signature = (pattern, eligible, cut, /))]
    fn new(py: Python<'_>, pattern: &str, eligible: &str, cut: Py<Cut>) -> PyResult<Self> {
        let counter = shard_counts::FragmentCounter::new(splitting(py, pattern, eligible)?);
        Ok(FragmentCounter { cut, counter: Mutex::new(Some(counter)) })
    }

    /// Counts the fragments of documents.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (documents, /))]
    fn add(&self, py: Python<'_>, documents: Vec<PyBackedStr>) -> PyResult<()> {
        let cut = &self.cut.get().0;
        let added = py.detach(|| {
            let mut counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
            let counter = counter.as_mut()?;
            Some(documents.iter().try_for_each(|document| counter.add(document, cut)))
        });
        added.ok_or_else(finished)?.map_err(|error| exception(py, &error))
    }

    /// What was counted; nothing can be added after that.
    fn finish(&self, py: Python<'_>) -> PyResult<Counts> {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
        let counter = counter.ok_or_else(finished)?;
        let counts = py.detach(|| counter.finish()).map_err(|error| exception(py, &error))?;
        Ok(Counts(Mutex::new(counts)))
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("the counter is finished; make another")
}
