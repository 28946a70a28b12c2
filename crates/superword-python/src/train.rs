//! `train`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
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
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// The model that training on a corpus gives.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the arguments and gives them away")]
#[pyo3(signature = (corpus, parameters, special_tokens, threads, verify_every, progress, /))]
fn train(
    py: Python<'_>,
    corpus: &Corpus,
    parameters: GivenParameters,
    special_tokens: Vec<String>,
    threads: usize,
    verify_every: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let parameters = parameters.checked()?;
    let vocab_size = u64::from(parameters.vocab_size);
    let input = corpus.0.size();
    let is_interrupted = AtomicBool::new(false);
    let latest = Mutex::new(None);
    let control = Control {
        progress: &|stage, done| {
            *latest.lock().expect("nothing panics with it") = Some((stage, done));
        },
        is_interrupted: &|| is_interrupted.load(Ordering::Relaxed),
    };
    let effort = Effort { threads, verify_every };
    // The work is done by other threads; this one looks after Python.
    let (trained, said) = std::thread::scope(|scope| {
        let (end, mut ended) = mpsc::channel();
        let (parameters, control) = (parameters, &control);
        let job = scope.spawn(move || {
            // Dropped in the end, whatever happens.
            let _end: mpsc::Sender<()> = end;
            superword_core::train(&*corpus.0, parameters, special_tokens, effort, control)
        });
        let mut said = Ok(());
        loop {
            let ended = &mut ended;
            if py.detach(move || ended.recv_timeout(TICK)) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            let now = latest.lock().expect("nothing panics with it").take();
            let tell = || match (&progress, now) {
                (Some(progress), Some((stage, done))) => {
                    let (name, all) = match stage {
                        Stage::Count => ("count", input),
                        Stage::Merges => ("merges", Some(vocab_size)),
                        Stage::Fragments => ("fragments", input),
                        Stage::Supermerges => ("supermerges", Some(vocab_size)),
                    };
                    progress.call1(py, (name, done, all)).map(|_| ())
                }
                _ => Ok(()),
            };
            if said.is_ok() {
                said = py.check_signals().and_then(|()| tell());
            }
            if said.is_err() {
                is_interrupted.store(true, Ordering::Relaxed);
            }
        }
        (py.detach(|| job.join()), said)
    });
    said?;
    match trained {
        Ok(trained) => trained.map(Model).map_err(|error| exception(py, &error)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
