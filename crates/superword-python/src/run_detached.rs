//! Running core work on another thread, while this thread handles signals and reports progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::prelude::*;
use superword_core::{Control, Error, Stage};

use crate::errors::{call_core, exception, guard, internal_error};
use crate::feed::Feed;

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(panic_for_tests, module)?)
}

/// Panics as a bug of the core would, on this thread or on another one. Tests check what Python sees.
#[pyfunction]
#[pyo3(signature = (message, /, *, detached))]
fn panic_for_tests(py: Python<'_>, message: &str, detached: bool) -> PyResult<()> {
    guard(|| {
        if detached {
            run_detached(py, ProgressCallback::default(), |_| panic!("{message}"))
        } else {
            call_core(py, || panic!("{message}"))
        }
    })
}

/// The interval at which signals are checked and progress is reported.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// A Python function that is called with the stage, how far it is, and how far it goes.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProgressCallback<'p> {
    pub(crate) function: Option<&'p Py<PyAny>>,
    /// Where stages that read input end, if known.
    pub(crate) input_size: Option<u64>,
    /// Input whose end is known only when it was read.
    pub(crate) feed: Option<&'p Feed>,
    /// Where stages that learn tokens end, if known.
    pub(crate) vocab_size: Option<u64>,
}

impl ProgressCallback<'_> {
    fn call(&self, py: Python<'_>, stage: Stage, done: u64) -> PyResult<()> {
        let Some(function) = self.function else { return Ok(()) };
        let input_size = self.input_size.or_else(|| self.feed?.size());
        let (name, total) = match stage {
            Stage::Count => ("count", input_size),
            Stage::Merges => ("merges", self.vocab_size),
            Stage::Bigrams => ("bigrams", input_size),
            Stage::Fragments => ("fragments", input_size),
            Stage::Supermerges => ("supermerges", self.vocab_size),
            Stage::Encode => ("encode", input_size),
        };
        function.call1(py, (name, done, total)).map(drop)
    }
}

/// The latest progress of each stage that has not been reported yet.
#[derive(Default)]
struct ProgressQueue(Mutex<Vec<(Stage, u64)>>);

impl ProgressQueue {
    fn push(&self, stage: Stage, done: u64) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.last_mut() {
            Some(last) if last.0 == stage => last.1 = done,
            _ => queue.push((stage, done)),
        }
    }

    fn report(&self, py: Python<'_>, callback: ProgressCallback<'_>) -> PyResult<()> {
        let queue = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        queue.into_iter().try_for_each(|(stage, done)| callback.call(py, stage, done))
    }
}

/// Runs `work` on another thread without the GIL.
///
/// If a signal handler or the progress callback raises, the work is told to stop, and the exception
/// is raised when it has.
pub(crate) fn run_detached<T: Send>(
    py: Python<'_>,
    progress: ProgressCallback<'_>,
    work: impl FnOnce(&Control) -> Result<T, Error> + Send,
) -> PyResult<T> {
    run_detached_and_receive(
        py,
        progress,
        |control, _parts: SyncSender<()>| work(control),
        |()| Ok(()),
    )
}

/// Like [`run_detached`], for work that sends parts of its result while it runs: `receive` gets each
/// part on this thread, with the GIL.
pub(crate) fn run_detached_and_receive<P: Send, T: Send>(
    py: Python<'_>,
    progress: ProgressCallback<'_>,
    work: impl FnOnce(&Control, SyncSender<P>) -> Result<T, Error> + Send,
    mut receive: impl FnMut(P) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let queue = ProgressQueue::default();
    let (outcome, raised) = std::thread::scope(|scope| {
        let (sender, mut inbox) = mpsc::sync_channel(1);
        let (stop, queue) = (&stop, &queue);
        let job = Builder::new().spawn_scoped(scope, move || {
            let control = Control {
                progress: &|stage, done| queue.push(stage, done),
                is_interrupted: &|| stop.load(Ordering::Relaxed),
            };
            work(&control, sender)
        });
        let job = match job {
            Ok(job) => job,
            Err(source) => return (Ok(Err(Error::Thread { source })), Ok(())),
        };
        let mut raised = Ok(());
        loop {
            let inbox = &mut inbox;
            let received = py.detach(move || inbox.recv_timeout(TICK));
            let is_running = !matches!(received, Err(RecvTimeoutError::Disconnected));
            if raised.is_ok() {
                raised = py
                    .check_signals()
                    .and_then(|()| received.map_or(Ok(()), &mut receive))
                    .and_then(|()| queue.report(py, progress));
            }
            stop.store(raised.is_err(), Ordering::Relaxed);
            if !is_running {
                return (py.detach(|| job.join()), raised);
            }
        }
    });
    raised?;
    let result = outcome.map_err(|payload| internal_error(py, &*payload))?;
    result.map_err(|error| exception(py, &error))
}
