//! How a caller follows a running job, and stops it.

use crate::Error;

/// A stage of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Counting pretokens; progress is in bytes of input.
    Count,
    /// Learning merges; progress is in tokens of the vocabulary.
    Merges,
    /// Counting pairs of neighbours for a second stage; progress is in bytes of input.
    Bigrams,
    /// Counting fragments; progress is in bytes of input.
    Fragments,
    /// Learning supermerges; progress is in tokens of the vocabulary.
    Supermerges,
    /// Encoding; progress is in bytes of input.
    Encode,
}

/// The callbacks of a running job. Any thread may call them.
pub struct Control<'c> {
    /// Receives the progress of a stage from time to time.
    pub progress: &'c (dyn Fn(Stage, u64) + Sync),
    /// Returns whether to stop the job; called several times a second.
    pub is_interrupted: &'c (dyn Fn() -> bool + Sync),
}

impl Default for Control<'_> {
    /// Reports to nobody, and never stops the job.
    fn default() -> Self {
        Control { progress: &|_, _| (), is_interrupted: &never }
    }
}

impl Control<'_> {
    /// Reports the progress of a stage.
    ///
    /// # Errors
    /// When the caller wants the job to stop.
    pub(crate) fn report(&self, stage: Stage, done: u64) -> Result<(), Error> {
        (self.progress)(stage, done);
        if (self.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// The `is_interrupted` of a job that nobody can stop.
pub(crate) fn never() -> bool {
    false
}
