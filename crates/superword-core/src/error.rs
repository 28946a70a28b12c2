//! The errors that a caller's input can cause.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The error type of the crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A regex is malformed.
    #[error("cannot read the regex at position {position}: {reason}")]
    PatternSyntax {
        /// The index of the first character that cannot be parsed.
        position: usize,
        /// The error of the regex engine.
        reason: String,
    },
    /// A regex is well formed, but the engine cannot compile it.
    #[error("cannot compile the regex: {reason}")]
    PatternUnusable {
        /// The error of the regex engine.
        reason: String,
    },
    /// A pattern is like a name, and there is no such name.
    #[error("there is no pattern named '{name}'; to split by this regex, write (?:{name})")]
    UnknownPattern {
        /// What is like a name.
        name: String,
    },
    /// A search with a regex backtracked too much.
    #[error(
        "the regex gave up at byte {at} of the text after {limit} steps of backtracking; avoid \
         nested or overlapping repetitions, or make them possessive"
    )]
    PatternGaveUp {
        /// The byte of the text at which the search started.
        at: usize,
        /// The largest number of steps in one search.
        limit: usize,
    },
    /// The caller stopped the job.
    #[error("interrupted")]
    Interrupted,
    /// The corpus has too much distinct text for 40-bit indices.
    #[error("{what} need {size} indices, but there are only 2^40; train on a part of the corpus")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The number of indices that it needs.
        size: u64,
    },
    /// A job needs more memory than the limit allows.
    #[error(
        "{what} need about {:.2} GB of memory, but the limit is {:.2} GB; raise the limit, or \
         use less text", gigabytes(*needed), gigabytes(*limit)
    )]
    MemoryLimit {
        /// What needs the memory.
        what: &'static str,
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The system has too little memory.
    #[error("{what} need {bytes} bytes of memory, which the system refuses; use less text at once")]
    OutOfMemory {
        /// What needs the memory.
        what: &'static str,
        /// The memory that it needs, in bytes.
        bytes: usize,
    },
    /// The system has too little memory for a document of a file.
    #[error("{file}: the system refuses the memory that the next document needs; split it")]
    Memory {
        /// The file.
        file: String,
    },
    /// A pretoken is too long for 32-bit positions.
    #[error("a pretoken has {size} bytes, but only 2^32 - 2 can be encoded; split the text")]
    LongPretoken {
        /// The number of its bytes.
        size: usize,
    },
    /// The second pass over a corpus found other documents than the first.
    #[error("the corpus changed while it was read; train on files that no process writes to")]
    CorpusChanged,
    /// Counts contradict each other.
    #[error("{reason}; count again")]
    Counts {
        /// What is wrong with them.
        reason: String,
    },
    /// Input data is malformed.
    #[error("{}{message}", Location { file, line: *line, column })]
    Corpus {
        /// The file, if the data came from one.
        file: Option<String>,
        /// The line, counted from 1, if the data has lines.
        line: Option<u64>,
        /// The requested column, if the error is about it.
        column: Option<String>,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The operating system reported an error.
    #[error("{}: {doing}: {source}", path.display())]
    Io {
        /// The file, or the folder of a temporary file.
        path: PathBuf,
        /// What failed, such as `cannot read the file`.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The operating system refused to start a thread.
    #[error("cannot start a thread: {source}; end other jobs, or raise the limit of processes")]
    Thread {
        /// The error of the operating system.
        source: io::Error,
    },
    /// A model contradicts itself, or a file contains no model.
    #[error("{reason}")]
    Model {
        /// What is wrong, and where.
        reason: String,
    },
    /// A file has a feature that a model cannot reproduce, but may ignore.
    #[error("{reason}")]
    Unreproducible {
        /// Which feature, and what it does.
        reason: String,
    },
    /// Options say what a file says itself.
    #[error("pattern and special_tokens are for tiktoken files; this file has its own")]
    HasOwnPattern,
    /// A text needs a token that the model does not have.
    #[error("the model has no id for {}, which the text needs", describe(token))]
    NoSuchToken {
        /// The bytes of the token.
        token: Box<[u8]>,
    },
    /// No token has an id.
    #[error(
        "no token has the id {id}, found at index {index}; the largest id of this model is {last}, \
         so decode with the model that encoded the text"
    )]
    UnknownId {
        /// The id, which may be too large for any model.
        id: String,
        /// Its index in the sequence of ids.
        index: usize,
        /// The largest id of the model.
        last: u32,
    },
    /// Ids are not those of a text.
    #[error(
        "the ids are not those of the text: from byte {at} on, it goes on otherwise than the id at \
         index {index}; pass the text that was encoded, and all its ids"
    )]
    OtherText {
        /// The index of the first id that does not fit, or the number of ids.
        index: usize,
        /// The byte of the text at which it should start.
        at: usize,
    },
    /// A model cannot have these special tokens.
    #[error("{reason}")]
    SpecialTokens {
        /// What is wrong with them.
        reason: String,
    },
    /// A token cannot be removed from a model.
    #[error("{reason}")]
    Prune {
        /// Which token, and why.
        reason: String,
    },
    /// A model cannot have this vocabulary size.
    #[error("{reason}")]
    VocabSize {
        /// What is wrong with it.
        reason: String,
    },
}

/// Describes a missing token, which is nearly always a single byte.
fn describe(token: &[u8]) -> String {
    match token {
        [byte] => format!("the byte 0x{byte:02X}"),
        _ => format!("the token b\"{}\"", token.escape_ascii()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Displays the known parts of a location, such as `a.jsonl, line 3, column 'text': `.
struct Location<'e> {
    file: &'e Option<String>,
    line: Option<u64>,
    column: &'e Option<String>,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.file.clone(),
            self.line.map(|line| format!("line {line}")),
            self.column.as_ref().map(|column| format!("column '{column}'")),
        ];
        let known: Vec<String> = parts.into_iter().flatten().collect();
        if known.is_empty() { Ok(()) } else { write!(to, "{}: ", known.join(", ")) }
    }
}
