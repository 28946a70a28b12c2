//! The spans of the pretokens of one text.

use std::ops::Range;

use crate::Error;
use crate::pretokenize::pattern::Scanner;
use crate::pretokenize::regex::RegexSpans;
use crate::pretokenize::scanners::boundless::Boundless;
use crate::pretokenize::scanners::gpt2::Gpt2;
use crate::pretokenize::scanners::gpt4::Gpt4;
use crate::pretokenize::scanners::gpt4o::Gpt4o;
use crate::pretokenize::scanners::punct::Punct;
use crate::pretokenize::scanners::scan::Scan;
use crate::pretokenize::scanners::superbpe::SuperBpeScan;

/// The spans of the pretokens of one text.
///
/// With a named pattern every item is `Ok`. A regex may give up; the error is then the last item.
pub struct Spans<'t>(Inner<'t>);

/// The iterator of each scanner.
enum Inner<'t> {
    Gpt2(Scan<'t, Gpt2>),
    Gpt4(Scan<'t, Gpt4<true, false>>),
    Cl100k(Scan<'t, Gpt4<true, true>>),
    Qwen(Scan<'t, Gpt4<false, false>>),
    Gpt4o(Scan<'t, Gpt4o>),
    Punct(Scan<'t, Punct>),
    Boundless(Scan<'t, Boundless<true>>),
    BoundlessDraft(Scan<'t, Boundless<false>>),
    SuperBpe(SuperBpeScan<'t>),
    Regex(RegexSpans<'t>),
}

/// Matches an `Inner`, with one expression for all scanners that have blocks.
macro_rules! match_inner {
    ($inner:expr, $scan:ident => $blocks:expr, $superbpe:ident => $no_blocks:expr, $regex:ident => $other:expr) => {
        match $inner {
            Inner::Gpt2($scan) => $blocks,
            Inner::Gpt4($scan) => $blocks,
            Inner::Cl100k($scan) => $blocks,
            Inner::Qwen($scan) => $blocks,
            Inner::Gpt4o($scan) => $blocks,
            Inner::Punct($scan) => $blocks,
            Inner::Boundless($scan) => $blocks,
            Inner::BoundlessDraft($scan) => $blocks,
            Inner::SuperBpe($superbpe) => $no_blocks,
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
            Scanner::Punct => Inner::Punct(Scan::new(text)),
            Scanner::Boundless => Inner::Boundless(Scan::new(text)),
            Scanner::BoundlessDraft => Inner::BoundlessDraft(Scan::new(text)),
            Scanner::SuperBpe => Inner::SuperBpe(SuperBpeScan::new(text)),
            Scanner::Regex(regex) => Inner::Regex(RegexSpans::new(regex, text)),
        })
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
