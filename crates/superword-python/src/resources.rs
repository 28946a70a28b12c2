//! Threads, memory and verification, as Python gives them.

use pyo3::prelude::*;
use superword_core::Resources;

/// `superword.Resources`, or any object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct ResourcesArgument {
    thread_count: usize,
    memory_bytes: Option<u64>,
    verify_every: Option<u64>,
}

impl From<ResourcesArgument> for Resources {
    fn from(given: ResourcesArgument) -> Resources {
        let ResourcesArgument { thread_count: threads, memory_bytes, verify_every } = given;
        Resources { threads, memory_limit: memory_bytes, verify_every }
    }
}
