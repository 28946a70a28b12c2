//! Several threads at the same corpus.

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::Error;

/// What went wrong, and how far into the input.
pub(super) struct Failure {
    /// The number of the block that it happened in; the smallest is reported.
    pub(super) number: u64,
    pub(super) error: Error,
}

/// Runs `step` again and again on each of `threads` workers, each with a state of its own, until
/// it returns `false`; gives back the states.
///
/// Steps take their input in order, so when one fails, every step that took earlier input has
/// begun and comes to its end: the failure reported does not depend on the threads.
pub(super) fn run<S: Send>(
    threads: usize,
    start: impl Fn(usize) -> S + Sync,
    step: impl Fn(&mut S) -> Result<bool, Failure> + Sync,
) -> Result<Vec<S>, Error> {
    let failed = AtomicBool::new(false);
    let worker = |number: usize| {
        let mut state = start(number);
        loop {
            if failed.load(Ordering::Relaxed) {
                return Ok(state);
            }
            match step(&mut state) {
                Ok(true) => {}
                Ok(false) => return Ok(state),
                Err(failure) => {
                    failed.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
            }
        }
    };
    let results = thread::scope(|scope| {
        let worker = &worker;
        let spawned: Vec<_> =
            (1..threads).map(|number| scope.spawn(move || worker(number))).collect();
        let mut results = vec![worker(0)];
        for thread in spawned {
            results.push(thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload)));
        }
        results
    });
    let mut states = Vec::with_capacity(results.len());
    let mut first: Option<Failure> = None;
    for result in results {
        match result {
            Ok(state) => states.push(state),
            Err(failure) if first.as_ref().is_none_or(|first| failure.number < first.number) => {
                first = Some(failure);
            }
            Err(_) => {}
        }
    }
    first.map_or(Ok(states), |failure| Err(failure.error))
}
