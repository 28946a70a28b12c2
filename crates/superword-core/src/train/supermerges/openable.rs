//! The pretokens that are open at some time.

use crate::count::Counted;
use crate::count::pretoken_map::Table;
use crate::train::engine::token::{TokenId, Tokens};
use crate::train::merges::Step;

/// The eligible pretokens that merges make one token, and those that are one from the start.
pub(crate) struct Openable {
    /// The tokens of the pretokens.
    pub(crate) tokens: Table<u64>,
    /// Those of a single byte.
    pub(crate) at_once: Vec<TokenId>,
    /// All of them, in the order in which they first open.
    pub(crate) words: Vec<TokenId>,
}

impl Openable {
    /// What the steps open of what was counted.
    pub(crate) fn new(counted: &Counted, tokens: &Tokens, steps: &[Step]) -> Openable {
        let bytes = (0..256).filter(|&byte| counted.has_eligible(&[byte as u8]));
        let at_once: Vec<_> = bytes.collect();
        let opened = steps.iter().filter(|step| step.opens).map(|step| step.token);
        let mut openable =
            Openable { tokens: Table::new(), words: Vec::new(), at_once: at_once.clone() };
        for token in at_once.into_iter().chain(opened) {
            let bytes = tokens.bytes(token);
            if counted.has_eligible(bytes) && openable.tokens.find(bytes).is_none() {
                openable.tokens.set(bytes, u64::from(token));
                openable.words.push(token);
            }
        }
        openable
    }
}
