//! Training and applying BoundlessBPE tokenizers.
//!
//! Data walks one way, and the modules are the rooms it walks through:
//!
//! 1. [`corpus`]: documents, from memory, files, or whatever can be read once;
//! 2. [`pretokenize`]: a text becomes pretokens; which of them are eligible for supermerges.
//!
//! Nothing here knows of Python, or prints; only `corpus` touches files.

pub mod corpus;
mod error;
pub mod pretokenize;

pub use error::Error;
pub use pretokenize::{Eligibility, Pattern};
