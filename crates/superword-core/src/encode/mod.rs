//! Encoding: the rules of a model, applied to texts by table lookup.
//!
//! Merges and deletes turn a pretoken into tokens that depend on its bytes alone. So they are applied
//! once per distinct pretoken, and the result is looked up from then on. Supermerges then join
//! neighbouring pretokens. Two of them can only end up in one token if some derivation of a superword
//! contains that boundary, so a text is split at all other boundaries, and what remains between the
//! splits is short.
//!
//! The hot path, in reading order:
//!
//! 1. `encoder`: the tables of a model, and the way of one text through them;
//! 2. `pipeline`: a text goes through in groups of 512 pretokens, step by step;
//! 3. `pretoken`: pretokens are looked up, and merges and deletes are applied to new ones;
//! 4. `supermerge`: supermerges, or the merges of a second stage, join tokens of pretokens;
//! 5. `numbering`: the tokens of the encoder become ids.
//!
//! Around it: `batch` encodes many texts on several threads, `corpus` a corpus in the order of its
//! documents, `stable` texts that go on; `working_memory` refuses texts that take too much. `replay`
//! is the definition, slow and simple, that tests compare the encoder with. `rules_that_open` tells
//! training which rules open pretokens, and `pretoken_rules` how a model encodes them.

mod batch;
#[cfg(feature = "threads")]
mod corpus;
mod encoder;
mod numbering;
mod pipeline;
mod pretoken;
mod pretoken_rules;
mod replay;
mod rules_that_open;
mod stable;
mod supermerge;
mod working_memory;

pub use crate::encode::batch::Encoded;
#[cfg(feature = "threads")]
pub use crate::encode::corpus::encode_corpus;
pub use crate::encode::encoder::Encoder;
pub use crate::encode::pretoken::cache::MAX_CACHE_BYTES;
pub(crate) use crate::encode::pretoken_rules::PretokenRules;
pub use crate::encode::pretoken_rules::list_unreachable;
pub use crate::encode::replay::{Replay, ReplayStep, replay_tokens, replayed_token};
pub(crate) use crate::encode::rules_that_open::rules_that_open;
pub use crate::encode::stable::{EncodeStream, OpenTextEncoder};
pub use crate::encode::working_memory::{BYTES_PER_PRETOKEN_BYTE, MAX_PRETOKEN_BYTES};
#[doc(hidden)]
pub use crate::platform::cpu::CpuLevel;
