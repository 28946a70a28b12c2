//! The ends of a text that may be the start of a token which is looked for.

use crate::platform::hash::FastMap;

/// The tokens as a tree of prefixes, in which each knows its longest suffix that is a prefix too.
#[derive(Clone, Debug)]
pub(super) struct OpenSuffixes {
    /// By prefix and byte: the prefix with that byte added. The empty prefix is number 0.
    longer: FastMap<(u32, u8), u32>,
    /// By prefix: its longest proper suffix that is a prefix.
    suffix: Vec<u32>,
    /// By prefix.
    byte_len: Vec<u32>,
    /// Whether a longer prefix starts with it.
    has_longer: Vec<bool>,
}

impl OpenSuffixes {
    /// Collects the prefixes of tokens.
    pub(super) fn new<'t>(tokens: impl Iterator<Item = &'t [u8]> + Clone) -> OpenSuffixes {
        let mut found = OpenSuffixes {
            longer: FastMap::default(),
            suffix: vec![0],
            byte_len: vec![0],
            has_longer: vec![false],
        };
        // Shorter prefixes first: then the suffixes of each are known.
        let mut ends: Vec<_> = tokens.map(|token| (token, 0)).collect();
        for length in 1.. {
            ends.retain(|(token, _)| token.len() >= length);
            if ends.is_empty() {
                break;
            }
            for (token, end) in &mut ends {
                *end = found.add(*end, token[length - 1]);
            }
        }
        found
    }

    /// Adds a byte to a prefix, and returns the result.
    fn add(&mut self, prefix: u32, byte: u8) -> u32 {
        if let Some(&known) = self.longer.get(&(prefix, byte)) {
            return known;
        }
        let suffix = if prefix == 0 { 0 } else { self.step(self.suffix[prefix as usize], byte) };
        let added = self.suffix.len() as u32;
        self.suffix.push(suffix);
        self.byte_len.push(self.byte_len[prefix as usize] + 1);
        self.has_longer.push(false);
        self.has_longer[prefix as usize] = true;
        self.longer.insert((prefix, byte), added);
        added
    }

    /// Returns the longest prefix that a text ends with, given that of the text without its last byte.
    fn step(&self, mut prefix: u32, byte: u8) -> u32 {
        loop {
            if let Some(&longer) = self.longer.get(&(prefix, byte)) {
                return longer;
            }
            if prefix == 0 {
                return 0;
            }
            prefix = self.suffix[prefix as usize];
        }
    }

    /// Returns the offsets, ascending, from which on the text is the start of a longer token.
    pub(super) fn find(&self, text: &[u8]) -> Vec<usize> {
        let longest = self.byte_len.last().map_or(0, |&length| length as usize);
        let start = text.len().saturating_sub(longest);
        let mut prefix = text[start..].iter().fold(0, |prefix, &byte| self.step(prefix, byte));
        let mut found = Vec::new();
        while prefix != 0 {
            if self.has_longer[prefix as usize] {
                found.push(text.len() - self.byte_len[prefix as usize] as usize);
            }
            prefix = self.suffix[prefix as usize];
        }
        found
    }
}
