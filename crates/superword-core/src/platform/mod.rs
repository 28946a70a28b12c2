//! What the code needs of the machine: processor features, memory pages, hashing, a memory budget.

pub(crate) mod cpu;
pub(crate) mod hash;
pub(crate) mod huge_pages;
pub(crate) mod memory_budget;
