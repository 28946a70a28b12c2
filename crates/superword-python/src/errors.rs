//! Maps the errors of the core to exceptions of Python.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword_core::Error;

/// The panic of `PyO3` when Python cannot make an object, for lack of memory.
const PYTHON_REFUSED: &str = "Python API call failed";

/// Calls the core without the GIL. A panic, which is a bug of the core, becomes an `InternalError`:
/// the exception that `PyO3` would raise is no `Exception`, so programs could not handle it.
pub(crate) fn call_core<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    // What the core leaves half-changed is dropped, or behind a lock that ignores the panic.
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    result.map_err(|payload| internal_error(py, &*payload))
}

/// Runs the body of a function that Python calls. A panic becomes an `InternalError`, as in
/// [`call_core`]. A test checks that every such function goes through it.
pub(crate) fn guard<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|payload| Err(Python::attach(|py| internal_error(py, &*payload))))
}

/// The `InternalError` of a panic.
pub(crate) fn internal_error(py: Python<'_>, payload: &(dyn Any + Send)) -> PyErr {
    let reason = payload.downcast_ref::<String>().map(String::as_str);
    let reason = reason.or_else(|| payload.downcast_ref::<&str>().copied());
    if reason == Some(PYTHON_REFUSED) {
        return PyMemoryError::new_err("Python could not make the result");
    }
    let message = format!(
        "superword has a bug: {}; please report it, with the input and the model that caused it",
        reason.unwrap_or("the core panicked")
    );
    let named = py.import("superword.errors").and_then(|errors| errors.getattr("InternalError"));
    named.and_then(|class| class.call1((message,))).map_or_else(|failed| failed, PyErr::from_value)
}

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
        Error::Io { path, doing, source } => return Ok(os_error(source, path, doing)),
        Error::Counts { .. } => named("CountsError")?.call1((message,))?,
        Error::Model { .. } => named("ModelFormatError")?.call1((message,))?,
        Error::Unreproducible { .. } => {
            let message = format!("{message}; approximate=True (--approximate) ignores this");
            named("ModelFormatError")?.call1((message,))?
        }
        Error::PatternSyntax { position, .. } => {
            named("PatternError")?.call1((message, *position))?
        }
        Error::PatternUnusable { .. }
        | Error::PatternGaveUp { .. }
        | Error::UnknownPattern { .. } => named("PatternError")?.call1((message,))?,
        Error::Thread { source } => match source.raw_os_error() {
            Some(number) => return Ok(PyOSError::new_err((number, message))),
            None => return Ok(PyOSError::new_err(message)),
        },
        Error::MemoryLimit { .. } | Error::OutOfMemory { .. } | Error::Memory { .. } => {
            return Ok(PyMemoryError::new_err(message));
        }
        Error::UnknownId { .. } | Error::NoSuchToken { .. } => {
            named("UnknownTokenError")?.call1((message,))?
        }
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        _ => return Ok(PyValueError::new_err(message)),
    };
    Ok(PyErr::from_value(exception))
}

/// The `OSError` that Python itself raises for an error of the operating system.
fn os_error(error: &io::Error, path: &Path, doing: &str) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            // Rust appends the error number to the text. Python adds it, and chooses the class.
            let reason = text.split(" (os error").next().unwrap_or(&text);
            let text = format!("{reason}: {doing}");
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}
