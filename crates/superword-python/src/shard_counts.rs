//! Counting a part of a corpus: `count_pretokens`, `count_fragments`, and counters for Spark.

use std::iter;
use std::sync::{Mutex, PoisonError};

use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use superword_core::corpus::Totals;
use superword_core::train::shard_counts::{self, ShardTotals, Splitter};
use superword_core::{Control, Error, Resources};

use crate::arrays::Array;
use crate::corpus::Corpus;
use crate::errors::{call_core, exception, guard};
use crate::resources::ResourcesArgument;
use crate::run_detached::ProgressCallback;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BIGRAM_BUCKETS", superword_core::BIGRAM_BUCKETS)?;
    module.add_class::<SortedCounts>()?;
    module.add_class::<FragmentSplitter>()?;
    module.add_class::<PretokenCounter>()?;
    module.add_class::<FragmentCounter>()?;
    module.add_function(wrap_pyfunction!(count_pretokens, module)?)?;
    module.add_function(wrap_pyfunction!(count_fragments, module)?)
}

/// The fields of `superword.counts.Totals`: attributes on the way in, a dict on the way out.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) struct ShardTotalsRecord {
    documents: u64,
    bytes: u64,
    skipped: u64,
    pretokens: u64,
}

impl From<ShardTotals> for ShardTotalsRecord {
    fn from(totals: ShardTotals) -> ShardTotalsRecord {
        let ShardTotals { corpus: Totals { documents, bytes, skipped }, pretokens } = totals;
        ShardTotalsRecord { documents, bytes, skipped, pretokens }
    }
}

impl From<ShardTotalsRecord> for ShardTotals {
    fn from(record: ShardTotalsRecord) -> ShardTotals {
        let ShardTotalsRecord { documents, bytes, skipped, pretokens } = record;
        ShardTotals { corpus: Totals { documents, bytes, skipped }, pretokens }
    }
}

/// A batch of keys: their bytes, the offsets of the keys in them, and their counts, as a dict.
#[derive(IntoPyObject)]
struct KeyCountRecord<'py> {
    keys: Bound<'py, PyBytes>,
    offsets: Array<'py, u64>,
    counts: Array<'py, u64>,
}

/// The counts of a corpus or a part of it, in order of their keys.
#[pyclass(frozen, module = "superword._core")]
struct SortedCounts(Mutex<shard_counts::SortedCounts>);

#[pymethods]
impl SortedCounts {
    /// The number of documents, bytes, skipped items and pretokens.
    #[getter]
    fn totals(&self) -> PyResult<ShardTotalsRecord> {
        guard(|| Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).totals().into()))
    }

    /// The counts of bigrams by bucket, as uint32, if they were counted. They can be taken once.
    fn take_bigrams<'py>(&self, py: Python<'py>) -> PyResult<Option<Array<'py, u32>>> {
        guard(|| {
            let bigrams = self.0.lock().unwrap_or_else(PoisonError::into_inner).take_bigrams();
            Ok(bigrams.map(|bigrams| PyArray1::from_vec(py, bigrams)))
        })
    }

    /// The next keys in order; offsets and counts are uint64.
    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Option<KeyCountRecord<'py>>> {
        guard(|| {
            let batch = call_core(py, || {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).next_batch()
            })?;
            let Some(batch) = batch.map_err(|error| exception(py, &error))? else {
                return Ok(None);
            };
            Ok(Some(KeyCountRecord {
                keys: PyBytes::new(py, &batch.bytes),
                offsets: PyArray1::from_vec(py, batch.offsets),
                counts: PyArray1::from_vec(py, batch.counts),
            }))
        })
    }
}

/// Splits documents into fragments.
#[pyclass(frozen, module = "superword._core")]
struct FragmentSplitter(shard_counts::ShardFragmentSplitter);

#[pymethods]
impl FragmentSplitter {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (openable_pretokens, frequent_bigrams, /))]
    fn new(
        py: Python<'_>,
        openable_pretokens: Vec<PyBackedBytes>,
        frequent_bigrams: Option<&[u8]>,
    ) -> PyResult<FragmentSplitter> {
        guard(|| {
            let pretokens = openable_pretokens.iter().map(|pretoken| &**pretoken);
            shard_counts::ShardFragmentSplitter::new(pretokens, frequent_bigrams)
                .map(FragmentSplitter)
                .map_err(|error| exception(py, &error))
        })
    }
}

fn make_splitter(py: Python<'_>, pattern: &str, eligible: &str) -> PyResult<Splitter> {
    Splitter::new(pattern, eligible).map_err(|error| exception(py, &error))
}

/// Counts the pretokens of a corpus and, if asked, its bigrams.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, pattern, eligible, bigrams, resources, progress, /))]
fn count_pretokens(
    py: Python<'_>,
    corpus: &Corpus,
    pattern: &str,
    eligible: &str,
    bigrams: bool,
    resources: ResourcesArgument,
    progress: Option<Py<PyAny>>,
) -> PyResult<SortedCounts> {
    guard(|| {
        let splitter = make_splitter(py, pattern, eligible)?;
        count(py, corpus, resources, progress.as_ref(), |corpus, resources, control| {
            shard_counts::count_pretokens(corpus, &splitter, bigrams, resources, control)
        })
    })
}

/// Counts the fragments of a corpus.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
#[pyo3(signature = (corpus, pattern, eligible, splitter, resources, progress, /))]
fn count_fragments(
    py: Python<'_>,
    corpus: &Corpus,
    pattern: &str,
    eligible: &str,
    splitter: &FragmentSplitter,
    resources: ResourcesArgument,
    progress: Option<Py<PyAny>>,
) -> PyResult<SortedCounts> {
    guard(|| {
        let document_splitter = make_splitter(py, pattern, eligible)?;
        count(py, corpus, resources, progress.as_ref(), |corpus, resources, control| {
            shard_counts::count_fragments(
                corpus,
                &document_splitter,
                &splitter.0,
                resources,
                control,
            )
        })
    })
}

/// Counts on another thread.
fn count(
    py: Python<'_>,
    corpus: &Corpus,
    resources: ResourcesArgument,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(
        &dyn superword_core::corpus::Corpus,
        Resources,
        &Control,
    ) -> Result<shard_counts::SortedCounts, Error>
    + Send,
) -> PyResult<SortedCounts> {
    let progress = ProgressCallback { function: progress, ..ProgressCallback::default() };
    let resources = Resources::from(resources);
    let counts = corpus.run(py, progress, |corpus, control| work(corpus, resources, control))?;
    Ok(SortedCounts(Mutex::new(counts)))
}

/// Counts the pretokens of documents that Python provides.
#[pyclass(frozen, module = "superword._core")]
struct PretokenCounter(Mutex<Option<shard_counts::ShardPretokenCounter>>);

#[pymethods]
impl PretokenCounter {
    #[new]
    #[pyo3(signature = (pattern, eligible, bigrams, /))]
    fn new(py: Python<'_>, pattern: &str, eligible: &str, bigrams: bool) -> PyResult<Self> {
        guard(|| {
            let counter = shard_counts::ShardPretokenCounter::new(
                make_splitter(py, pattern, eligible)?,
                bigrams,
            );
            Ok(PretokenCounter(Mutex::new(Some(counter))))
        })
    }

    /// Counts documents, each as often as its weight says.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (documents, weights = None, /))]
    fn add(
        &self,
        py: Python<'_>,
        documents: Vec<PyBackedStr>,
        weights: Option<Vec<u64>>,
    ) -> PyResult<()> {
        guard(|| {
            let added = call_core(py, || {
                let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let counter = counter.as_mut()?;
                let mut weighted = documents.iter().zip(repeat_weights(weights.as_deref()));
                Some(weighted.try_for_each(|(document, weight)| counter.add(document, weight)))
            })?;
            added.ok_or_else(finished_error)?.map_err(|error| exception(py, &error))
        })
    }

    /// Returns the counts. Nothing can be added after that.
    fn finish(&self, py: Python<'_>) -> PyResult<SortedCounts> {
        guard(|| {
            let counter = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            let counter = counter.ok_or_else(finished_error)?;
            let counts =
                call_core(py, || counter.finish())?.map_err(|error| exception(py, &error))?;
            Ok(SortedCounts(Mutex::new(counts)))
        })
    }
}

/// Counts the fragments of documents that Python provides.
#[pyclass(frozen, module = "superword._core")]
struct FragmentCounter {
    splitter: Py<FragmentSplitter>,
    counter: Mutex<Option<shard_counts::ShardFragmentCounter>>,
}

#[pymethods]
impl FragmentCounter {
    #[new]
    #[pyo3(signature = (pattern, eligible, splitter, /))]
    fn new(
        py: Python<'_>,
        pattern: &str,
        eligible: &str,
        splitter: Py<FragmentSplitter>,
    ) -> PyResult<Self> {
        guard(|| {
            let counter =
                shard_counts::ShardFragmentCounter::new(make_splitter(py, pattern, eligible)?);
            Ok(FragmentCounter { splitter, counter: Mutex::new(Some(counter)) })
        })
    }

    /// Counts the fragments of documents, each as often as its weight says.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (documents, weights = None, /))]
    fn add(
        &self,
        py: Python<'_>,
        documents: Vec<PyBackedStr>,
        weights: Option<Vec<u64>>,
    ) -> PyResult<()> {
        guard(|| {
            let splitter = &self.splitter.get().0;
            let added = call_core(py, || {
                let mut counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
                let counter = counter.as_mut()?;
                let mut weighted = documents.iter().zip(repeat_weights(weights.as_deref()));
                Some(
                    weighted
                        .try_for_each(|(document, weight)| counter.add(document, weight, splitter)),
                )
            })?;
            added.ok_or_else(finished_error)?.map_err(|error| exception(py, &error))
        })
    }

    /// Returns the counts. Nothing can be added after that.
    fn finish(&self, py: Python<'_>) -> PyResult<SortedCounts> {
        guard(|| {
            let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
            let counter = counter.ok_or_else(finished_error)?;
            let counts =
                call_core(py, || counter.finish())?.map_err(|error| exception(py, &error))?;
            Ok(SortedCounts(Mutex::new(counts)))
        })
    }
}

/// The weights, and 1 for all documents that follow.
fn repeat_weights(weights: Option<&[u64]>) -> impl Iterator<Item = u64> {
    weights.unwrap_or_default().iter().copied().chain(iter::repeat(1))
}

fn finished_error() -> PyErr {
    PyRuntimeError::new_err("the counter is finished; make a new one")
}
