//! Several regexes in a row: each splits the pieces of the one before it.

use std::ops::Range;

use crate::Error;
use crate::control::never;
use crate::pretokenize::regex::{Regex, RegexSpans};

/// What separates the regexes in a pattern. No regex can contain it outside a class: the engine
/// refuses the unknown flag, and so do versions that know no sequences.
const THEN: &str = "(?then)";

/// One regex or more. A regex after the first sees each piece as a text of its own.
#[derive(Clone, Debug)]
pub(super) struct RegexSequence(Vec<Regex>);

impl RegexSequence {
    /// Compiles the regexes of a pattern.
    pub(super) fn new(source: &str) -> Result<RegexSequence, Error> {
        let mut start = 0;
        let compile = |part: &str| {
            let offset = start;
            start += part.chars().count() + THEN.chars().count();
            Regex::new(part).map_err(|error| match error {
                Error::PatternSyntax { position, reason } => {
                    Error::PatternSyntax { position: offset + position, reason }
                }
                other => other,
            })
        };
        source.split(THEN).map(compile).collect::<Result<_, _>>().map(RegexSequence)
    }
}

/// The spans of the pretokens of one text.
pub(super) struct RegexSequenceSpans<'t> {
    regexes: &'t [Regex],
    text: &'t str,
    /// The pieces that are being split, each inside the one before it.
    pieces: Vec<SplitPiece<'t>>,
    /// Whether to stop with an error. A regex may take long for each pretoken.
    is_interrupted: &'t (dyn Fn() -> bool + Sync),
}

/// A piece of a text, and the spans in it.
struct SplitPiece<'t> {
    start: usize,
    spans: RegexSpans<'t>,
}

impl<'t> RegexSequenceSpans<'t> {
    pub(super) fn new(sequence: &'t RegexSequence, text: &'t str) -> RegexSequenceSpans<'t> {
        let RegexSequence(regexes) = sequence;
        let whole = SplitPiece { start: 0, spans: RegexSpans::new(&regexes[0], text) };
        RegexSequenceSpans { regexes, text, pieces: vec![whole], is_interrupted: &never }
    }

    /// Stops with an error once `is_interrupted` returns `true`.
    pub(super) fn interrupted_by(
        self,
        is_interrupted: &'t (dyn Fn() -> bool + Sync),
    ) -> RegexSequenceSpans<'t> {
        RegexSequenceSpans { is_interrupted, ..self }
    }
}

impl Iterator for RegexSequenceSpans<'_> {
    type Item = Result<Range<usize>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let piece = self.pieces.last_mut()?;
            if (self.is_interrupted)() {
                self.pieces.clear();
                return Some(Err(Error::Interrupted));
            }
            let span = match piece.spans.next() {
                None => {
                    self.pieces.pop();
                    continue;
                }
                Some(Err(Error::PatternGaveUp { at, limit })) => {
                    let at = piece.start + at;
                    self.pieces.clear();
                    return Some(Err(Error::PatternGaveUp { at, limit }));
                }
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(span)) => piece.start + span.start..piece.start + span.end,
            };
            match self.regexes.get(self.pieces.len()) {
                None => return Some(Ok(span)),
                Some(regex) => self.pieces.push(SplitPiece {
                    start: span.start,
                    spans: RegexSpans::new(regex, &self.text[span]),
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pattern: &str, text: &str) -> Vec<String> {
        let sequence = RegexSequence::new(pattern).expect("regexes");
        let spans = RegexSequenceSpans::new(&sequence, text);
        spans.map(|span| text[span.expect("a span")].to_owned()).collect()
    }

    #[test]
    fn each_regex_splits_the_pieces_of_the_one_before() {
        assert_eq!(split(r"\d{1,3}(?then)[a-z]+", "ab1234c d"), ["ab", "123", "4", "c", " ", "d"]);
        // The blank is at the end of its piece, though a digit follows it in the text.
        assert_eq!(split(r"\d(?then) ?\w+|\s+(?!\S)|\s", "a  1"), ["a", "  ", "1"]);
        assert_eq!(split(r"\d|\w+|\s+(?!\S)|\s", "a  1"), ["a", " ", " ", "1"]);
        assert_eq!(split("b(?then)a+(?then)aa", "aaabaa"), ["aa", "a", "b", "aa"]);
    }

    #[test]
    fn the_position_of_an_error_counts_the_regexes_before() {
        let Err(Error::PatternSyntax { position, .. }) = RegexSequence::new("é+(?then)a(b") else {
            panic!("an error with a position");
        };
        assert!(position >= 9, "{position}");
    }

    #[test]
    fn an_interrupt_ends_the_spans_inside_a_text() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let sequence = RegexSequence::new("(?=(a+)+b)a").expect("a regex");
        let text = format!("{}b", "a".repeat(1000));
        let asked = AtomicUsize::new(0);
        let is_interrupted = || asked.fetch_add(1, Ordering::Relaxed) == 7;
        let spans = RegexSequenceSpans::new(&sequence, &text).interrupted_by(&is_interrupted);
        let spans: Vec<_> = spans.collect();
        assert_eq!(spans.len(), 8);
        assert!(matches!(spans[7], Err(Error::Interrupted)));
    }
}
