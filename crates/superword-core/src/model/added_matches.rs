//! The matches of added tokens in a text, in linear time.
//!
//! The automaton that finds the leftmost longest token reads on while a longer one may follow. If none
//! does, it reads the same text again after the match: with the tokens `a` and `aaa...ab`, as often as
//! there are letters. That costs at most the length of the longest token for each match. So where long
//! tokens make it cost more than a few times the text, the text is read backwards instead, in windows:
//! the reversed automaton tells at each position the longest token that starts there.

use std::ops::Range;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind};

/// Up to this length of the longest token, reading text again costs little.
const MAX_SHORT_TOKEN: usize = 64;

/// How often all text may be read again on average, before it is read backwards.
const MAX_REREADS: usize = 4;

/// The bytes of a window that is read backwards, at least.
const MIN_WINDOW: usize = 1 << 12;

/// An added token in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AddedMatch {
    /// Its position in the list of tokens.
    pub(super) position: usize,
    pub(super) range: Range<usize>,
}

/// Finds at each position of a text the longest token that starts there.
#[derive(Clone, Debug)]
pub(super) struct ReversedTokens {
    automaton: NFA,
    lengths: Vec<usize>,
    max_length: usize,
}

impl ReversedTokens {
    /// Returns `None` if all tokens are short.
    ///
    /// # Errors
    /// When the tokens are too long together.
    pub(super) fn new<'a>(
        tokens: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Option<ReversedTokens>, aho_corasick::BuildError> {
        let lengths: Vec<usize> = tokens.clone().map(str::len).collect();
        let max_length = lengths.iter().copied().max().unwrap_or(0);
        if max_length <= MAX_SHORT_TOKEN {
            return Ok(None);
        }
        let reversed = tokens.map(|token| token.bytes().rev().collect::<Vec<u8>>());
        let automaton = NFA::builder().match_kind(MatchKind::Standard).build(reversed)?;
        Ok(Some(ReversedTokens { automaton, lengths, max_length }))
    }

    /// Returns the longest token that starts at each position of a window.
    fn find_longest(&self, text: &[u8], window: Range<usize>) -> Vec<Option<u32>> {
        let mut longest = vec![None; window.len()];
        let end = text.len().min(window.end + self.max_length);
        let Ok(mut state) = self.automaton.start_state(Anchored::No) else { return longest };
        for at in (window.start..end).rev() {
            state = self.automaton.next_state(Anchored::No, state, text[at]);
            if at < window.end && self.automaton.is_match(state) {
                // The token that the state spells comes first; its suffixes, which are shorter, follow.
                let token = self.automaton.match_pattern(state, 0);
                longest[at - window.start] = Some(token.as_u32());
            }
        }
        longest
    }
}

/// The matches in a text: of the tokens that start leftmost, the longest; they do not overlap.
pub(super) struct AddedMatches<'f, 't> {
    automaton: &'f AhoCorasick,
    reversed: Option<&'f ReversedTokens>,
    text: &'t str,
    at: usize,
    /// The bytes that may have been read again so far.
    reread: usize,
    /// The tokens that start at each position from `window_start` on.
    window: Vec<Option<u32>>,
    window_start: usize,
}

impl<'f, 't> AddedMatches<'f, 't> {
    pub(super) fn new(
        automaton: &'f AhoCorasick,
        reversed: Option<&'f ReversedTokens>,
        text: &'t str,
    ) -> AddedMatches<'f, 't> {
        let (window, window_start) = (Vec::new(), 0);
        AddedMatches { automaton, reversed, text, at: 0, reread: 0, window, window_start }
    }

    /// Finds the next match in windows that are read backwards.
    fn find_backwards(&mut self, reversed: &ReversedTokens) -> Option<AddedMatch> {
        while self.at < self.text.len() {
            if self.at >= self.window_start + self.window.len() {
                let size = (4 * reversed.max_length).max(MIN_WINDOW);
                let end = self.text.len().min(self.at + size);
                self.window_start = self.at;
                self.window = reversed.find_longest(self.text.as_bytes(), self.at..end);
            }
            let start = self.at;
            match self.window[start - self.window_start] {
                None => self.at += 1,
                Some(token) => {
                    let position = token as usize;
                    self.at = start + reversed.lengths[position];
                    return Some(AddedMatch { position, range: start..self.at });
                }
            }
        }
        None
    }
}

impl Iterator for AddedMatches<'_, '_> {
    type Item = AddedMatch;

    fn next(&mut self) -> Option<AddedMatch> {
        if let Some(reversed) = self.reversed {
            if self.reread > MAX_REREADS * self.at + MIN_WINDOW {
                return self.find_backwards(reversed);
            }
            self.reread += reversed.max_length;
        }
        let found = self.automaton.find(Input::new(self.text).span(self.at..self.text.len()))?;
        self.at = found.end();
        Some(AddedMatch { position: found.pattern().as_usize(), range: found.range() })
    }
}
