//! What a long job tells while it runs, and how it is stopped.

use crate::Error;

/// A stage of training, or the one of encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Counting pretokens; progress is in bytes of input.
    Count,
    /// Learning merges; progress is in tokens of the vocabulary.
    Merges,
    /// Counting neighbours, for a second stage; progress is in bytes of input.
    Bigrams,
    /// Counting fragments; progress is in bytes of input.
    Fragments,
    /// Learning supermerges; progress is in tokens of the vocabulary.
    Supermerges,
    /// Encoding; progress is in bytes of input.
    Encode,
}

/// The two ways a caller has into a running job.
pub struct Control<'c> {
    /// Told how far a stage is, now and then, from any thread.
    pub progress: &'c (dyn Fn(Stage, u64) + Sync),
    /// Asked whether to stop, several times a second, from any thread.
    pub is_interrupted: &'c (dyn Fn() -> bool + Sync),
}

impl Control<'_> {
    /// Tells how far a stage is.
    ///
    /// # Errors
    /// When the job is to stop.
    pub(crate) fn report(&self, stage: Stage, done: u64) -> Result<(), Error> {
        (self.progress)(stage, done);
        if (self.is_interrupted)() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
