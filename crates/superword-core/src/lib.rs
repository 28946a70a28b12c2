//! Training and applying BoundlessBPE tokenizers.
//!
//! Each folder is a stage of the pipeline. A stage imports only the stages before it:
//!
//! 1. `platform`: the machine: processor features, memory, hashing;
//! 2. [`corpus`]: documents, from memory, files, or a source that can be read only once;
//! 3. [`pretokenize`]: splits documents into pretokens;
//! 4. [`model`]: the rules, the vocabulary that they make, and files of models;
//! 5. [`encode`]: applies the rules of a model to texts;
//! 6. `count`: counts pretokens, pairs of neighbours, and fragments;
//! 7. [`mod@train`]: learns the rules.
//!
//! The core knows nothing of Python, and prints nothing. Only `corpus`, `count` and `model` use files.

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
pub use count::BIGRAM_BUCKETS;
pub use encode::{Encoder, encode_corpus};
pub use error::Error;
pub use model::Model;
pub use platform::memory_budget::MIN_MEMORY_LIMIT;
pub use pretokenize::{Eligibility, Pattern, Splitter};
pub use train::{Extension, Resources, extend, train};
