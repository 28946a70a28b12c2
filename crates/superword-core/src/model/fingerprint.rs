//! A digest of everything that decides a model's ids.

use sha2::{Digest, Sha256};

use super::spelled::to_hex;
use super::{Model, SpelledRule, TokenId};

impl Model {
    /// SHA-256, in hexadecimal digits, of everything that decides the ids of a text.
    ///
    /// It covers the pattern and the eligibility with their Unicode tables, every token with its id,
    /// the rules without their counts, the special tokens, the added tokens and the looked-up tokens. It
    /// leaves out the other settings of training and the size of the corpus. A named pattern counts as
    /// its regex.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut digest = Fields(Sha256::new());
        digest.bytes(b"superword 1");
        digest.bytes(self.pattern().regex().as_bytes());
        digest.bytes(self.pattern_tables.tables.as_bytes());
        digest.bytes(self.eligibility().source().as_bytes());
        digest.bytes(self.eligible_tables.tables.as_bytes());
        digest.number(self.vocabulary.len());
        for (id, token) in self.vocabulary() {
            digest.number(id.0 as usize);
            digest.bytes(token);
        }
        digest.number(self.rules.len());
        for rule in &self.rules {
            match self.spelled(rule) {
                SpelledRule::Merge { left, right, .. } => digest.rule(0, &[left, right]),
                SpelledRule::Supermerge { left, right, .. } => digest.rule(1, &[left, right]),
                SpelledRule::Delete { parts, .. } => digest.rule(2, &parts),
            }
        }
        digest.texts(self.special_tokens());
        // Models without them have the digest that they had before there were added or looked-up tokens.
        if !self.added_tokens().is_empty() || self.lookup_count > 0 {
            digest.texts(self.added_tokens());
        }
        if self.lookup_count > 0 {
            digest.number(self.lookup_count);
            self.spell_lookup_tokens().for_each(|token| digest.bytes(token));
        }
        to_hex(&digest.0.finalize())
    }
}

/// A digest of fields. The length of each comes first, so that no two lists have the same digest.
struct Fields(Sha256);

impl Fields {
    fn number(&mut self, number: usize) {
        self.0.update((number as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    fn texts(&mut self, tokens: &[(TokenId, String)]) {
        self.number(tokens.len());
        for (id, text) in tokens {
            self.number(id.0 as usize);
            self.bytes(text.as_bytes());
        }
    }

    fn rule(&mut self, kind: usize, tokens: &[impl AsRef<[u8]>]) {
        self.number(kind);
        self.number(tokens.len());
        for token in tokens {
            self.bytes(token.as_ref());
        }
    }
}
