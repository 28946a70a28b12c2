//! Everything that can go wrong on account of what a caller gave.

/// The one error type of the crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A regex that cannot be compiled.
    #[error("cannot read the regex at position {position}: {reason}")]
    PatternSyntax {
        /// The character of the regex, counted from 0, at which reading it failed.
        position: usize,
        /// What is wrong there, in the words of the regex engine.
        reason: String,
    },
    /// A regex that is well formed and yet not usable.
    #[error("cannot use the regex: {reason}")]
    PatternUnusable {
        /// What is wrong, in the words of the regex engine.
        reason: String,
    },
    /// A search that backtracked too much.
    #[error(
        "the regex gave up at byte {at} of the text after {limit} steps of backtracking; \
         write it without nested or overlapping repetitions, or make them possessive"
    )]
    PatternGaveUp {
        /// Where in the text the search had begun.
        at: usize,
        /// The budget of steps for one search.
        limit: usize,
    },
    /// A model that contradicts itself, or a file that holds none.
    #[error("{reason}")]
    Model {
        /// What is wrong, and where.
        reason: String,
    },
    /// A vocabulary size that a model cannot be cut to.
    #[error("{reason}")]
    VocabSize {
        /// Why not.
        reason: String,
    },
}
