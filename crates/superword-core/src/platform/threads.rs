//! Work on several threads.

/// Calls `work` with each number below `threads`, or with 0 if there is none, each on a thread of its
/// own, and returns the results in order. The first call is on this thread.
///
/// Built without threads, it makes all calls on this thread, one after the other.
///
/// # Panics
/// If a call panics.
pub(crate) fn call_on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    #[cfg(feature = "threads")]
    return std::thread::scope(|scope| {
        let work = &work;
        let spawned: Vec<_> =
            (1..threads).map(|number| scope.spawn(move || work(number))).collect();
        let mut results = Vec::with_capacity(threads);
        results.push(work(0));
        for thread in spawned {
            let result = thread.join();
            results.push(result.unwrap_or_else(|payload| std::panic::resume_unwind(payload)));
        }
        results
    });
    #[cfg(not(feature = "threads"))]
    (0..threads.max(1)).map(work).collect()
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
    }
}
