//! One text on its way to tokens.

use crate::encode::Encoder;
use crate::encode::pipeline::bits::bits;
use crate::encode::pipeline::group::{GROUP, Group};
use crate::encode::pretoken::cache::{self, Cache};
use crate::encode::pretoken::encoding::{CACHED, Outcome};
#[cfg(target_arch = "x86_64")]
use crate::platform::cpu::has_x86_64_v3;
use crate::pretokenize::key::Key;

/// A text being encoded.
///
/// Pretokens go through in groups, each step in a loop of its own: such loops are short, and wait
/// for memory together.
pub(crate) struct Run<'r> {
    pub(crate) encoder: &'r Encoder,
    text: &'r [u8],
    pub(crate) cache: &'r mut Cache,
    /// Where the tokens go.
    pub(crate) out: &'r mut Vec<u32>,
    pub(crate) group: Box<Group>,
    /// How many pretokens the group has, and how many of them are looked up already: those that may
    /// be joined with what comes next.
    pub(crate) size: usize,
    pub(crate) carried: usize,
    #[cfg(target_arch = "x86_64")]
    is_modern: bool,
}

/// Of how many pretokens a group may get the ends at once.
const MORE: usize = u64::BITS as usize;

/// How many ends are written without a decision: blocks of text hardly ever have more.
const USUAL: usize = 16;

/// Among how many places a new pretoken of a group is looked for before it is worked out.
const MET: usize = 64;

impl<'r> Run<'r> {
    /// The tokens go to the end of `out`.
    pub(crate) fn new(
        encoder: &'r Encoder,
        text: &'r str,
        cache: &'r mut Cache,
        out: &'r mut Vec<u32>,
    ) -> Run<'r> {
        cache.pending.clear();
        cache.make_room(&encoder.known);
        let mut group = cache.group.take().unwrap_or_else(Group::new);
        group.cuts[0] = 0;
        group.set(0, Outcome::default());
        Run {
            encoder,
            text: text.as_bytes(),
            cache,
            out,
            group,
            size: 0,
            carried: 0,
            #[cfg(target_arch = "x86_64")]
            is_modern: has_x86_64_v3(),
        }
    }

    /// Takes the next pretokens, which end in the text where bits are set, from a place on.
    #[inline]
    pub(crate) fn add(&mut self, base: usize, ends: u64) {
        #[cfg(target_arch = "x86_64")]
        if self.is_modern {
            // SAFETY: the processor is modern.
            unsafe { self.collect_modern(base, ends) };
        } else {
            self.collect(base, ends);
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.collect(base, ends);
        if self.size > GROUP - MORE {
            self.encode(false);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn collect_modern(&mut self, base: usize, ends: u64) {
        self.collect(base, ends);
    }

    #[inline(always)]
    fn collect(&mut self, base: usize, mut ends: u64) {
        let count = ends.count_ones() as usize;
        let cuts = &mut self.group.cuts[self.size + 1..][..MORE];
        for cut in &mut cuts[..USUAL] {
            *cut = base + ends.trailing_zeros() as usize;
            ends &= ends.wrapping_sub(1);
        }
        if ends != 0 {
            for (cut, end) in cuts[USUAL..].iter_mut().zip(bits(ends)) {
                *cut = base + end;
            }
        }
        self.size += count;
    }

    /// Writes what is left at the end of the text.
    pub(crate) fn finish(mut self) {
        self.encode(true);
        self.flush();
        self.cache.shrink();
        self.cache.group = Some(self.group);
    }

    /// Encodes the pretokens collected, but for those that may be joined with what comes next.
    fn encode(&mut self, is_last: bool) {
        #[cfg(target_arch = "x86_64")]
        if self.is_modern {
            // SAFETY: the processor is modern.
            return unsafe { self.encode_group_modern(is_last) };
        }
        self.encode_group(is_last);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn encode_group_modern(&mut self, is_last: bool) {
        self.encode_group(is_last);
    }

    #[inline(always)]
    fn encode_group(&mut self, is_last: bool) {
        self.ask();
        let missing = self.meet();
        if missing > 0 {
            self.look_up(missing);
        }
        let last = self.group.outcomes[self.size];
        let mut joined = self.find_joined();
        if !self.cache.pending.is_empty() {
            self.go_on(&mut joined);
        }
        let open = if is_last { 0 } else { self.open_end(&joined) };
        let settled = self.size - open;
        self.settle(&joined, settled);
        self.write_first(settled);
        self.carry(settled, last);
        self.cache.make_room(&self.encoder.known);
    }

    /// Asks for the memory that says what becomes of the pretokens.
    #[inline(always)]
    fn ask(&mut self) {
        let Run { text, cache, group, .. } = self;
        let Group { cuts, keys, places, .. } = &mut **group;
        let (text, lexicon) = (*text, cache.lexicon.view());
        let mut start = cuts[self.carried];
        let ends = &cuts[self.carried + 1..=self.size];
        let pretokens = ends.iter().zip(&mut keys[self.carried..]).zip(&mut places[self.carried..]);
        for ((&end, asked), place) in pretokens {
            let key = Key::of(text, start, end);
            *place = match key {
                Some(key) => lexicon.ask(key) as u32,
                None => lexicon.ask_long(&text[start..end.min(start + cache::LONGEST)]) as u32,
            };
            *asked = key.unwrap_or(Key::NONE);
            start = end;
        }
    }

    /// Finds out what becomes of most pretokens; keeps the others, and says how many.
    #[inline(always)]
    fn meet(&mut self) -> usize {
        let Run { cache, group, .. } = self;
        let Group { keys, places, outcomes, kinds, missing: list, .. } = &mut **group;
        let lexicon = cache.lexicon.view();
        let mut missing = 0;
        let carried = self.carried;
        let pretokens = keys[carried..self.size].iter().zip(&places[carried..]);
        let found = outcomes[carried + 1..].iter_mut().zip(&mut kinds[carried + 1..]);
        for (index, ((&key, &place), (outcome, kind))) in pretokens.zip(found).enumerate() {
            let (there, is_there) = lexicon.get_at(place as usize, key);
            *outcome = there;
            *kind = there.kind as u8;
            list[missing % GROUP] = (carried + index) as u32;
            missing += usize::from(!is_there);
        }
        missing
    }

    /// Finds out what becomes of the pretokens that were not where they belong.
    #[inline(always)]
    fn look_up(&mut self, missing: usize) {
        for &index in &self.group.missing[..missing] {
            self.cache.lexicon.ask_after(self.group.places[index as usize] as usize);
        }
        let (mut new, mut again) = (0, 0);
        let mut met = [None; MET];
        for place in 0..missing {
            let index = self.group.missing[place];
            let home = self.group.places[index as usize] as usize;
            let first = &mut met[home % MET];
            if let Some(outcome) = self.find(index as usize, home) {
                self.group.set(index as usize + 1, outcome);
            } else if let Some(first) = first.filter(|&first| self.is_same(first, index)) {
                self.group.again[again] = (first, index);
                again += 1;
            } else {
                *first = Some(index);
                self.group.missing[new] = index;
                new += 1;
            }
        }
        if new > 0 {
            self.work_out(new);
        }
        for place in 0..again {
            let (first, index) = self.group.again[place];
            self.group.set(index as usize + 1, self.group.outcomes[first as usize + 1]);
        }
    }

    /// What becomes of a pretoken of the group that is not in the place where it belongs, if it is
    /// anywhere.
    #[inline(always)]
    fn find(&mut self, index: usize, home: usize) -> Option<Outcome> {
        let key = self.group.keys[index];
        if key == Key::NONE {
            self.cache.lexicon.get_long(self.pretoken(index))
        } else {
            self.cache.lexicon.fetch(home, key)
        }
    }

    /// Whether two pretokens of the group are the same.
    #[inline(always)]
    fn is_same(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one as usize, other as usize];
        self.group.keys[one] == self.group.keys[other] && self.pretoken(one) == self.pretoken(other)
    }

    /// A pretoken of the group.
    #[inline(always)]
    fn pretoken(&self, index: usize) -> &'r [u8] {
        &self.text[self.group.cuts[index]..self.group.cuts[index + 1]]
    }

    /// Works out what becomes of new pretokens.
    #[inline(always)]
    fn work_out(&mut self, new: usize) {
        let Run { encoder, text, cache, group, .. } = self;
        let Group { cuts, keys, outcomes, kinds, missing, .. } = &mut **group;
        let Cache { lexicon, lists, pieces, shorts, .. } = &mut **cache;
        for some in missing[..new].chunks(shorts.len()) {
            let pretoken = |&index: &u32| &text[cuts[index as usize]..cuts[index as usize + 1]];
            encoder.words.take_turns(shorts, some.iter().map(pretoken));
            for (index, short) in some.iter().zip(&*shorts) {
                let pretoken = pretoken(index);
                let outcome = if encoder.words.is_short(pretoken) {
                    Outcome::plain(short.tokens(), CACHED, lists)
                } else {
                    encoder.words.run(pretoken, pieces, |_| ());
                    Outcome::plain(pieces.items().map(|piece| piece.token), CACHED, lists)
                };
                let key = keys[*index as usize];
                if key != Key::NONE {
                    lexicon.set_key(key, outcome);
                } else if pretoken.len() <= cache::LONGEST {
                    lexicon.set_long(pretoken, outcome);
                }
                outcomes[*index as usize + 1] = outcome;
                kinds[*index as usize + 1] = outcome.kind as u8;
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::model::{Model, Parameters, Rule, TokenIndex, Training};
    use crate::pretokenize::ELIGIBLE;

    /// Letters that are merged, and words that are joined.
    fn model() -> Model {
        let parameters = Parameters {
            pattern: "gpt4o".to_owned(),
            eligible: ELIGIBLE.to_owned(),
            supermerges: true,
            deletion: None,
            tau: 0.9,
            min_count: 2,
            vocab_size: 300,
            second_stage: None,
        };
        let (space, a, b) = (u32::from(b' '), u32::from(b'a'), u32::from(b'b'));
        let rules = [
            Rule::Merge { left: space, right: a, token: 256, count: 9 },
            Rule::Merge { left: space, right: b, token: 257, count: 8 },
            Rule::Merge { left: 256, right: b, token: 258, count: 7 },
            Rule::Supermerge { left: 256, right: 257, token: 259, count: 6 },
            Rule::Supermerge { left: 259, right: 258, token: 260, count: 5 },
            Rule::Supermerge { left: 257, right: 257, token: 261, count: 4 },
        ];
        let rules = rules.into_iter().map(|rule| rule.renumber(TokenIndex)).collect();
        let more = [" a", " b", " ab", " a b", " a b ab", " b b"];
        let bytes = (0..=u8::MAX).map(|byte| Box::from([byte]));
        let tokens = bytes.chain(more.map(|token| Box::from(token.as_bytes()))).collect();
        Model::new(parameters, tokens, rules, Vec::new(), Training::default()).expect("a model")
    }

    #[test]
    fn an_old_processor_encodes_as_a_modern_one() {
        let encoder = Encoder::new(&model()).expect("an encoder");
        let words = [" a", " b", " ab", " b", " a b ab", " new", " words\n", " é", " 中文字"];
        let text: String =
            (0..9000_usize).map(|i| words[(i * i / 7 + i / 5) % words.len()]).collect();
        let mut cache = encoder.take_cache();
        let mut ids = Vec::new();
        let mut run = Run::new(&encoder, &text, &mut cache, &mut ids);
        run.is_modern = false;
        let scanned = encoder.pattern.spans(&text).for_each_block(|base, ends| run.add(base, ends));
        run.finish();
        scanned.expect("a named pattern does not fail");
        assert_eq!(ids, encoder.encode(&text).expect("a text"));
        assert!(ids.contains(&260) && ids.contains(&261));
    }
}
