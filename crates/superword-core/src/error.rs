//! Everything that can go wrong on account of what a caller gave.

use std::fmt;
use std::io;
use std::path::PathBuf;

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
    /// A job that was stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// A corpus with more distinct text than can be numbered.
    #[error("{what} take {size} places, and only 2^32 can be numbered; train on a part of it")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        size: usize,
    },
    /// A stage of training that cannot keep to the limit of memory.
    #[error(
        "{what} take about {:.2} GB of memory, and the limit is {:.2} GB; raise it, or train on \
         less text", gigabytes(*needed), gigabytes(*limit)
    )]
    MemoryLimit {
        /// What takes so much.
        what: &'static str,
        /// How much, in bytes.
        needed: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A corpus that was not the same when it was read again.
    #[error("the corpus changed while it was read; train on files that nothing writes to")]
    CorpusChanged,
    /// Counts that no corpus gives.
    #[error("{reason}; count again")]
    Counts {
        /// What is wrong with them.
        reason: String,
    },
    /// Input data that cannot be read.
    #[error("{}{message}", Place(file.as_deref(), *line, column.as_deref()))]
    Corpus {
        /// The file, if the data came from one.
        file: Option<String>,
        /// The line, counted from 1, if the data has lines.
        line: Option<u64>,
        /// The column that was asked for, if it is what is wrong.
        column: Option<String>,
        /// What is wrong, and what to do.
        message: String,
    },
    /// What the operating system refused.
    #[error("{}: {doing}: {source}", path.display())]
    Io {
        /// The file, or the folder of a temporary one.
        path: PathBuf,
        /// What failed: `cannot read it`.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A model that contradicts itself, or a file that holds none.
    #[error("{reason}")]
    Model {
        /// What is wrong, and where.
        reason: String,
    },
    /// A text that needs a token which the model does not have.
    #[error("the model has no id for {}, which the text needs", shown(token))]
    NoSuchToken {
        /// The token.
        token: Box<[u8]>,
    },
    /// An id that stands for no token.
    #[error(
        "no token has the id {id}, which is at place {place}; ids of this model go up to {last}, \
         so decode with the model that gave these"
    )]
    UnknownId {
        /// The id; it may be no number that an id can be.
        id: String,
        /// Its place among the ids, counted from 0.
        place: usize,
        /// The largest id that there is.
        last: u32,
    },
    /// Special tokens that a model cannot be given.
    #[error("{reason}")]
    SpecialTokens {
        /// Why not.
        reason: String,
    },
    /// A vocabulary size that a model cannot be cut to.
    #[error("{reason}")]
    VocabSize {
        /// Why not.
        reason: String,
    },
}

/// A token that is missing: nearly always a byte.
fn shown(token: &[u8]) -> String {
    match token {
        [byte] => format!("the byte 0x{byte:02X}"),
        _ => format!("the token b\"{}\"", token.escape_ascii()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// `a.jsonl, line 3, column 'text': `, as far as it is known.
struct Place<'e>(Option<&'e str>, Option<u64>, Option<&'e str>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place(file, line, column) = self;
        let parts = [
            file.map(str::to_owned),
            line.map(|line| format!("line {line}")),
            column.map(|column| format!("column '{column}'")),
        ];
        let place: Vec<String> = parts.into_iter().flatten().collect();
        if place.is_empty() { Ok(()) } else { write!(to, "{}: ", place.join(", ")) }
    }
}
