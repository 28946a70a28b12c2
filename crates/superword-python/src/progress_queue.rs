//! Progress on its way from the threads that work to the one that tells Python.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use superword_core::Stage;

/// How far each stage was last, of those not told yet.
#[derive(Default)]
pub(crate) struct News(Mutex<Vec<(Stage, u64)>>);

impl News {
    pub(crate) fn add(&self, stage: Stage, done: u64) {
        let mut news = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match news.last_mut() {
            Some(last) if last.0 == stage => last.1 = done,
            _ => news.push((stage, done)),
        }
    }

    /// Tells the news; `totals` says how far stages go that count input, and that count tokens.
    pub(crate) fn tell(
        &self,
        py: Python<'_>,
        to: Option<&Py<PyAny>>,
        totals: (Option<u64>, Option<u64>),
    ) -> PyResult<()> {
        let news = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(to) = to else { return Ok(()) };
        for (stage, done) in news {
            let (name, total) = match stage {
                Stage::Count => ("count", totals.0),
                Stage::Merges => ("merges", totals.1),
                Stage::Bigrams => ("bigrams", totals.0),
                Stage::Fragments => ("fragments", totals.0),
                Stage::Supermerges => ("supermerges", totals.1),
                Stage::Encode => ("encode", totals.0),
            };
            to.call1(py, (name, done, total))?;
        }
        Ok(())
    }
}
