//! Outcomes on their way to where the tokens go.

use crate::encode::pipeline::bits::{bits, lowest, with_bit};
use crate::encode::pipeline::group::PART;
use crate::encode::pipeline::text_encoder::Run;
use crate::encode::pretoken::encoding::{CACHED, ELSEWHERE, LISTED, Outcome, WORDS};
use crate::encode::supermerge::table::Unit;

impl Run<'_> {
    /// Writes the first few outcomes of the group.
    #[inline(always)]
    pub(crate) fn write_first(&mut self, count: usize) {
        let mut next = 1;
        for start in (1..=count).step_by(PART) {
            let kinds = self.group.kinds[start..].first_chunk().expect("a part");
            let elsewhere = with_bit(kinds, ELSEWHERE.trailing_zeros()) & lowest(count + 1 - start);
            for index in bits(elsewhere) {
                hold(self.out, &self.group.outcomes[next..start + index]);
                self.write(self.group.outcomes[start + index]);
                next = start + index + 1;
            }
        }
        hold(self.out, &self.group.outcomes[next..=count]);
    }

    /// Writes an outcome that does not hold its tokens.
    fn write(&mut self, outcome: Outcome) {
        match outcome.kind {
            LISTED => self.out.extend_from_slice(outcome.list(&self.encoder.lists)),
            CACHED => self.out.extend_from_slice(outcome.list(&self.cache.lists)),
            _ => self.write_unit(outcome.unit()),
        }
    }

    /// Writes a unit.
    pub(crate) fn write_unit(&mut self, unit: Unit) {
        if unit.fickle == 0 {
            self.out.push(unit.token);
        } else {
            self.out.extend_from_slice(&self.encoder.phrases.fickle(unit.fickle).tokens);
        }
    }
}

/// Adds the tokens that some outcomes hold. All words of an outcome are written, and the next go
/// over those that are no tokens: so nothing depends on how many they are.
#[inline(always)]
fn hold(out: &mut Vec<u32>, outcomes: &[Outcome]) {
    out.reserve(outcomes.len() * WORDS);
    let mut used = out.len();
    for outcome in outcomes {
        // SAFETY: there is room for all words of all outcomes, of which at most these were used.
        unsafe { out.as_mut_ptr().add(used).cast::<[u32; WORDS]>().write(outcome.words()) };
        used += outcome.count();
    }
    // SAFETY: all tokens up to there have been written.
    unsafe { out.set_len(used) };
}
