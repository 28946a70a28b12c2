//! What both kinds of learning share: sequences of tokens, counts of pairs, replacing.

pub(crate) mod occurrences;
pub(crate) mod pairs;
pub(crate) mod replace;
pub(crate) mod sequence;
pub(crate) mod token;
pub(crate) mod units;
pub(crate) mod vocabulary;
