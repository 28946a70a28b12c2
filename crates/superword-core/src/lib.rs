#![doc = include_str!("../README.md")]
//!
//! ## Reading the sources
//!
//! The folders are the stages of the pipeline, and a stage imports only the stages before it:
//!
//! 1. `platform`: processor features, memory pages, hashing, the memory budget;
//! 2. [`corpus`]: reading documents from memory, files, or a source that can be read only once;
//! 3. [`pretokenize`]: splitting a text into pretokens, and deciding which are eligible;
//! 4. [`model`]: the rules, the vocabulary that they produce, decoding, the model file;
//! 5. [`mod@import`]: models from files of other libraries;
//! 6. [`encode`]: applying the rules to texts;
//! 7. `count`: counting pretokens, bigrams and fragments;
//! 8. [`mod@train`]: learning merges and supermerges from the counts.
//!
//! Start with [`train()`] to see the whole of training, and with [`Encoder`] to see the whole of
//! encoding. The [glossary] explains the terms. Nothing here prints.
//!
//! [glossary]: https://github.com/superword/superword/blob/main/docs/glossary.md

mod control;
pub mod corpus;
mod count;
pub mod encode;
mod error;
pub mod import;
pub mod model;
mod platform;
pub mod pretokenize;
pub mod train;

pub use control::{Control, Stage};
pub use count::BIGRAM_BUCKETS;
pub use encode::Encoder;
#[cfg(feature = "threads")]
pub use encode::encode_corpus;
pub use error::Error;
pub use model::Model;
pub use platform::allocation::check_available;
pub use platform::memory_budget::{
    DOCUMENTS_PER_LIMIT, ENCODED_DOCUMENTS_PER_LIMIT, MIN_MEMORY_LIMIT,
};
pub use platform::threads::MAX_THREADS;
pub use pretokenize::{Eligibility, Pattern, Splitter};
pub use train::{Extension, ExtensionKind, Resources, extend, train};
