//! The cap on superwords.

use crate::model::Parameters;
use crate::pretokenize::is_unspaced_word;
use crate::train::engine::{TokenPair, TrainingToken, TrainingTokens};

/// Which supermerges a cap leaves.
///
/// Under a cap, words of scripts without spaces join only each other, and what they make does not
/// count. So they and all other superwords do not depend on each other, and a smaller cap takes
/// nothing from them. Without a cap all pairs are left.
pub(super) struct Cap {
    max_superwords: Option<usize>,
    superwords: usize,
}

impl Cap {
    pub(super) fn new(parameters: &Parameters) -> Cap {
        let cap = parameters.limits.max_superwords;
        let max_superwords = cap.map(|cap| cap.count(parameters.vocab_size));
        Cap { max_superwords, superwords: 0 }
    }

    /// Records that a supermerge has made a token that none had made before.
    pub(super) fn record_superword(&mut self, token: &[u8]) {
        self.superwords += usize::from(self.max_superwords.is_some() && !is_unspaced_word(token));
    }

    /// Returns whether a pair may be supermerged. A pair that may not is never allowed later.
    pub(super) fn allows(&self, tokens: &TrainingTokens, pair: TokenPair) -> bool {
        if self.max_superwords.is_none() {
            return true;
        }
        let right = tokens.bytes(pair.right);
        match (is_unspaced_word(tokens.bytes(pair.left)), is_unspaced_word(right)) {
            (false, false) => !self.is_reached(),
            (true, true) => !right.starts_with(b" "),
            _ => false,
        }
    }

    /// Returns whether some pair with a token may be supermerged.
    pub(super) fn allows_token(&self, tokens: &TrainingTokens, token: TrainingToken) -> bool {
        !self.is_reached() || is_unspaced_word(tokens.bytes(token))
    }

    fn is_reached(&self) -> bool {
        self.max_superwords.is_some_and(|max| self.superwords >= max)
    }
}
