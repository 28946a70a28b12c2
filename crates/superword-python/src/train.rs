//! Temporary.
use pyo3::prelude::*;
use superword_core::corpus::{Batch, Memory};
use superword_core::model::{Deletion, Parameters, Rule};
use superword_core::{Control, train as core_train};

type Row = (String, Vec<u8>, Option<Vec<u8>>, Vec<Vec<u8>>, Option<u64>);

#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train_rules(py: Python<'_>, documents: Vec<String>, vocab_size: u32, pattern: String, eligible: String, supermerges: bool, deletion: Option<String>, tau: f64, min_count: u64, threads: usize) -> PyResult<Vec<Row>> {
    let deletion = deletion.map(|d| if d == "bytes" { Deletion::Bytes } else { Deletion::Pair });
    let parameters = Parameters { pattern, eligible, supermerges, deletion, tau, min_count, vocab_size };
    let batches = documents.chunks(2).map(|c| { let mut b = Batch::default(); for d in c { b.push(d); } b }).collect();
    let control = Control { progress: &|_, _| {}, is_interrupted: &|| false };
    let t = py.detach(|| core_train(&Memory::new(batches), &parameters, threads, &control)).map_err(|e| crate::errors::exception(py, &e))?;
    let b = |t: &u32, v: &Vec<Box<[u8]>>| v[*t as usize].to_vec();
    Ok(t.rules.iter().map(|r| match r {
        Rule::Merge { left, right, count, .. } => ("merge".into(), b(left, &t.tokens), Some(b(right, &t.tokens)), vec![], Some(*count)),
        Rule::Supermerge { left, right, count, .. } => ("supermerge".into(), b(left, &t.tokens), Some(b(right, &t.tokens)), vec![], Some(*count)),
        Rule::Delete { token, parts } => ("delete".into(), b(token, &t.tokens), None, parts.iter().map(|p| b(p, &t.tokens)).collect(), None),
    }).collect())
}
