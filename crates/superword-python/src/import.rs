//! Importing files of other libraries.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use superword_core::Error;
use superword_core::import::{
    self, FileKind, ImportOptions, ImportedModel, PUBLISHED, START_BYTES, read_ranks,
};

use crate::errors::{call_core, exception, guard};
use crate::model::{Model, number_tokens};

/// Adds this module's names to `_core`.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let published = PyDict::new(module.py());
    for known in PUBLISHED {
        let special_tokens = known.special_tokens().map(|tokens| {
            tokens.into_iter().map(|(id, text)| (text, id.0)).collect::<Vec<(String, u32)>>()
        });
        published.set_item(known.name, (known.pattern, special_tokens))?;
    }
    module.add("PUBLISHED_VOCABULARIES", published)?;
    module.add("START_BYTES", START_BYTES)?;
    module.add_function(wrap_pyfunction!(detect_file, module)?)?;
    module.add_function(wrap_pyfunction!(import_file, module)?)?;
    module.add_function(wrap_pyfunction!(import_merges, module)?)?;
    module.add_function(wrap_pyfunction!(read_tiktoken, module)?)
}

/// A model from a file, and sentences about what it does not reproduce, as a dict.
#[derive(IntoPyObject)]
struct ImportedRecord<'py> {
    model: Bound<'py, Model>,
    warnings: Vec<String>,
}

/// The kind of a file, from its first `START_BYTES`.
#[pyfunction]
#[pyo3(signature = (start, /))]
fn detect_file(start: &[u8]) -> PyResult<&'static str> {
    guard(|| {
        Ok(match FileKind::detect(start) {
            FileKind::Superword => "superword",
            FileKind::Authors => "authors",
            FileKind::Tiktoken => "tiktoken",
            FileKind::Json => "json",
            FileKind::Unknown => "unknown",
        })
    })
}

/// The model of a file.
#[pyfunction]
#[pyo3(signature = (content, pattern, special_tokens, is_approximate, /))]
fn import_file<'py>(
    py: Python<'py>,
    content: &[u8],
    pattern: Option<String>,
    special_tokens: Option<Vec<(u32, String)>>,
    is_approximate: bool,
) -> PyResult<ImportedRecord<'py>> {
    guard(|| {
        let special_tokens = special_tokens.map(number_tokens);
        let options = ImportOptions { pattern, special_tokens, is_approximate };
        let imported = call_core(py, || import::import(content, options))?;
        make_record(py, imported)
    })
}

/// The model of a `vocab.json` and its `merges.txt`.
#[pyfunction]
#[pyo3(signature = (vocabulary, merges, pattern, special_tokens, is_approximate, /))]
fn import_merges<'py>(
    py: Python<'py>,
    vocabulary: &[u8],
    merges: &[u8],
    pattern: String,
    special_tokens: Option<Vec<(u32, String)>>,
    is_approximate: bool,
) -> PyResult<ImportedRecord<'py>> {
    guard(|| {
        let special_tokens = special_tokens.map(number_tokens);
        let options = ImportOptions { pattern: Some(pattern), special_tokens, is_approximate };
        let imported = call_core(py, || import::import_merges(vocabulary, merges, options))?;
        make_record(py, imported)
    })
}

/// The tokens of a vocabulary file of tiktoken, with their ranks.
#[pyfunction]
#[pyo3(signature = (content, /))]
fn read_tiktoken<'py>(
    py: Python<'py>,
    content: &[u8],
) -> PyResult<Vec<(Bound<'py, PyBytes>, u32)>> {
    guard(|| {
        let ranks =
            call_core(py, || read_ranks(content))?.map_err(|error| exception(py, &error))?;
        Ok(ranks.iter().map(|(rank, token)| (PyBytes::new(py, token), rank.0)).collect())
    })
}

fn make_record(
    py: Python<'_>,
    imported: Result<ImportedModel, Error>,
) -> PyResult<ImportedRecord<'_>> {
    let ImportedModel { model, warnings } = imported.map_err(|error| exception(py, &error))?;
    Ok(ImportedRecord { model: Bound::new(py, Model::from(model))?, warnings })
}
