//! The spans of the pretokens of one text.

use std::ops::Range;

use crate::Error;
use crate::pretokenize::pattern::Scanner;
use crate::pretokenize::regex_sequence::RegexSequenceSpans;
use crate::pretokenize::scanners::boundless::Boundless;
use crate::pretokenize::scanners::gpt2::Gpt2;
use crate::pretokenize::scanners::gpt4::Gpt4;
use crate::pretokenize::scanners::gpt4o::Gpt4o;
use crate::pretokenize::scanners::gpt4o_scripts::Gpt4oScripts;
use crate::pretokenize::scanners::portable::PortableScan;
use crate::pretokenize::scanners::punct::Punct;
use crate::pretokenize::scanners::scan::Scan;
use crate::pretokenize::scanners::superbpe::SuperBpeScan;

/// The spans of the pretokens of one text.
///
/// With a named pattern every item is `Ok`. A regex may give up; the error is then the last item.
pub struct Spans<'t>(Inner<'t>);

/// How far the pretokens of a text are known, whatever follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StableEnd {
    /// Up to here, the pretokens are those of every text that starts with this one.
    pub(crate) end: usize,
    /// No pretoken ends after `end` and before this offset.
    pub(crate) joined: usize,
    /// Whether the text from any offset between these two on has the same pretokens, but for the
    /// start of the first.
    pub(crate) is_divisible: bool,
}

/// The iterator of each scanner.
enum Inner<'t> {
    Gpt2(Scan<'t, Gpt2>),
    Gpt4(Scan<'t, Gpt4<true, false>>),
    Cl100k(Scan<'t, Gpt4<true, true>>),
    Qwen(Scan<'t, Gpt4<false, false>>),
    Gpt4o(Scan<'t, Gpt4o>),
    Gpt4oScripts(Scan<'t, Gpt4oScripts>),
    Punct(Scan<'t, Punct>),
    Boundless(Scan<'t, Boundless<true>>),
    BoundlessDraft(Scan<'t, Boundless<false>>),
    SuperBpe(SuperBpeScan<'t>),
    Portable(PortableScan<'t>),
    Regex(RegexSequenceSpans<'t>),
}

/// Matches an `Inner`, with one expression for all scanners that have blocks.
macro_rules! match_inner {
    ($inner:expr, $scan:ident => $blocks:expr, $whole:ident => $no_blocks:expr, $regex:ident => $other:expr) => {
        match $inner {
            Inner::Gpt2($scan) => $blocks,
            Inner::Gpt4($scan) => $blocks,
            Inner::Cl100k($scan) => $blocks,
            Inner::Qwen($scan) => $blocks,
            Inner::Gpt4o($scan) => $blocks,
            Inner::Gpt4oScripts($scan) => $blocks,
            Inner::Punct($scan) => $blocks,
            Inner::Boundless($scan) => $blocks,
            Inner::BoundlessDraft($scan) => $blocks,
            Inner::SuperBpe($whole) => $no_blocks,
            Inner::Portable($whole) => $no_blocks,
            Inner::Regex($regex) => $other,
        }
    };
}

impl<'t> Spans<'t> {
    pub(super) fn new(scanner: &'t Scanner, text: &'t str) -> Spans<'t> {
        Spans(match scanner {
            Scanner::Gpt2 => Inner::Gpt2(Scan::new(text)),
            Scanner::Gpt4 => Inner::Gpt4(Scan::new(text)),
            Scanner::Cl100k => Inner::Cl100k(Scan::new(text)),
            Scanner::Qwen => Inner::Qwen(Scan::new(text)),
            Scanner::Gpt4o => Inner::Gpt4o(Scan::new(text)),
            Scanner::Gpt4oScripts => Inner::Gpt4oScripts(Scan::new(text)),
            Scanner::Punct => Inner::Punct(Scan::new(text)),
            Scanner::Boundless => Inner::Boundless(Scan::new(text)),
            Scanner::BoundlessDraft => Inner::BoundlessDraft(Scan::new(text)),
            Scanner::SuperBpe => Inner::SuperBpe(SuperBpeScan::new(text)),
            Scanner::Portable => Inner::Portable(PortableScan::new(text)),
            Scanner::Regex(regex) => Inner::Regex(RegexSequenceSpans::new(regex, text)),
        })
    }

    /// Stops with [`Error::Interrupted`] once `is_interrupted` returns `true`, if a regex makes the
    /// pretokens. It is asked before each of them. Named patterns take no notice: they are fast.
    #[must_use]
    pub fn interrupted_by(self, is_interrupted: &'t (dyn Fn() -> bool + Sync)) -> Spans<'t> {
        match self.0 {
            Inner::Regex(spans) => Spans(Inner::Regex(spans.interrupted_by(is_interrupted))),
            _ => self,
        }
    }

    /// Calls `each` with an offset and a mask of the pretokens that end from there on: bit `i` is
    /// an end `i` bytes past the offset.
    ///
    /// # Errors
    /// When a regex gives up.
    pub(crate) fn for_each_block(self, mut each: impl FnMut(usize, u64)) -> Result<(), Error> {
        match_inner!(
            self.0,
            scan => scan.for_each_block(each),
            scan => scan.for_each(|span| each(span.end, 1)),
            spans => for span in spans {
                each(span?.end, 1);
            }
        );
        Ok(())
    }
}

impl Spans<'_> {
    /// Calls `each` as `for_each_block` does, with the pretokens that are the same in every text that
    /// starts with this one. A regex may look at all of the text, so none of its pretokens are known.
    pub(crate) fn for_each_stable_block(self, mut each: impl FnMut(usize, u64)) -> StableEnd {
        match_inner!(
            self.0,
            scan => scan.for_each_stable_block(each),
            scan => scan.for_each_stable(|span| each(span.end, 1)),
            _spans => StableEnd { end: 0, joined: 0, is_divisible: false }
        )
    }
}

impl Iterator for Spans<'_> {
    type Item = Result<Range<usize>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match_inner!(
            &mut self.0,
            scan => scan.next().map(Ok),
            scan => scan.next().map(Ok),
            spans => spans.next()
        )
    }

    /// `for_each` and others are built on this: one loop for each scanner, with no choice inside.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        match_inner!(
            self.0,
            scan => scan.fold(init, |b, span| f(b, Ok(span))),
            scan => scan.fold(init, |b, span| f(b, Ok(span))),
            spans => spans.fold(init, f)
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pretokenize::Pattern;
    use crate::pretokenize::SCRIPT_PATTERN;
    use crate::pretokenize::pattern::NAMED;
    use crate::pretokenize::scanners::{boundless, gpt4, portable, superbpe};

    /// All patterns that have scanners.
    fn patterns() -> Vec<Pattern> {
        let draft =
            format!("{}|.+", boundless::REGEX).replace(r"| ?(?:[\p{P}\p{S}]", r"|(?:[\p{P}\p{S}]");
        let named = NAMED.map(|(name, _)| name);
        let others =
            [gpt4::CL100K, gpt4::QWEN, superbpe::REGEX, portable::REGEX, &draft, SCRIPT_PATTERN];
        let sources = named.into_iter().chain(others);
        sources.map(|source| Pattern::new(source).expect("a pattern")).collect()
    }

    fn collect_ends(pattern: &Pattern, text: &str) -> Vec<usize> {
        pattern.spans(text).map(|span| span.expect("a scanner").end).collect()
    }

    /// One character of each class, and those that patterns name.
    fn texts(most: usize) -> impl Strategy<Value = String> {
        let characters: Vec<char> =
            "aaabAB  \t\n\r1234'’sSdtlLvreſ_/!.-中\u{e9}\u{301}\u{1c5}\u{a0}\
             \u{200b}٣😀\u{1}Жжคั語アー१।\u{200d}\u{1680}𝐛"
                .chars()
                .collect();
        prop_oneof![
            prop::collection::vec(prop::sample::select(characters.clone()), 0..most),
            // A run of one character, which a scanner may have to read to its end.
            (prop::sample::select(characters.clone()), 0..most, prop::sample::select(characters))
                .prop_map(|(first, count, last)| {
                    let mut run = vec![first; count];
                    run.push(last);
                    run
                }),
        ]
        .prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 3_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn no_continuation_moves_a_stable_end(start in texts(100), more in texts(8)) {
            for pattern in patterns() {
                let mut stable = Vec::new();
                let StableEnd { end, joined, is_divisible } = pattern.spans(&start).for_each_stable_block(
                    |base, mut ends| while ends != 0 {
                        stable.push(base + ends.trailing_zeros() as usize);
                        ends &= ends - 1;
                    },
                );
                prop_assert_eq!(stable.last().copied().unwrap_or(0), end);
                let all = collect_ends(&pattern, &format!("{start}{more}"));
                prop_assert_eq!(&all[..stable.len()], &stable, "{}", pattern.source());
                let inside = all.iter().find(|&&found| end < found && found < joined);
                prop_assert_eq!(inside, None, "{}", pattern.source());
                let longer = format!("{start}{more}");
                for at in (end..joined).filter(|&at| is_divisible && longer.is_char_boundary(at)) {
                    let later = collect_ends(&pattern, &longer[at..]);
                    let later = later.into_iter().map(|end| at + end);
                    prop_assert!(later.eq(all[stable.len()..].iter().copied()), "{at}");
                }
            }
        }
    }

    #[test]
    fn only_the_last_words_are_open() {
        for (name, text, expected) in [
            ("gpt4o", "one two", (3, 7, false)),
            ("gpt4o", "one two.", (7, 7, false)),
            ("gpt4o", "one 123", (7, 7, false)),
            ("gpt4o", "one don'", (3, 7, false)),
            ("boundless", "one 12345", (4, 4, false)),
            (SCRIPT_PATTERN, "one two", (3, 7, false)),
            (SCRIPT_PATTERN, "語語", (3, 6, false)),
            (SCRIPT_PATTERN, "語語 one", (6, 10, false)),
            ("gpt2", "one  ", (3, 4, false)),
            (superbpe::REGEX, "one two ", (0, 7, true)),
            (superbpe::REGEX, "one two!!", (7, 9, false)),
            (portable::REGEX, "one two 12345", (8, 8, false)),
            (portable::REGEX, "1 one two", (1, 9, true)),
            ("one|two", "one two", (0, 0, false)),
        ] {
            let pattern = Pattern::new(name).expect("a pattern");
            let found = pattern.spans(text).for_each_stable_block(|_, _| ());
            let found = (found.end, found.joined, found.is_divisible);
            assert_eq!(found, expected, "{name} {text:?}");
        }
    }
}
