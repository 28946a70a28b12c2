//! The way of a text from pretokens to tokens, one group of pretokens at a time.
//!
//! Each step is a short loop over the whole group, so that the processor waits for the memory of many
//! pretokens at once. In reading order:
//!
//! 1. [`text_encoder`]: the loop over groups, and the lookup of pretokens;
//! 2. [`group`]: the arrays of a group;
//! 3. [`apply`]: supermerges on a group;
//! 4. [`write`](mod@write): the tokens of a group, appended to the output;
//! 5. [`bits`]: sets of indices, as bits;
//! 6. [`dispatch`]: AVX-512, AVX2 or portable code.

pub(super) mod apply;
pub(super) mod bits;
pub(super) mod dispatch;
pub(super) mod group;
pub(super) mod text_encoder;
pub(super) mod write;
