//! `train`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use superword_core::{Control, Effort, Stage};

use crate::corpus::Corpus;
use crate::errors::exception;
use crate::model::{GivenParameters, Model};

/// How often progress is told and Ctrl-C noticed.
const TICK: Duration = Duration::from_millis(50);

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LEAST_MEMORY", superword_core::LEAST_MEMORY)?;
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// The model that training on a corpus gives.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
#[pyo3(signature = (corpus, parameters, special_tokens, effort, progress, /))]
fn train(
    py: Python<'_>,
    corpus: &Corpus,
    parameters: GivenParameters,
    special_tokens: Vec<String>,
    effort: (usize, Option<u64>, Option<u64>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let parameters = parameters.checked()?;
    let totals = (corpus.0.size(), Some(u64::from(parameters.vocab_size)));
    let is_interrupted = AtomicBool::new(false);
    let news = News::default();
    let control = Control {
        progress: &|stage, done| news.add(stage, done),
        is_interrupted: &|| is_interrupted.load(Ordering::Relaxed),
    };
    let (threads, memory_limit, verify_every) = effort;
    let effort = Effort { threads, memory_limit, verify_every };
    // The work is done by other threads; this one looks after Python.
    let (trained, said) = std::thread::scope(|scope| {
        let (end, mut ended) = mpsc::channel();
        let control = &control;
        let job = scope.spawn(move || {
            // Dropped in the end, whatever happens.
            let _end: mpsc::Sender<()> = end;
            superword_core::train(&*corpus.0, parameters, special_tokens, effort, control)
        });
        let mut said = Ok(());
        loop {
            let waiting = &mut ended;
            let is_running =
                py.detach(move || waiting.recv_timeout(TICK)) == Err(RecvTimeoutError::Timeout);
            if said.is_ok() {
                said = py.check_signals().and_then(|()| news.tell(py, progress.as_ref(), totals));
            }
            if said.is_err() {
                is_interrupted.store(true, Ordering::Relaxed);
            }
            if !is_running {
                return (py.detach(|| job.join()), said);
            }
        }
    });
    said?;
    match trained {
        Ok(trained) => trained.map(Model::from).map_err(|error| exception(py, &error)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// How far each stage was last, of those not told yet.
#[derive(Default)]
pub(crate) struct News(Mutex<Vec<(Stage, u64)>>);

impl News {
    pub(crate) fn add(&self, stage: Stage, done: u64) {
        let mut news = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match news.last_mut() {
            Some(last) if last.0 == stage => last.1 = done,
            _ => news.push((stage, done)),
        }
    }

    /// Tells the news; `totals` says how far stages go that count input, and that count tokens.
    pub(crate) fn tell(
        &self,
        py: Python<'_>,
        to: Option<&Py<PyAny>>,
        totals: (Option<u64>, Option<u64>),
    ) -> PyResult<()> {
        let news = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(to) = to else { return Ok(()) };
        for (stage, done) in news {
            let (name, total) = match stage {
                Stage::Count => ("count", totals.0),
                Stage::Merges => ("merges", totals.1),
                Stage::Fragments => ("fragments", totals.0),
                Stage::Supermerges => ("supermerges", totals.1),
                Stage::Encode => ("encode", totals.0),
            };
            to.call1(py, (name, done, total))?;
        }
        Ok(())
    }
}
