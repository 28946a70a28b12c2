//! The core's errors as Python's: the one place that maps them.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword_core::Error;

/// The exception that says what the error says: one of `superword.errors`, or an `OSError`.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    made(py, error).unwrap_or_else(|failed| failed)
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let named = |name| py.import("superword.errors").and_then(|errors| errors.getattr(name));
    let exception = match error {
        Error::Corpus { file, line, column, message } => {
            let place = PyDict::new(py);
            place.set_item("file", file)?;
            place.set_item("line", line)?;
            place.set_item("column", column)?;
            named("CorpusError")?.call((message,), Some(&place))?
        }
        Error::Io { path, doing, source } => match source.raw_os_error() {
            // With a number and a name, Python picks the class: FileNotFoundError and its like.
            Some(number) => {
                let said = source.to_string();
                let reason = said.split(" (os error").next().unwrap_or(&said);
                let message = format!("{reason}: {doing}");
                return Ok(PyOSError::new_err((number, message, path.as_os_str().to_owned())));
            }
            None => return Ok(PyOSError::new_err(error.to_string())),
        },
        Error::PatternSyntax { position, .. } => {
            named("PatternError")?.call1((error.to_string(), *position))?
        }
        _ => named("PatternError")?.call1((error.to_string(),))?,
    };
    Ok(PyErr::from_value(exception))
}
