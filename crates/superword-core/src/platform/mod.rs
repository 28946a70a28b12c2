//! The machine: the processor and its memory.
//!
//! 1. `cpu`: processor features, and prefetching;
//! 2. `huge_pages`: large blocks of memory for random access;
//! 3. `hash`: fast hashing with a secret; `lanes`: words that are compared at once;
//! 4. `memory_budget`: the memory limit of training;
//! 5. `threads`, `temporary_file`: threads and temporary files, in builds that have them;
//!    `block_store`: blocks in memory or in a temporary file.

pub(crate) mod allocation;
pub(crate) mod block_store;
pub(crate) mod cpu;
pub(crate) mod hash;
pub(crate) mod huge_pages;
pub(crate) mod lanes;
pub(crate) mod memory_budget;
pub(crate) mod temporary_file;
pub(crate) mod threads;
