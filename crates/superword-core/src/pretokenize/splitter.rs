//! A pattern and an eligibility rule, with which training and encoding split documents.

use crate::Error;
use crate::corpus::ReadOptions;
use crate::pretokenize::{Eligibility, Pattern};

/// Splits documents into pretokens, and tells which of them are eligible for supermerges.
#[derive(Clone, Debug)]
pub struct Splitter {
    pattern: Pattern,
    eligibility: Eligibility,
}

impl Splitter {
    /// Compiles a pattern, which is a name or a regex, and the regex of eligible pretokens.
    ///
    /// # Errors
    /// When a regex is malformed.
    pub fn new(pattern: &str, eligible: &str) -> Result<Splitter, Error> {
        let (pattern, eligibility) = (Pattern::new(pattern)?, Eligibility::new(eligible)?);
        Ok(Splitter { pattern, eligibility })
    }

    /// The pattern that splits a document into pretokens.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The rule for which pretokens are eligible.
    #[must_use]
    pub fn eligibility(&self) -> &Eligibility {
        &self.eligibility
    }

    /// Whether the pieces of a document have the same pretokens and the same pairs of eligible
    /// neighbours as the whole: the pretoken before a split point must not be eligible.
    pub(crate) fn may_split_documents(&self) -> bool {
        self.pattern.may_split_documents() && self.eligibility.is_default()
    }

    /// Returns how to read a corpus that is split this way.
    pub(crate) fn read_options(&self, threads: usize) -> ReadOptions {
        let split_documents = self.may_split_documents();
        ReadOptions { split_documents, ..ReadOptions::whole_documents(threads) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::last_split_point;
    use crate::pretokenize::scanners::gpt4::{CL100K, QWEN};
    use crate::pretokenize::{ELIGIBLE, NAMED};

    fn pretokens<'t>(pattern: &'t Pattern, text: &'t str) -> Vec<&'t str> {
        let spans = pattern.spans(text);
        spans.map(|span| &text[span.expect("named patterns never fail")]).collect()
    }

    /// Splits a text at every split point.
    fn split(text: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(point) = last_split_point(rest.as_bytes()) {
            pieces.push(&rest[point..]);
            rest = &rest[..point];
        }
        pieces.push(rest);
        pieces.reverse();
        pieces
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..Default::default() })]
        #[test]
        fn pieces_have_the_pretokens_of_the_whole(
            text in "([aZ1.'_/]\n[bY]|[ \n\r\t]|[a-cA-C]{1,3}|[-.,/'’_1{]|é|\u{301}|\u{a0}|ß|中){0,12}",
        ) {
            for name in NAMED.map(|(name, _)| name).into_iter().chain([CL100K, QWEN]) {
                let splitter = Splitter::new(name, ELIGIBLE).expect("well formed");
                prop_assert!(splitter.may_split_documents());
                let mut found: Vec<&str> = Vec::new();
                for piece in split(&text) {
                    if let Some(before) = found.last() {
                        let is_eligible = splitter.eligibility().has(before);
                        prop_assert!(!is_eligible.expect("the default rule never fails"));
                    }
                    found.extend(pretokens(splitter.pattern(), piece));
                }
                prop_assert_eq!(found, pretokens(splitter.pattern(), &text), "{}", name);
            }
        }
    }
}
