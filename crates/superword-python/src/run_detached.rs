//! Work on other threads, while this one looks after Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::time::Duration;

use pyo3::prelude::*;

/// How often Ctrl-C is noticed.
const TICK: Duration = Duration::from_millis(50);

/// Does `work` without the GIL. It is given what says whether to stop, and where to send what it
/// has done in between, which `attend` gets; `attend` is also called at every tick with nothing.
/// When a signal handler or `attend` raises, the work is to stop, and that is raised.
pub(crate) fn attended<P: Send, T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync), SyncSender<P>) -> T + Send,
    mut attend: impl FnMut(Option<P>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (done, raised) = std::thread::scope(|scope| {
        let (sender, mut inbox) = mpsc::sync_channel(1);
        let is_interrupted = || stop.load(Ordering::Relaxed);
        let job = scope.spawn(move || work(&is_interrupted, sender));
        let mut raised = Ok(());
        loop {
            let waiting = &mut inbox;
            let received = py.detach(move || waiting.recv_timeout(TICK));
            let is_running = !matches!(received, Err(RecvTimeoutError::Disconnected));
            if raised.is_ok() {
                raised = py.check_signals().and_then(|()| attend(received.ok()));
            }
            stop.store(raised.is_err(), Ordering::Relaxed);
            if !is_running {
                return (py.detach(|| job.join()), raised);
            }
        }
    });
    raised?;
    done.or_else(|panic| std::panic::resume_unwind(panic))
}
