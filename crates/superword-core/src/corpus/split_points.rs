//! Where a large document may be split into pieces.
//!
//! A split point lies between two lines: after a newline that follows a visible ASCII character,
//! and before an ASCII letter. No named pattern has a pretoken on both sides of such a point, so
//! the pieces have the same pretokens as the document. `pretokenize::Splitter` says whether a
//! pattern allows the split, and its tests check the claim.

use std::iter;
use std::ops::Range;

use memchr::memrchr_iter;

/// Splits a text into pieces of at most `size` bytes. A piece is larger only if it contains no
/// split point. An empty text is one empty piece.
pub(crate) fn split_into_pieces(text: &[u8], size: usize) -> impl Iterator<Item = Range<usize>> {
    let mut rest = Some(0..text.len());
    iter::from_fn(move || {
        let Range { start, end } = rest.take()?;
        let mut window = size;
        while window < end - start {
            if let Some(point) = last_split_point(&text[start..start + window]) {
                rest = Some(start + point..end);
                return Some(start..start + point);
            }
            window *= 2;
        }
        Some(start..end)
    })
}

/// Returns the offset of the last split point of a text.
pub(crate) fn last_split_point(text: &[u8]) -> Option<usize> {
    memrchr_iter(b'\n', text).map(|newline| newline + 1).find(|&at| {
        let around: Option<&[u8; 3]> =
            at.checked_sub(2).and_then(|from| text[from..].first_chunk());
        around.is_some_and(|[before, _, after]| {
            before.is_ascii_graphic() && after.is_ascii_alphabetic()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_split_points_and_cover_the_text() {
        let text = format!("{}{}{}", "one.\ntwo ".repeat(50), "x".repeat(300), "\nthree".repeat(9));
        let pieces: Vec<_> = split_into_pieces(text.as_bytes(), 40).collect();
        assert!(pieces.len() > 10 && pieces[0].start == 0);
        assert_eq!(pieces[pieces.len() - 1].end, text.len());
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert_eq!(last_split_point(&text.as_bytes()[..=pair[0].end]), Some(pair[0].end));
        }
        assert_eq!(split_into_pieces(b"", 40).collect::<Vec<_>>(), vec![Range::default()]);
    }

    #[test]
    fn a_split_point_is_between_two_lines() {
        assert_eq!(last_split_point(b"one.\ntwo\nthree"), Some(9));
        assert_eq!(last_split_point(b"one.\n\ntwo"), None);
        assert_eq!(last_split_point(b"one \ntwo"), None);
        assert_eq!(last_split_point(b"one\n2"), None);
        assert_eq!(last_split_point(b"\ntwo"), None);
        assert_eq!(last_split_point(b"one\n"), None);
    }
}
