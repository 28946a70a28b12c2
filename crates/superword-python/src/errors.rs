//! The core's errors as Python's: the one place that maps them.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword_core::Error;

/// The exception that says what the error says: one of `superword.errors`, or one of Python's.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    made(py, error).unwrap_or_else(|failed| failed)
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let named = |name| py.import("superword.errors").and_then(|errors| errors.getattr(name));
    let message = error.to_string();
    let exception = match error {
        Error::Corpus { file, line, column, message } => {
            let place = PyDict::new(py);
            place.set_item("file", file)?;
            place.set_item("line", line)?;
            place.set_item("column", column)?;
            named("CorpusError")?.call((message,), Some(&place))?
        }
        Error::CorpusChanged => named("CorpusError")?.call1((message,))?,
        Error::Io { path, doing, source } => return Ok(os_error(source, path, Some(doing))),
        Error::Counts { .. } => named("CountsError")?.call1((message,))?,
        Error::Model { .. } => named("ModelFormatError")?.call1((message,))?,
        Error::PatternSyntax { position, .. } => {
            named("PatternError")?.call1((message, *position))?
        }
        Error::PatternUnusable { .. } | Error::PatternGaveUp { .. } => {
            named("PatternError")?.call1((message,))?
        }
        Error::MemoryLimit { .. } => return Ok(PyMemoryError::new_err(message)),
        Error::UnknownId { .. } | Error::NoSuchToken { .. } => {
            named("UnknownTokenError")?.call1((message,))?
        }
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        _ => return Ok(PyValueError::new_err(message)),
    };
    Ok(PyErr::from_value(exception))
}

/// What the operating system refuses, as the `OSError` that Python itself would raise.
pub(crate) fn os_error(error: &io::Error, path: &Path, doing: Option<&str>) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            // Rust adds the number to the text; Python shows it by itself, and picks the class.
            let reason = text.split(" (os error").next().unwrap_or(&text);
            let text = doing.map_or(reason.to_owned(), |doing| format!("{reason}: {doing}"));
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}
