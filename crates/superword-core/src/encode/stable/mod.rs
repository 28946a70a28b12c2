//! Texts that go on: the ids that no continuation can change.
//!
//! The end of a text is open. What follows may move the last boundary between pretokens, and may join
//! the last tokens with tokens that are not known yet. So the rules are applied with an unknown item
//! at the end of the known ones. Whatever may join with it becomes unknown too. What stays known is
//! the same in every text that starts with this one.
//!
//! In reading order:
//!
//! 1. `joins_by_left`: which rules join a token with what may follow;
//! 2. `unknown_end`: the replay of rules with an unknown item at the end;
//! 3. `open_text`: the stable ids of a text that goes on;
//! 4. `stream`: a text in pieces.

mod joins_by_left;
mod open_text;
mod stream;
mod unknown_end;

pub use crate::encode::stable::open_text::OpenTextEncoder;
pub use crate::encode::stable::stream::EncodeStream;
