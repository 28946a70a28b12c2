//! Training on sums: `Pretokens`, `Merged` and `FragmentSums`.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword_core::corpus::Totals;
use superword_core::model::{self, Parameters};
use superword_core::train::from_counts;
use superword_core::train::shard_counts::Seen;
use superword_core::{Control, Effort, Error};

use crate::errors::exception;
use crate::model::{GivenParameters, Model};
use crate::run_detached::{ProgressCallback, run_detached};
use crate::shard_counts::ShownSeen;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pretokens>()?;
    module.add_class::<Merged>()?;
    module.add_class::<FragmentSums>()
}

/// Distinct pretokens with their counts, as they come in.
#[pyclass(frozen, module = "superword._core")]
struct Pretokens {
    parameters: Parameters,
    effort: Effort,
    sums: Mutex<Option<from_counts::Pretokens>>,
}

#[pymethods]
impl Pretokens {
    #[new]
    #[pyo3(signature = (parameters, effort, /))]
    fn new(
        py: Python<'_>,
        parameters: GivenParameters,
        effort: (usize, Option<u64>, Option<u64>),
    ) -> PyResult<Pretokens> {
        let parameters = parameters.checked()?;
        let (threads, memory_limit, verify_every) = effort;
        let pretokens = from_counts::Pretokens::new(&parameters.eligible, memory_limit)
            .map_err(|error| exception(py, &error))?;
        Ok(Pretokens {
            parameters,
            effort: Effort { threads, memory_limit, verify_every },
            sums: Mutex::new(Some(pretokens)),
        })
    }

    /// Takes pretokens: their bytes, their offsets and their counts, both as uint64.
    #[pyo3(signature = (bytes, offsets, counts, /))]
    fn add(&self, py: Python<'_>, bytes: &[u8], offsets: &[u8], counts: &[u8]) -> PyResult<()> {
        let added = py.detach(|| {
            let mut pretokens = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
            let pretokens = pretokens.as_mut()?;
            Some(for_each(bytes, offsets, counts, |key, count| pretokens.add(key, count)))
        });
        added.ok_or_else(used)?.map_err(|error| exception(py, &error))
    }

    /// Learns the merges; nothing can be added after that.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (seen, progress, /))]
    fn learn(
        &self,
        py: Python<'_>,
        seen: ShownSeen,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Merged> {
        let pretokens = self.sums.lock().unwrap_or_else(PoisonError::into_inner).take();
        let pretokens = pretokens.ok_or_else(used)?;
        let (documents, bytes, skipped, count) = seen;
        let totals = Totals { documents, bytes, skipped };
        let seen = Seen { totals, pretokens: count };
        let (effort, vocab_size) = (self.effort, self.parameters.vocab_size);
        let merged = learn(py, progress.as_ref(), vocab_size, |control| {
            pretokens.learn(self.parameters.clone(), seen, effort, control)
        })?;
        Ok(Merged { state: Mutex::new(merged), effort, vocab_size })
    }
}

/// Merges that are learned, for supermerges to compete with.
#[pyclass(frozen, module = "superword._core")]
struct Merged {
    state: Mutex<from_counts::Merged>,
    effort: Effort,
    vocab_size: u32,
}

#[pymethods]
impl Merged {
    /// The pretokens that are open at some time; fragments name them by their places here.
    fn words<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        merged.words().map(|word| PyBytes::new(py, word)).collect()
    }

    /// The count below which no pair of neighbours matters.
    #[getter]
    fn bound(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).bound()
    }

    /// No fragments yet.
    fn fragments(&self, py: Python<'_>) -> PyResult<FragmentSums> {
        let merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = merged.fragments().map_err(|error| exception(py, &error))?;
        Ok(FragmentSums(Mutex::new(Some(sums))))
    }

    /// The model, with supermerges if there are fragments; None if they are cut at rare neighbours
    /// and must not be.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (fragments, is_cut, special_tokens, thresholds, progress, /))]
    fn finish(
        &self,
        py: Python<'_>,
        fragments: Option<&FragmentSums>,
        is_cut: bool,
        special_tokens: Vec<String>,
        thresholds: (Option<u64>, Option<u64>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Option<Model>> {
        let take = |sums: &FragmentSums| {
            let sums = sums.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            sums.map(|sums| (sums, is_cut)).ok_or_else(used)
        };
        let fragments = fragments.map(take).transpose()?;
        let thresholds = [thresholds.0, thresholds.1];
        let model = learn(py, progress.as_ref(), self.vocab_size, |control| {
            let mut merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            merged.finish(fragments, special_tokens, thresholds, self.effort, control)
        })?;
        Ok(model.map(|model: model::Model| Model::from(model)))
    }
}

/// Distinct fragments with their counts, as they come in.
#[pyclass(frozen, module = "superword._core")]
struct FragmentSums(Mutex<Option<from_counts::FragmentSums>>);

#[pymethods]
impl FragmentSums {
    /// Takes fragments: their bytes, their offsets and their counts, both as uint64.
    #[pyo3(signature = (bytes, offsets, counts, /))]
    fn add(&self, py: Python<'_>, bytes: &[u8], offsets: &[u8], counts: &[u8]) -> PyResult<()> {
        let added = py.detach(|| {
            let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let sums = sums.as_mut()?;
            Some(for_each(bytes, offsets, counts, |key, count| sums.add(key, count)))
        });
        added.ok_or_else(used)?.map_err(|error| exception(py, &error))
    }
}

fn used() -> PyErr {
    PyRuntimeError::new_err("it is finished; make another")
}

/// Learns on another thread.
fn learn<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    vocab_size: u32,
    work: impl FnOnce(&Control) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let vocab_size = Some(vocab_size.into());
    run_detached(py, ProgressCallback { function: progress, input_size: None, vocab_size }, work)
}

/// Calls `each` with every key and its count.
fn for_each(
    bytes: &[u8],
    offsets: &[u8],
    counts: &[u8],
    mut each: impl FnMut(&[u8], u64) -> Result<(), Error>,
) -> Result<(), Error> {
    let numbers = |bytes: &[u8]| -> Vec<u64> {
        bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)).collect()
    };
    let (offsets, counts) = (numbers(offsets), numbers(counts));
    for (ends, count) in offsets.windows(2).zip(counts) {
        let Some(key) = bytes.get(ends[0] as usize..ends[1] as usize) else {
            let reason = "the offsets of keys go beyond their bytes".to_owned();
            return Err(Error::Counts { reason });
        };
        each(key, count)?;
    }
    Ok(())
}
