//! Walking a text with a named pattern: block by block where the masks decide, pretoken by
//! pretoken where they do not.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::platform::cpu::has_x86_64_v3;
use crate::platform::cpu::prefetch;
use crate::pretokenize::simd::ascii::Ascii;
use crate::pretokenize::simd::block::{Block, Starts, WIDTH};
use crate::pretokenize::unicode::class::Text;

/// How far ahead memory is asked for: what is done with pretokens may take long, and then nobody
/// else sees that the text is read on.
const AHEAD: usize = 1024;

/// A named pattern, written out twice: the branches of its regex in order, and the same as rules
/// on masks. The two must agree; the tests compare them.
pub(super) trait Grammar: Default {
    /// Where the pretoken that starts at `at`, before the end of the text, ends.
    ///
    /// Called with places in rising order, so that what was seen ahead may be remembered.
    fn end(&mut self, text: Text, at: usize) -> usize;

    /// Where pretokens start in the block at `at`, of which one starts at its first byte.
    fn starts(&self, block: &mut Block, at: usize) -> Starts;
}

/// The spans of the pretokens of one text.
pub(super) struct Scan<'t, G> {
    text: Text<'t>,
    grammar: G,
    /// Where the next pretoken starts.
    at: usize,
    /// The place that bit 0 of `starts` stands for.
    base: usize,
    /// Starts of pretokens found but not yet given out.
    starts: u64,
    /// No block begins before this place: the masks did not get past what stands before it.
    blocks_from: usize,
    #[cfg(target_arch = "x86_64")]
    is_modern: bool,
}

impl<'t, G: Grammar> Scan<'t, G> {
    /// Starts at the beginning of the text.
    pub(super) fn new(text: &'t str) -> Scan<'t, G> {
        Scan {
            text: Text::new(text),
            grammar: G::default(),
            at: 0,
            base: 0,
            starts: 0,
            blocks_from: 0,
            #[cfg(target_arch = "x86_64")]
            is_modern: has_x86_64_v3(),
        }
    }

    /// The same without blocks: the slow twin.
    #[cfg(test)]
    pub(super) fn without_blocks(text: &'t str) -> Scan<'t, G> {
        Scan { blocks_from: usize::MAX, ..Scan::new(text) }
    }

    /// Calls `each` with a place in the text, and where pretokens end from there on: bit `i` stands
    /// for `i` bytes further.
    #[inline]
    pub(super) fn for_each_block(mut self, mut each: impl FnMut(usize, u64)) {
        while let Some((base, ends)) = self.next_block() {
            each(base, ends);
        }
    }

    /// The next place in the text, and where pretokens end from there on.
    #[inline(always)]
    fn next_block(&mut self) -> Option<(usize, u64)> {
        if self.starts == 0 {
            if self.at == self.text.bytes.len() {
                return None;
            }
            self.fill();
        }
        if self.starts == 0 {
            self.at = self.grammar.end(self.text, self.at);
            return Some((self.at, 1));
        }
        let block = (self.base, self.starts);
        self.at = self.base + self.starts.ilog2() as usize;
        self.starts = 0;
        Some(block)
    }

    /// Looks for starts in the next block, if there is a whole one.
    #[inline]
    fn fill(&mut self) {
        if self.at < self.blocks_from {
            return;
        }
        let Some(bytes) = self.text.bytes[self.at..].first_chunk() else { return };
        if let Some(ahead) = self.text.bytes.get(self.at + AHEAD) {
            prefetch(ahead);
        }
        #[cfg(target_arch = "x86_64")]
        if self.is_modern {
            // SAFETY: the processor is modern.
            return unsafe { self.read_block_modern(bytes) };
        }
        self.read_block(bytes);
    }

    /// Not inlined: it uses every register, and the loop around it needs some.
    #[inline(never)]
    fn read_block(&mut self, bytes: &[u8; WIDTH]) {
        let ascii = Ascii::of(bytes);
        if ascii.high == 0 { self.read_ascii(&ascii) } else { self.read_any(&ascii) }
    }

    /// The same on a modern processor.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn read_block_modern(&mut self, bytes: &[u8; WIDTH]) {
        let ascii = Ascii::of_modern(bytes);
        if ascii.high == 0 { self.read_ascii(&ascii) } else { self.read_any_modern(&ascii) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn read_any_modern(&mut self, ascii: &Ascii) {
        self.read_any(ascii);
    }

    /// Most blocks are ASCII, for which the compiler leaves out much.
    #[inline(always)]
    fn read_ascii(&mut self, ascii: &Ascii) {
        self.read(Block::ascii(&self.text.bytes[self.at..], ascii));
    }

    #[inline(always)]
    fn read_any(&mut self, ascii: &Ascii) {
        self.read(Block::new(self.text, self.at, ascii));
    }

    #[inline(always)]
    fn read(&mut self, mut block: Block) {
        let found = self.grammar.starts(&mut block, self.at);
        self.base = self.at;
        self.starts = found.mask;
        if found.odd || found.mask == 0 {
            self.blocks_from = self.at + WIDTH;
        }
    }
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
            self.at = self.grammar.end(self.text, start);
        } else {
            self.at = self.base + self.starts.trailing_zeros() as usize;
            self.starts &= self.starts - 1;
        }
        Some(start..self.at)
    }

    /// The same as a loop over `next`, block by block.
    #[inline]
    fn fold<B, F: FnMut(B, Range<usize>) -> B>(mut self, init: B, mut f: F) -> B {
        let mut start = self.at;
        let mut result = init;
        while let Some((base, mut ends)) = self.next_block() {
            while ends != 0 {
                let end = base + ends.trailing_zeros() as usize;
                result = f(result, start..end);
                start = end;
                ends &= ends - 1;
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pretokenize::scanners::boundless::Boundless;
    use crate::pretokenize::scanners::gpt2::Gpt2;
    use crate::pretokenize::scanners::gpt4::Gpt4;
    use crate::pretokenize::scanners::gpt4o::Gpt4o;
    use crate::pretokenize::scanners::punct::Punct;

    /// Pieces that meet in ways that matter: cases, marks, digits, quotes, line ends, and what
    /// has two, three and four bytes. Letters and spaces come often, so that blocks get far.
    const PIECES: [&str; 48] = [
        "a", "b", "the", "The", "XML", "Http", "s", "S", "ll", "VE", "re", " ", " ", " ", " ",
        "  ", "\t", "\n", "\n", "\r\n", "\n\n", "_", "'", "'", "'s", "'t", "'Ll", "’", "’s", "1",
        "23", "456", "7890", "!", "-", "/", "\u{301}", "\u{e9}", "\u{c9}", "\u{1c5}", "中",
        "\u{a0}", "\u{200b}", "٣", "😀", "ſ", "\u{1}", "Ж",
    ];

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            // Mostly what the masks decide alone, so that the odd piece comes at any place.
            8 => prop::sample::select(&PIECES[..36]),
            1 => prop::sample::select(&PIECES[..]),
        ];
        prop::collection::vec(piece, 0..160).prop_map(|pieces| pieces.concat())
    }

    fn check<G: Grammar>(text: &str) -> Result<(), TestCaseError> {
        let fast: Vec<_> = Scan::<G>::new(text).collect();
        let slow: Vec<_> = Scan::<G>::without_blocks(text).collect();
        prop_assert_eq!(&fast, &slow);
        let folded = Scan::<G>::new(text).fold(Vec::new(), |mut spans, span| {
            spans.push(span);
            spans
        });
        prop_assert_eq!(&folded, &slow);
        #[cfg(target_arch = "x86_64")]
        {
            let old: Vec<_> = Scan::<G> { is_modern: false, ..Scan::new(text) }.collect();
            prop_assert_eq!(&old, &slow);
        }
        prop_assert!(slow.windows(2).all(|pair| pair[0].end == pair[1].start));
        Ok(())
    }

    fn check_all(text: &str) -> Result<(), TestCaseError> {
        check::<Gpt2>(text)?;
        check::<Gpt4<true, false>>(text)?;
        check::<Gpt4<true, true>>(text)?;
        check::<Gpt4<false, false>>(text)?;
        check::<Gpt4o>(text)?;
        check::<Punct>(text)?;
        check::<Boundless<true>>(text)?;
        check::<Boundless<false>>(text)
    }

    /// Such things lie ahead of what they change: each was once split in the wrong place.
    #[test]
    fn what_lies_ahead_in_a_run_is_seen_from_its_start() {
        let digits = "7".repeat(200);
        for piece in [&digits, "\n  \u{a0}\n", "1234٣", "12341\u{301}", "_foo's", "a'b'c", "!\n/\n"]
        {
            for lead in 0..60 {
                let text = format!("{} {piece} {}", "ab ".repeat(lead / 3), "x ".repeat(60));
                check_all(&text[lead % 3..]).expect("blocks agree with the branches");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 3000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn blocks_agree_with_the_branches(text in texts()) {
            check_all(&text)?;
        }
    }
}
