//! Training and applying BoundlessBPE tokenizers.
//!
//! Data walks one way, and the modules are the rooms it walks through:
//!
//! 1. [`pretokenize`]: a text becomes pretokens; which of them are eligible for supermerges.
//!
//! Nothing here knows of Python, prints, or has conventions about files.

mod control;
pub mod corpus;
mod count;
mod error;
mod hash;
mod merges;
pub mod model;
mod occurrences;
mod pairs;
pub mod pretokenize;
mod replace;
mod sequence;
mod supermerges;
mod token;
mod train;
mod vocabulary;

pub use control::{Control, Stage};
pub use error::Error;
pub use pretokenize::{Eligibility, Pattern};
pub use train::{Trained, train};
