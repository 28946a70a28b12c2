//! Training and applying BoundlessBPE tokenizers.
//!
//! Data walks one way, and the modules are the rooms it walks through:
//!
//! 1. [`pretokenize`]: a text becomes pretokens; which of them are eligible for supermerges.
//! 2. [`model`]: what training learns, and the file that holds it.
//!
//! Nothing here knows of Python, prints, or has conventions about files.

mod error;
pub mod model;
pub mod pretokenize;

pub use error::Error;
pub use model::Model;
pub use pretokenize::{Eligibility, Pattern};
