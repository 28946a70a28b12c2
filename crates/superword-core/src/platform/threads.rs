//! Work on several threads.

#[cfg(feature = "threads")]
use std::thread::{self, Builder};

/// The most threads that a job may ask for. More would not make it faster anywhere, and each takes
/// memory.
pub const MAX_THREADS: usize = 1024;

/// Calls `work` with each number below `threads`, or with 0 if there is none, each on a thread of its
/// own, and returns the results in order. The first call is on this thread.
///
/// If the system refuses to start a thread, the remaining calls are on this thread, one after the
/// other. Built without threads, all calls are. So no call may wait for another.
///
/// # Panics
/// If a call panics.
pub(crate) fn call_on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    #[cfg(feature = "threads")]
    return call_on_built_threads(threads, Builder::new, work);
    #[cfg(not(feature = "threads"))]
    (0..threads.max(1)).map(work).collect()
}

/// Calls two functions, the first on a thread of its own if the system starts one, and returns both
/// results.
///
/// # Panics
/// If a call panics.
pub(crate) fn call_both<A: Send, B>(
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    #[cfg(feature = "threads")]
    return thread::scope(|scope| {
        let started = Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = started.map_or_else(|_| Ok(first()), thread::ScopedJoinHandle::join);
        (first.unwrap_or_else(|payload| std::panic::resume_unwind(payload)), second)
    });
    #[cfg(not(feature = "threads"))]
    (first(), second())
}

/// Like [`call_on_threads`], on threads that `builder` configures.
#[cfg(feature = "threads")]
fn call_on_built_threads<T: Send>(
    threads: usize,
    builder: impl Fn() -> Builder,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let spawned: Vec<_> = (1..threads)
            .map_while(|number| builder().spawn_scoped(scope, move || work(number)).ok())
            .collect();
        let mut results = vec![work(0)];
        let remaining = spawned.len() + 1..threads;
        for thread in spawned {
            let result = thread.join();
            results.push(result.unwrap_or_else(|payload| std::panic::resume_unwind(payload)));
        }
        results.extend(remaining.map(work));
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let numbers: Vec<usize> = (0..threads).collect();
            assert_eq!(call_on_threads(threads, |number| number), numbers);
        }
        assert_eq!(call_on_threads(0, |number| number), [0]);
        assert_eq!(call_both(|| 1, || 2), (1, 2));
    }

    #[cfg(all(feature = "threads", target_pointer_width = "64"))]
    #[test]
    fn calls_whose_thread_cannot_be_started_are_on_this_thread() {
        let refused = || Builder::new().stack_size(1 << 60);
        assert!(refused().spawn(|| ()).is_err(), "no system has that much memory");
        let this = thread::current().id();
        let results = call_on_built_threads(5, refused, |number| (number, thread::current().id()));
        assert_eq!(results, (0..5).map(|number| (number, this)).collect::<Vec<_>>());
    }
}
