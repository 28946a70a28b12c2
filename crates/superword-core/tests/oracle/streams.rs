//! Texts that arrive in pieces, against the same texts as a whole.

use std::sync::Arc;

use superword_core::Error;
use superword_core::encode::EncodeStream;
use superword_core::model::{AddedTokenFinder, Segment, TokenId};

use super::choices::Choices;
use super::{Ids, Invented, define, unwrap_token};

/// Special tokens that occur in texts, some of them within others.
const SPECIAL: [&str; 6] = ["a b", " ", "ab", "b", "\n\n", "é1"];

impl Invented {
    /// Feeds a text to a stream in pieces, and compares the ids with the expected ones.
    pub(super) fn compare_streams(&self, choices: &mut Choices, text: &str, expected: &Ids) {
        let stream = EncodeStream::new(self.open_texts.clone(), None);
        self.compare_stream(choices, stream, text.as_bytes(), expected);
        match choices.below(4) {
            0 => self.compare_with_special_tokens(choices, text),
            1 => self.compare_bytes(choices, text),
            _ => {}
        }
    }

    fn compare_with_special_tokens(&self, choices: &mut Choices, text: &str) {
        let texts = SPECIAL.iter().filter(|_| choices.chance(50));
        let tokens: Vec<_> =
            (u32::MAX - 200..).map(TokenId).zip(texts.map(|&text| text.to_owned())).collect();
        let Some(finder) = AddedTokenFinder::new(&tokens).expect("short texts") else { return };
        let mut expected = Ok(Vec::new());
        for segment in finder.split(text) {
            let ids = match segment {
                Segment::Text(text) => define(&self.model, text),
                Segment::Added { id, .. } => Ok(vec![id.0]),
            };
            expected = expected.and_then(|before| Ok([before, ids?].concat()));
        }
        let stream = EncodeStream::new(self.open_texts.clone(), Some(Arc::new(finder)));
        self.compare_stream(choices, stream, text.as_bytes(), &expected);
    }

    /// Puts bytes that are not UTF-8 into a text.
    fn compare_bytes(&self, choices: &mut Choices, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..choices.between(1, 4) {
            let at = choices.below(bytes.len() + 1);
            bytes.insert(at, *choices.pick(&[0xFF, 0xC3, 0xE4, 0x80]));
        }
        let encoded = self.encoder.encode_bytes(&bytes, 1, &|| false);
        let expected = unwrap_token(encoded.map(|encoded| encoded.ids));
        let stream = EncodeStream::new(self.open_texts.clone(), None);
        self.compare_stream(choices, stream, &bytes, &expected);
    }

    fn compare_stream(
        &self,
        choices: &mut Choices,
        mut stream: EncodeStream,
        text: &[u8],
        expected: &Ids,
    ) {
        let pieces = cut(choices, text);
        let found = unwrap_token(feed_all(&mut stream, &pieces));
        assert!(
            found == *expected,
            "a stream differs\nmodel: {}\npieces: {:?}\nfound:    {found:?}\nexpected: {expected:?}",
            String::from_utf8_lossy(&self.model.to_json()),
            pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect::<Vec<_>>(),
        );
    }
}

/// Feeds pieces, and checks that the ids held back are what `peek` says they would be.
fn feed_all(stream: &mut EncodeStream, pieces: &[&[u8]]) -> Result<Vec<u32>, Error> {
    let mut ids = Vec::new();
    for piece in pieces {
        ids.extend(stream.feed(piece, &|| false)?);
    }
    let peeked = stream.peek(&|| false)?;
    let rest = stream.finish(&|| false)?;
    assert!(peeked == rest && stream.held_back().is_empty());
    ids.extend(rest);
    Ok(ids)
}

/// Cuts bytes at a few places, or everywhere.
fn cut<'t>(choices: &mut Choices, text: &'t [u8]) -> Vec<&'t [u8]> {
    if choices.chance(10) {
        return text.chunks(1).collect();
    }
    let count = choices.below(5);
    let mut cuts: Vec<usize> = (0..count).map(|_| choices.below(text.len() + 1)).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}
