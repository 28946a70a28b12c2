//! Training on summed counts: `PretokenSums`, `LearnedMerges` and `FragmentSums`.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword_core::model::{self, Parameters};
use superword_core::train::from_counts;
use superword_core::train::from_counts::{CountThresholds, CountedFragments};
use superword_core::train::shard_counts::ShardTotals;
use superword_core::{Control, Error, Resources};

use crate::errors::{call_core, exception, guard};
use crate::extend::ExtensionArgument;
use crate::model::{ConfigArgument, Model};
use crate::resources::ResourcesArgument;
use crate::run_detached::{ProgressCallback, run_detached};
use crate::shard_counts::ShardTotalsRecord;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PretokenSums>()?;
    module.add_class::<LearnedMerges>()?;
    module.add_class::<FragmentSums>()
}

/// `superword.counts.Thresholds`, or any object with its attributes.
#[derive(FromPyObject)]
struct ThresholdsArgument {
    min_pretoken_count: Option<u64>,
    min_fragment_count: Option<u64>,
}

/// Collects distinct pretokens with their counts.
#[pyclass(frozen, module = "superword._core")]
struct PretokenSums {
    parameters: Parameters,
    resources: Resources,
    sums: Mutex<Option<from_counts::PretokenSums>>,
}

#[pymethods]
impl PretokenSums {
    #[new]
    #[pyo3(signature = (config, resources, /))]
    fn new(
        py: Python<'_>,
        config: ConfigArgument,
        resources: ResourcesArgument,
    ) -> PyResult<PretokenSums> {
        guard(|| {
            let parameters = config.into_parameters()?;
            let resources = Resources::from(resources);
            let sums = from_counts::PretokenSums::new(&parameters.eligible, resources.memory_limit)
                .map_err(|error| exception(py, &error))?;
            Ok(PretokenSums { parameters, resources, sums: Mutex::new(Some(sums)) })
        })
    }

    /// Adds pretokens: their bytes, and their offsets and counts as uint64.
    #[pyo3(signature = (bytes, offsets, counts, /))]
    fn add(&self, py: Python<'_>, bytes: &[u8], offsets: &[u8], counts: &[u8]) -> PyResult<()> {
        guard(|| {
            let added = call_core(py, || {
                let mut pretokens = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
                let pretokens = pretokens.as_mut()?;
                Some(for_each_key(bytes, offsets, counts, |key, count| pretokens.add(key, count)))
            })?;
            added.ok_or_else(finished_error)?.map_err(|error| exception(py, &error))
        })
    }

    /// Learns the merges. Nothing can be added after that.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (totals, progress, /))]
    fn learn(
        &self,
        py: Python<'_>,
        totals: ShardTotalsRecord,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<LearnedMerges> {
        guard(|| {
            let pretokens = self.sums.lock().unwrap_or_else(PoisonError::into_inner).take();
            let pretokens = pretokens.ok_or_else(finished_error)?;
            let totals = ShardTotals::from(totals);
            let (resources, vocab_size) = (self.resources, self.parameters.vocab_size);
            let merged = learn(py, progress.as_ref(), vocab_size, |control| {
                pretokens.learn(self.parameters.clone(), totals, resources, control)
            })?;
            Ok(LearnedMerges { state: Mutex::new(merged), resources, vocab_size })
        })
    }

    /// Learns the merges of an extension, after all rules of a model. Nothing can be added after
    /// that.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (base, extension, totals, progress, /))]
    fn learn_after(
        &self,
        py: Python<'_>,
        base: &Model,
        extension: ExtensionArgument,
        totals: ShardTotalsRecord,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<LearnedMerges> {
        guard(|| {
            let extension = extension.into_extension()?;
            let pretokens = self.sums.lock().unwrap_or_else(PoisonError::into_inner).take();
            let pretokens = pretokens.ok_or_else(finished_error)?;
            let totals = ShardTotals::from(totals);
            let (base, resources) = (Arc::clone(&base.0), self.resources);
            let vocab_size = (base.vocab_size() as u32).saturating_add(extension.add);
            let merged = learn(py, progress.as_ref(), vocab_size, |control| {
                pretokens.learn_after(base, extension, totals, resources, control)
            })?;
            Ok(LearnedMerges { state: Mutex::new(merged), resources, vocab_size })
        })
    }
}

/// The learned merges, with which supermerges compete.
#[pyclass(frozen, module = "superword._core")]
struct LearnedMerges {
    state: Mutex<from_counts::LearnedMerges>,
    resources: Resources,
    vocab_size: u32,
}

#[pymethods]
impl LearnedMerges {
    /// The pretokens that become one token. Fragments name them by their index in this list.
    fn openable_pretokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        guard(|| {
            let merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(merged.openable_pretokens().map(|pretoken| PyBytes::new(py, pretoken)).collect())
        })
    }

    /// No supermerge with a lower count is chosen.
    #[getter]
    fn min_supermerge_count(&self) -> PyResult<u64> {
        guard(|| {
            Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner).min_supermerge_count())
        })
    }

    /// Whether documents may be split between rare neighbours.
    #[getter]
    fn may_split_rare_neighbours(&self) -> PyResult<bool> {
        guard(|| {
            Ok(self
                .state
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .may_split_rare_neighbours())
        })
    }

    /// An empty collection of fragments.
    fn fragment_sums(&self, py: Python<'_>) -> PyResult<FragmentSums> {
        guard(|| {
            let merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let sums = merged.fragment_sums().map_err(|error| exception(py, &error))?;
            Ok(FragmentSums(Mutex::new(Some(sums))))
        })
    }

    /// The model, with supermerges if there are fragments. None if the fragments were split between
    /// rare neighbours and must not be.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
    #[pyo3(signature = (fragments, splits_rare_neighbours, special_tokens, thresholds, progress, /))]
    fn finish(
        &self,
        py: Python<'_>,
        fragments: Option<&FragmentSums>,
        splits_rare_neighbours: bool,
        special_tokens: Vec<String>,
        thresholds: ThresholdsArgument,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Option<Model>> {
        guard(|| {
            let take = |sums: &FragmentSums| {
                let sums = sums.0.lock().unwrap_or_else(PoisonError::into_inner).take();
                let sums = sums.map(|sums| CountedFragments { sums, splits_rare_neighbours });
                sums.ok_or_else(finished_error)
            };
            let fragments = fragments.map(take).transpose()?;
            let ThresholdsArgument { min_pretoken_count, min_fragment_count } = thresholds;
            let thresholds = CountThresholds { min_pretoken_count, min_fragment_count };
            let model = learn(py, progress.as_ref(), self.vocab_size, |control| {
                let mut merged = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                merged.finish(fragments, special_tokens, thresholds, self.resources, control)
            })?;
            Ok(model.map(|model: model::Model| Model::from(model)))
        })
    }
}

/// Collects distinct fragments with their counts.
#[pyclass(frozen, module = "superword._core")]
struct FragmentSums(Mutex<Option<from_counts::FragmentSums>>);

#[pymethods]
impl FragmentSums {
    /// Adds fragments: their bytes, and their offsets and counts as uint64.
    #[pyo3(signature = (bytes, offsets, counts, /))]
    fn add(&self, py: Python<'_>, bytes: &[u8], offsets: &[u8], counts: &[u8]) -> PyResult<()> {
        guard(|| {
            let added = call_core(py, || {
                let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let sums = sums.as_mut()?;
                Some(for_each_key(bytes, offsets, counts, |key, count| sums.add(key, count)))
            })?;
            added.ok_or_else(finished_error)?.map_err(|error| exception(py, &error))
        })
    }
}

fn finished_error() -> PyErr {
    PyRuntimeError::new_err("the sums are finished; make new ones")
}

/// Learns on another thread.
fn learn<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    vocab_size: u32,
    work: impl FnOnce(&Control) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let vocab_size = Some(vocab_size.into());
    let progress =
        ProgressCallback { function: progress, vocab_size, ..ProgressCallback::default() };
    run_detached(py, progress, work)
}

/// Calls `each` with every key and its count.
fn for_each_key(
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
            let reason = "the offsets of the keys exceed their bytes".to_owned();
            return Err(Error::Counts { reason });
        };
        each(key, count)?;
    }
    Ok(())
}
