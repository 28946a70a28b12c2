//! A text on its way to tokens, one group of pretokens at a time.

pub(super) mod apply;
pub(super) mod bits;
pub(super) mod group;
pub(super) mod text_encoder;
pub(super) mod write;
