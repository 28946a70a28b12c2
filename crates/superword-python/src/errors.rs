//! The core's errors as Python's: the one place that maps them.

use pyo3::prelude::*;
use superword_core::Error;

/// The exception of `superword.errors` that says what the error says.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.to_string();
    let (name, position) = match error {
        Error::PatternSyntax { position, .. } => ("PatternError", Some(*position)),
        _ => ("PatternError", None),
    };
    let made = py
        .import("superword.errors")
        .and_then(|errors| errors.getattr(name)?.call1((message, position)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}
