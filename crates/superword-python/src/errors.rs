//! Maps the errors of the core to exceptions of Python.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword_core::Error;

/// The exception for an error: one of `superword.errors`, or a built-in one.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    make_exception(py, error).unwrap_or_else(|failed| failed)
}

fn make_exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let named = |name| py.import("superword.errors").and_then(|errors| errors.getattr(name));
    let message = error.to_string();
    let exception = match error {
        Error::Corpus { file, line, column, message } => {
            let location = PyDict::new(py);
            location.set_item("file", file)?;
            location.set_item("line", line)?;
            location.set_item("column", column)?;
            named("CorpusError")?.call((message,), Some(&location))?
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

/// The `OSError` that Python itself raises for an error of the operating system.
pub(crate) fn os_error(error: &io::Error, path: &Path, doing: Option<&str>) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            // Rust appends the error number to the text. Python adds it, and chooses the class.
            let reason = text.split(" (os error").next().unwrap_or(&text);
            let text = doing.map_or(reason.to_owned(), |doing| format!("{reason}: {doing}"));
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}
