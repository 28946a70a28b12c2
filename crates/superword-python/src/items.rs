//! Items of iterables and tables: the document in each, and its weight.

use pyo3::exceptions::{PyKeyError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyMapping, PyString};
use superword_core::Error;
use superword_core::corpus::{self, CorpusOptions};

use crate::errors::exception;

/// The document in an item, a string or a mapping, as UTF-8; or what is wrong with the item.
///
/// The copy is temporary. Python would keep its own UTF-8 copy as long as the string.
pub(crate) fn extract_document<'py>(
    item: &Bound<'py, PyAny>,
    column: &str,
    position: u64,
) -> PyResult<Result<Bound<'py, PyBytes>, Error>> {
    let reject = |column: Option<&str>, message: String| {
        let column = column.map(str::to_owned);
        let message = format!("document {position} {message}");
        Ok(Err(Error::Corpus { file: None, line: None, column, message }))
    };
    let py = item.py();
    let (text, column) = if item.is_instance_of::<PyString>() {
        (item.clone(), None)
    } else if let Ok(mapping) = item.cast::<PyMapping>() {
        match mapping.get_item(column) {
            Ok(value) => (value, Some(column)),
            Err(error) if error.is_instance_of::<PyKeyError>(py) => {
                let keys = mapping.keys()?.repr()?;
                return reject(Some(column), format!("has no such column; its keys are {keys}"));
            }
            Err(error) => return Err(error),
        }
    } else {
        (item.clone(), None)
    };
    let Ok(text) = text.cast::<PyString>() else {
        let kind = text.get_type().name()?;
        return reject(column, format!("is of type {kind}; a document must be a str"));
    };
    match text.encode_utf8() {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
            let at: usize = error.value(py).getattr("start")?.extract()?;
            let what = "is a lone surrogate, which UTF-8 cannot represent; replace it";
            reject(column, format!("cannot be encoded: character {at} {what}"))
        }
        Err(error) => Err(error),
    }
}

/// How often documents from Python count.
pub(crate) enum ItemWeights<'w> {
    /// All alike.
    Same(u64),
    /// By the value in a column.
    ByColumn { weights: &'w corpus::Weights, column: &'w str, file: Option<&'w str> },
}

impl<'w> ItemWeights<'w> {
    pub(crate) fn new(
        options: &'w CorpusOptions,
        file: Option<&'w str>,
    ) -> Result<ItemWeights<'w>, Error> {
        let Some(weights) = options.weights.as_deref() else { return Ok(ItemWeights::Same(1)) };
        if let Some(column) = weights.column() {
            return Ok(ItemWeights::ByColumn { weights, column, file });
        }
        let Some(file) = file else {
            let message = "documents of an iterable have no file; weight rows by a column, with \
                           weight_column"
                .to_owned();
            return Err(Error::Corpus { file: None, line: None, column: None, message });
        };
        weights.find_file(file).map(ItemWeights::Same)
    }

    /// The weight of an item. The inner error is about a row that has none. A source that weights
    /// do not name is an error even if rows are skipped.
    pub(crate) fn find(
        &self,
        item: &Bound<'_, PyAny>,
        position: u64,
    ) -> PyResult<Result<u64, Error>> {
        let (weights, column, file) = match *self {
            ItemWeights::Same(weight) => return Ok(Ok(weight)),
            ItemWeights::ByColumn { weights, column, file } => (weights, column, file),
        };
        let py = item.py();
        let make_error = |message: String| {
            let message = format!("document {position}: {message}");
            let (file, column) = (file.map(str::to_owned), Some(column.to_owned()));
            Error::Corpus { file, line: None, column, message }
        };
        let is_mapping = !item.is_instance_of::<PyString>();
        let value = match item.cast::<PyMapping>() {
            Ok(mapping) if is_mapping => match mapping.get_item(column) {
                Ok(value) => Some(value),
                Err(error) if error.is_instance_of::<PyKeyError>(py) => None,
                Err(error) => return Err(error),
            },
            _ => None,
        };
        let Some(value) = value else {
            return Ok(Err(make_error("it has no such column to weight it by".to_owned())));
        };
        let is_integer = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
        if !is_integer && !value.is_instance_of::<PyString>() {
            let kind = value.get_type().name()?;
            return Ok(Err(make_error(format!("{kind} instead of a string or an integer"))));
        }
        let source = value.str()?.to_string();
        let found = weights.find_source(&source);
        found.map(Ok).map_err(|message| exception(py, &make_error(message)))
    }
}
