//! Several threads that read one corpus.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;
use crate::platform::threads::call_on_threads;

/// An error, and the block of input in which it happened.
pub(super) struct Failure {
    pub(super) block: u64,
    pub(super) error: Error,
}

/// Calls `step` on each of `threads` workers until it returns `false`, and returns the workers'
/// states.
///
/// Steps take their input in order. When one fails, every step with earlier input has started and
/// runs to its end, so the error of the first failed block does not depend on the threads.
pub(super) fn run_workers<S: Send>(
    threads: usize,
    start: impl Fn(usize) -> S + Sync,
    step: impl Fn(&mut S) -> Result<bool, Failure> + Sync,
) -> Result<Vec<S>, Error> {
    let has_failed = AtomicBool::new(false);
    let run = |worker: usize| {
        let mut state = start(worker);
        loop {
            if has_failed.load(Ordering::Relaxed) {
                return Ok(state);
            }
            match step(&mut state) {
                Ok(true) => {}
                Ok(false) => return Ok(state),
                Err(failure) => {
                    has_failed.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
            }
        }
    };
    let results = call_on_threads(threads, run);
    let mut states = Vec::with_capacity(results.len());
    let mut first: Option<Failure> = None;
    for result in results {
        match result {
            Ok(state) => states.push(state),
            Err(failure) if first.as_ref().is_none_or(|first| failure.block < first.block) => {
                first = Some(failure);
            }
            Err(_) => {}
        }
    }
    first.map_or(Ok(states), |failure| Err(failure.error))
}
