//! The core's errors as Python's: the one place that maps them.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use superword_core::Error;

/// The exception of `superword.errors` that says what the error says.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.to_string();
    let made = py.import("superword.errors").and_then(|errors| match error {
        Error::PatternSyntax { position, .. } => {
            errors.getattr("PatternError")?.call1((message, *position))
        }
        Error::Model { .. } => errors.getattr("ModelFormatError")?.call1((message,)),
        Error::VocabSize { .. } => Err(PyValueError::new_err(message)),
        _ => errors.getattr("PatternError")?.call1((message,)),
    });
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

/// What the operating system refuses, as the `OSError` that Python itself would raise.
pub(crate) fn os_error(error: &io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            // Rust adds the number to the text; Python shows it by itself.
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(error.to_string()),
    }
}
