//! Finding added tokens in a text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::added_matches::{AddedMatch, AddedMatches, ReversedTokens};
use super::open_suffixes::OpenSuffixes;
use super::{TokenId, model_error};
use crate::Error;

/// Splits texts at added tokens. Of the tokens that start leftmost, the longest matches; matches do
/// not overlap.
#[derive(Clone, Debug)]
pub struct AddedTokenFinder {
    automaton: AhoCorasick,
    /// `None` if all tokens are short.
    reversed: Option<ReversedTokens>,
    open_suffixes: OpenSuffixes,
    ids: Vec<TokenId>,
    may_split_documents: bool,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment<'t> {
    /// Text between added tokens, which is not empty.
    Text(&'t str),
    /// An added token.
    Added {
        /// Its position in [`Model::added_tokens`](super::Model::added_tokens).
        position: usize,
        /// Its id.
        id: TokenId,
    },
}

impl AddedTokenFinder {
    /// Returns `None` if there are no tokens.
    ///
    /// # Errors
    /// When their texts have more than 2 GB.
    pub fn new(tokens: &[(TokenId, String)]) -> Result<Option<AddedTokenFinder>, Error> {
        if tokens.is_empty() {
            return Ok(None);
        }
        let refuse = |error| model_error(format!("the added tokens are too long: {error}"));
        // The memory of this kind is in proportion to the texts.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(tokens.iter().map(|(_, text)| text))
            .map_err(refuse)?;
        let texts = tokens.iter().map(|(_, text)| text.as_str());
        let reversed = ReversedTokens::new(texts).map_err(refuse)?;
        let is_apart = |byte: u8| byte != b'\n' && !byte.is_ascii_graphic();
        let may_split_documents = tokens.iter().all(|(_, text)| text.bytes().all(is_apart));
        let ids = tokens.iter().map(|&(id, _)| id).collect();
        let open_suffixes = OpenSuffixes::new(tokens.iter().map(|(_, text)| text.as_bytes()));
        let finder =
            AddedTokenFinder { automaton, reversed, open_suffixes, ids, may_split_documents };
        Ok(Some(finder))
    }

    /// Whether no added token has a character of a split point: a visible ASCII character, a newline
    /// or an ASCII letter. Then all around a split point is text between added tokens.
    pub(super) fn may_split_documents(&self) -> bool {
        self.may_split_documents
    }

    /// Whether a text contains a token.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.automaton.is_match(text)
    }

    /// Whether a text ends with the start of a longer token.
    pub(crate) fn starts_in(&self, text: &str) -> bool {
        !self.open_suffixes.find(text.as_bytes()).is_empty()
    }

    /// Returns how much of a text is split in the same way, whatever follows it. An added token may
    /// start in the rest.
    pub(crate) fn find_stable_len(&self, text: &str) -> usize {
        let suffixes = self.open_suffixes.find(text.as_bytes());
        let first_after = |end: usize| suffixes.iter().copied().find(|&start| start >= end);
        let Some(mut open) = first_after(0) else { return text.len() };
        for found in self.find_matches(text) {
            if open <= found.range.start {
                break;
            }
            let Some(next) = first_after(found.range.end) else { return text.len() };
            open = next;
        }
        open
    }

    fn find_matches<'f, 't>(&'f self, text: &'t str) -> AddedMatches<'f, 't> {
        AddedMatches::new(&self.automaton, self.reversed.as_ref(), text)
    }

    /// Splits a text into added tokens and the text between them.
    pub fn split<'t>(&self, text: &'t str) -> impl Iterator<Item = Segment<'t>> {
        let mut matches = self.find_matches(text).map(Some).chain([None]);
        let mut end = 0;
        let mut found = None;
        std::iter::from_fn(move || {
            if let Some(added) = found.take() {
                return Some(added);
            }
            let next = matches.next()?;
            let before = &text[end..next.as_ref().map_or(text.len(), |found| found.range.start)];
            let added = next.map(|AddedMatch { position, range }| {
                end = range.end;
                Segment::Added { position, id: self.ids[position] }
            });
            if before.is_empty() {
                return added;
            }
            found = added;
            Some(Segment::Text(before))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finder(texts: &[&str]) -> AddedTokenFinder {
        let tokens: Vec<_> =
            (300..).map(TokenId).zip(texts.iter().map(|&text| text.to_owned())).collect();
        AddedTokenFinder::new(&tokens).expect("short tokens").expect("some tokens")
    }

    /// The definition: at each position the longest token, or else one more character of text.
    fn split_slowly<'t>(texts: &[&str], text: &'t str) -> Vec<Segment<'t>> {
        let mut segments = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let matching = texts.iter().enumerate().filter(|(_, t)| text[at..].starts_with(**t));
            if let Some((position, token)) = matching.max_by_key(|(_, token)| token.len()) {
                if start < at {
                    segments.push(Segment::Text(&text[start..at]));
                }
                segments.push(Segment::Added { position, id: TokenId(300 + position as u32) });
                at += token.len();
                start = at;
            } else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        if start < text.len() {
            segments.push(Segment::Text(&text[start..]));
        }
        segments
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn the_leftmost_longest_token_matches(
            texts in prop::collection::hash_set("[ aé]{1,4}", 1..6),
            text in "[ aéb]{0,24}",
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found: Vec<_> = finder(&texts).split(&text).collect();
            prop_assert_eq!(found, split_slowly(&texts, &text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        /// Long tokens make the text be read backwards, and short ones match in between.
        #[test]
        fn the_leftmost_longest_of_long_tokens_matches(
            lengths in prop::collection::hash_set((1..400_usize, "[abé]{1,2}"), 1..6),
            text in prop::collection::vec((1..900_usize, "[abéc]{1,2}"), 0..12),
        ) {
            let tokens = ["a".to_owned(), "é".to_owned()].into_iter();
            let tokens = tokens.chain(lengths.iter().map(|(n, end)| "a".repeat(*n) + end));
            let tokens: std::collections::BTreeSet<String> = tokens.collect();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let text: String = text.iter().map(|(n, end)| "a".repeat(*n) + end).collect();
            let found: Vec<_> = finder(&tokens).split(&text).collect();
            prop_assert_eq!(found, split_slowly(&tokens, &text));
        }
    }

    #[test]
    fn documents_are_split_only_if_no_token_has_a_character_of_a_split_point() {
        assert!(finder(&["  ", "\t", "\u{a0}é"]).may_split_documents());
        for text in ["\n", " \n", "a", " .", "<tool>"] {
            assert!(!finder(&["  ", text]).may_split_documents(), "{text:?}");
        }
    }
}
