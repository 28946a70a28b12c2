//! Where a text can be cut without a trace.

use std::iter;
use std::ops::Range;

use memchr::memrchr_iter;

/// Cuts a text at seams into pieces of about this size, larger only where there is no seam. There
/// is one at least, even if the text is empty.
pub(crate) fn pieces(text: &[u8], size: usize) -> impl Iterator<Item = Range<usize>> {
    let mut rest = Some(0..text.len());
    iter::from_fn(move || {
        let Range { start, end } = rest.take()?;
        let mut room = size;
        while room < end - start {
            if let Some(seam) = last_seam(&text[start..start + room]) {
                rest = Some(start + seam..end);
                return Some(start..start + seam);
            }
            room *= 2;
        }
        Some(start..end)
    })
}

/// The last place at which a text may be cut, if there is one: the parts have the pretokens that
/// the whole has, in every named pattern, and the one before the cut is not eligible by default.
///
/// It is between a line's end, after a visible character of ASCII, and a letter of ASCII.
pub(crate) fn last_seam(text: &[u8]) -> Option<usize> {
    memrchr_iter(b'\n', text).map(|end| end + 1).find(|&at| {
        let is_seam =
            |around: [u8; 3]| around[0].is_ascii_graphic() && around[2].is_ascii_alphabetic();
        at >= 2 && text[at - 2..].first_chunk().is_some_and(|&around| is_seam(around))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pretokenize::gpt4::{CL100K, QWEN};
    use crate::pretokenize::{ELIGIBLE, Eligibility, NAMED, Pattern};

    fn pretokens<'t>(pattern: &'t Pattern, text: &'t str) -> Vec<&'t str> {
        let spans = pattern.spans(text);
        spans.map(|span| &text[span.expect("named patterns never fail")]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..Default::default() })]
        #[test]
        fn the_parts_have_the_pretokens_of_the_whole(
            text in "([aZ1.'_/]\n[bY]|[ \n\r\t]|[a-cA-C]{1,3}|[-.,/'’_1{]|é|\u{301}|\u{a0}|ß|中){0,12}",
        ) {
            let eligibility = Eligibility::new(ELIGIBLE).expect("well formed");
            for name in NAMED.map(|(name, _)| name).into_iter().chain([CL100K, QWEN]) {
                let pattern = Pattern::new(name).expect("it is named");
                let mut parts = Vec::new();
                let mut rest = text.as_str();
                while let Some(seam) = last_seam(rest.as_bytes()) {
                    parts.push(&rest[seam..]);
                    rest = &rest[..seam];
                }
                parts.push(rest);
                parts.reverse();
                let mut cut = Vec::new();
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        let before: &&str = cut.last().expect("a seam has text before it");
                        prop_assert!(!eligibility.has(before).expect("the default never fails"));
                    }
                    cut.extend(pretokens(&pattern, part));
                }
                prop_assert_eq!(cut, pretokens(&pattern, &text), "{}", name);
            }
        }
    }

    #[test]
    fn pieces_end_at_seams_and_leave_nothing_out() {
        let text = format!("{}{}{}", "one.\ntwo ".repeat(50), "x".repeat(300), "\nthree".repeat(9));
        let cut: Vec<_> = pieces(text.as_bytes(), 40).collect();
        assert!(cut.len() > 10 && cut[0].start == 0 && cut[cut.len() - 1].end == text.len());
        for pair in cut.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert_eq!(last_seam(&text.as_bytes()[..=pair[0].end]), Some(pair[0].end));
        }
        assert_eq!((pieces(b"", 40).next(), pieces(b"", 40).count()), (Some(0..0), 1));
    }

    #[test]
    fn a_seam_is_between_lines() {
        assert_eq!(last_seam(b"one.\ntwo\nthree"), Some(9));
        assert_eq!(last_seam(b"one.\n\ntwo"), None);
        assert_eq!(last_seam(b"one \ntwo"), None);
        assert_eq!(last_seam(b"one\n2"), None);
        assert_eq!(last_seam(b"\ntwo"), None);
        assert_eq!(last_seam(b"one\n"), None);
    }
}
