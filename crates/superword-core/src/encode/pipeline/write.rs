//! The tokens of a group, appended to the output.

use crate::encode::pipeline::bits::{bits, lowest};
use crate::encode::pipeline::group::WORD_BITS;
use crate::encode::pipeline::text_encoder::TextEncoder;
use crate::encode::pretoken::encoding::{IN_CACHE, IN_MODEL, PretokenEncoding, SPILLED, WORDS};
use crate::encode::supermerge::table::OpenUnit;
use crate::platform::lanes::with_bit;

impl<const SIZE: usize> TextEncoder<'_, SIZE> {
    /// Writes the first `count` encodings of the group.
    #[inline(always)]
    pub(crate) fn write_first<const AVX512: bool>(&mut self, count: usize) {
        let mut next = 1;
        for start in (1..=count).step_by(WORD_BITS) {
            let kinds = self.group.kinds[start..].first_chunk().expect("a word of kinds");
            let spilled =
                with_bit::<AVX512>(kinds, SPILLED.trailing_zeros()) & lowest(count + 1 - start);
            for index in bits(spilled) {
                write_inline(self.out, &self.group.encodings[next..start + index]);
                self.write_spilled(self.group.encodings[start + index]);
                next = start + index + 1;
            }
        }
        write_inline(self.out, &self.group.encodings[next..=count]);
    }

    /// Writes an encoding whose tokens are not inline.
    fn write_spilled(&mut self, encoding: PretokenEncoding) {
        let spilled = match encoding.kind {
            IN_MODEL => &self.encoder.pretokens.spilled,
            IN_CACHE => &self.cache.spilled,
            _ => return self.write_unit(encoding.unit()),
        };
        self.out.extend_from_slice(encoding.tokens_in(spilled));
    }

    /// Writes an open unit.
    pub(crate) fn write_unit(&mut self, unit: OpenUnit) {
        self.encoder.supermerges.append_tokens(unit, self.out);
    }
}

/// Writes encodings whose tokens are inline. All words of an encoding are written, and the next
/// encoding overwrites those that are not tokens, so that no branch depends on their number.
#[inline(always)]
fn write_inline(out: &mut Vec<u32>, encodings: &[PretokenEncoding]) {
    out.reserve(encodings.len() * WORDS);
    let (words, mut used) = (out.as_mut_ptr(), out.len());
    for encoding in encodings {
        // SAFETY: `reserve` has made room for `WORDS` words of each encoding, and each one before has
        // used at most as many.
        unsafe { words.add(used).cast::<[u32; WORDS]>().write(encoding.words()) };
        used += encoding.count();
    }
    // SAFETY: the loop has written all words up to `used`, which is within the capacity.
    unsafe { out.set_len(used) };
}
