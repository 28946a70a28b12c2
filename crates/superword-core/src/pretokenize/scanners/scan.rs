//! Scanning a text with a named pattern: block by block where the masks decide, pretoken by
//! pretoken where they do not.

use std::ops::Range;

use crate::platform::cpu::{CpuLevel, prefetch};
use crate::pretokenize::simd::ascii_masks::AsciiMasks;
use crate::pretokenize::simd::block::{Block, REACH, Starts, WIDTH};
use crate::pretokenize::spans::StableEnd;
use crate::pretokenize::unicode::class::{BLANK, ClassSet, LETTER, PUNCT, Text};

/// The prefetch distance in bytes. Callers may work long on each pretoken, and then the processor
/// does not notice that the text is read in order.
const PREFETCH_DISTANCE: usize = 1024;

/// The fewest bytes at the end of a text that are read as a block.
const MIN_PADDED: usize = 12;

/// A named pattern, written twice: as the branches of its regex in order, and as rules on masks.
/// The two must agree; the tests compare them.
pub(crate) trait Grammar: Default {
    /// Returns the end of the pretoken that starts at `at`, which is before the end of the text.
    ///
    /// Offsets rise from call to call, so a grammar may remember the text that it has looked at.
    fn find_end(&mut self, text: &Text, at: usize) -> usize;

    /// Returns how far the pretoken that starts at `at` is known to reach, whatever follows the text;
    /// `at` if nothing is known. By default, through letters after at most one space.
    fn find_joined_end(text: &Text, at: usize) -> usize {
        let first = skip_blank(text, at);
        let end = text.skip_run(first, LETTER);
        if end > first { end } else { find_run_end(text, at, first) }
    }

    /// Finds the starts of pretokens in the block at `at`. One starts at its first byte.
    fn find_starts(&self, block: &mut Block, at: usize) -> Starts;
}

/// Skips a space, if there is one.
pub(crate) fn skip_blank(text: &Text, at: usize) -> usize {
    at + usize::from(text.byte(at) == Some(b' '))
}

/// Returns how far a run of punctuation from `first` on, or of spaces from `at` on, is in one pretoken
/// in every pattern; `at` if it is neither. A single punctuation mark may belong to the word that
/// follows, and so may the last of several spaces.
pub(crate) fn find_run_end(text: &Text, at: usize, first: usize) -> usize {
    let end = text.skip_run(first, ClassSet::of(&[PUNCT]));
    if end > text.peek(first).1 {
        return end;
    }
    let blanks = text.skip_run(at, ClassSet::of(&[BLANK]));
    if blanks > at { blanks - 1 } else { at }
}

/// The spans of the pretokens of one text.
pub(crate) struct Scan<'t, G> {
    text: Text<'t>,
    grammar: G,
    /// The start of the next pretoken.
    at: usize,
    /// The offset of bit 0 of `starts`.
    block_start: usize,
    /// Starts of pretokens that were found but not yet returned.
    starts: u64,
    /// No block starts before this offset, because the masks could not decide the text before it.
    blocks_from: usize,
    /// Whether the last bytes are read as a block, too. Then `text` does not notice that its end was read.
    pads_end: bool,
    #[cfg_attr(
        not(all(target_arch = "x86_64", not(superword_portable))),
        expect(dead_code, reason = "always the base")
    )]
    level: CpuLevel,
}

impl<'t, G: Grammar> Scan<'t, G> {
    /// Starts at the beginning of the text.
    pub(crate) fn new(text: &'t str) -> Scan<'t, G> {
        Scan {
            text: Text::new(text),
            grammar: G::default(),
            at: 0,
            block_start: 0,
            starts: 0,
            blocks_from: 0,
            pads_end: true,
            level: CpuLevel::detected(),
        }
    }

    /// Scans by the branches of the regex alone.
    #[cfg(test)]
    fn without_blocks(text: &'t str) -> Scan<'t, G> {
        Scan { blocks_from: usize::MAX, ..Scan::new(text) }
    }

    /// Calls `each` with an offset and a mask of the pretokens that end from there on: bit `i` is
    /// an end `i` bytes past the offset.
    #[inline]
    pub(crate) fn for_each_block(mut self, mut each: impl FnMut(usize, u64)) {
        while let Some((start, ends)) = self.next_block() {
            each(start, ends);
        }
    }

    /// Does the same for the pretokens that are the same in every text that starts with this one, and
    /// returns where they end. A block reads no end of a text, so only `find_end` can.
    #[inline]
    pub(crate) fn for_each_stable_block(mut self, mut each: impl FnMut(usize, u64)) -> StableEnd {
        self.pads_end = false;
        loop {
            let end = self.at;
            let block = self.next_block();
            if self.text.is_end_read() {
                let joined = G::find_joined_end(&self.text, end);
                return StableEnd { end, joined, is_divisible: false };
            }
            let Some((start, ends)) = block else {
                return StableEnd { end, joined: end, is_divisible: false };
            };
            each(start, ends);
        }
    }

    /// Returns the next offset and the mask of the pretokens that end from there on.
    #[inline(always)]
    fn next_block(&mut self) -> Option<(usize, u64)> {
        if self.starts == 0 {
            if self.at == self.text.bytes.len() {
                return None;
            }
            self.fill();
        }
        if self.starts == 0 {
            self.at = self.grammar.find_end(&self.text, self.at);
            return Some((self.at, 1));
        }
        let block = (self.block_start, self.starts);
        self.at = self.block_start + self.starts.ilog2() as usize;
        self.starts = 0;
        Some(block)
    }

    /// Finds the starts in the next block, if the text has a whole one, or enough of one.
    #[inline]
    fn fill(&mut self) {
        if self.at < self.blocks_from {
            return;
        }
        let rest = &self.text.bytes[self.at..];
        let Some(bytes) = rest.first_chunk() else { return self.fill_padded(rest.len()) };
        if let Some(ahead) = self.text.bytes.get(self.at + PREFETCH_DISTANCE) {
            prefetch(ahead);
        }
        self.read(bytes);
    }

    /// Finds the starts in the last bytes of the text, as far as no rule looks beyond it.
    ///
    /// Rules look up to four bytes ahead, and to the end of white space. No rule names a zero byte. In a
    /// text of 100 characters, a third of the time went to its end.
    #[inline(never)]
    fn fill_padded(&mut self, len: usize) {
        if !self.pads_end || len < MIN_PADDED {
            return;
        }
        let rest = &self.text.bytes[self.at..];
        let is_white = |&byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let white = rest.iter().rev().take_while(|byte| is_white(byte)).count();
        let mut padded = [0; WIDTH];
        padded[..len].copy_from_slice(rest);
        self.read(&padded);
        let end = (len - white).min(len - (WIDTH - REACH as usize));
        self.starts &= (1 << end) - 1;
        self.blocks_from = usize::MAX;
    }

    /// Finds the starts in a block. This is the one place that chooses between the code for x86-64-v4, that
    /// for x86-64-v3, and that for all processors.
    #[inline(always)]
    fn read(&mut self, bytes: &[u8; WIDTH]) {
        #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
        match self.level {
            CpuLevel::Base => {}
            // SAFETY: the processor has the instructions of x86-64-v3.
            CpuLevel::V3 => return unsafe { self.read_block_v3(bytes) },
            // SAFETY: the processor has the instructions of x86-64-v4.
            CpuLevel::V4 => return unsafe { self.read_block_v4(bytes) },
        }
        self.read_block(bytes);
    }

    /// Not inlined: it uses all registers, and the loop around it needs some.
    #[inline(never)]
    fn read_block(&mut self, bytes: &[u8; WIDTH]) {
        let ascii = AsciiMasks::new(bytes);
        if ascii.high == 0 { self.read_ascii(bytes, &ascii) } else { self.read_any(bytes, &ascii) }
    }

    /// `read_block`, compiled for x86-64-v3.
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn read_block_v3(&mut self, bytes: &[u8; WIDTH]) {
        let ascii = AsciiMasks::with_avx2(bytes);
        if ascii.high == 0 {
            self.read_ascii(bytes, &ascii);
        } else {
            self.read_any_v3(bytes, &ascii);
        }
    }

    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn read_any_v3(&mut self, bytes: &[u8; WIDTH], ascii: &AsciiMasks) {
        self.read_any(bytes, ascii);
    }

    /// `read_block`, compiled for x86-64-v4.
    #[cfg(all(target_arch = "x86_64", not(superword_portable)))]
    #[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn read_block_v4(&mut self, bytes: &[u8; WIDTH]) {
        let ascii = AsciiMasks::with_avx512(bytes);
        if ascii.high == 0 {
            self.read_ascii(bytes, &ascii);
        } else {
            self.read_any_v3(bytes, &ascii);
        }
    }

    /// Most blocks are ASCII, and the compiler simplifies the rules for them.
    #[inline(always)]
    fn read_ascii(&mut self, bytes: &[u8; WIDTH], ascii: &AsciiMasks) {
        self.apply_rules(Block::from_ascii(rest_of(&self.text, self.at, bytes), ascii));
    }

    #[inline(always)]
    fn read_any(&mut self, bytes: &[u8; WIDTH], ascii: &AsciiMasks) {
        let rest = rest_of(&self.text, self.at, bytes);
        self.apply_rules(Block::new(rest, &self.text, self.at, ascii));
    }

    #[inline(always)]
    fn apply_rules(&mut self, mut block: Block) {
        let found = self.grammar.find_starts(&mut block, self.at);
        self.block_start = self.at;
        self.starts = found.mask;
        if found.is_cut_short || found.mask == 0 {
            self.blocks_from = self.at + WIDTH;
        }
    }
}

/// Returns the text from a block on, or the padded block that ends it.
#[inline(always)]
fn rest_of<'b>(text: &Text<'b>, at: usize, block: &'b [u8; WIDTH]) -> &'b [u8] {
    let rest = &text.bytes[at..];
    if rest.len() < WIDTH { block } else { rest }
}

impl<G: Grammar> Iterator for Scan<'_, G> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        if self.starts == 0 {
            if self.at == self.text.bytes.len() {
                return None;
            }
            self.fill();
        }
        let start = self.at;
        if self.starts == 0 {
            self.at = self.grammar.find_end(&self.text, start);
        } else {
            self.at = self.block_start + self.starts.trailing_zeros() as usize;
            self.starts &= self.starts - 1;
        }
        Some(start..self.at)
    }

    /// The same as a loop over `next`, block by block.
    #[inline]
    fn fold<B, F: FnMut(B, Range<usize>) -> B>(mut self, init: B, mut f: F) -> B {
        let mut start = self.at;
        let mut result = init;
        while let Some((block_start, mut ends)) = self.next_block() {
            while ends != 0 {
                let end = block_start + ends.trailing_zeros() as usize;
                result = f(result, start..end);
                start = end;
                ends &= ends - 1;
            }
        }
        result
    }
}

#[cfg(test)]
mod tests;
