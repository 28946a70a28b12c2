//! Training and applying BoundlessBPE tokenizers.
//!
//! Data walks one way, and the modules are the rooms it walks through:
//!
//! 1. [`corpus`]: documents, from memory, files, or whatever can be read once;
//! 2. [`pretokenize`]: a text becomes pretokens; which of them are eligible for supermerges;
//! 3. `count`: distinct pretokens with their counts;
//! 4. `merges`: the merges, and the deletions that follow them, learned on those;
//! 5. `supermerges`: the supermerges, learned on fragments of the documents;
//!    or the merges of a `second_stage`, learned on other fragments;
//! 6. [`model`]: the rules, and the vocabulary that they lead to, from which ids are decoded;
//! 7. [`encode`]: the rules applied to texts.
//!
//! [`train`] walks through 1 to 5, [`extend`] through 1 to 3 and 5, from a model that is there. Where a
//! corpus is counted in parts, each part walks through 3 in [`partial`], and the sums through 4 and 5
//! in [`staged`]. Both kinds of learning work on a `sequence` of rows of tokens,
//! with the counts of `pairs` kept up to date by `replace`.
//!
//! Nothing here knows of Python, or prints; only `corpus`, `runs` and `model` touch
//! files.

mod control;
pub mod corpus;
mod count;
pub mod encode;
mod error;
pub mod model;
mod platform;
pub mod pretokenize;
pub mod train;

pub use control::{Control, Stage};
pub use count::PLACES;
pub use encode::{Encoder, encode_corpus};
pub use error::Error;
pub use model::Model;
pub use platform::memory_budget::LEAST_MEMORY;
pub use pretokenize::{Eligibility, Pattern};
pub use train::{Effort, extend, train};
