//! What becomes of pretokens.
//!
//! Most pretokens of a text are found at once, in the one line of memory where they belong; looking
//! for them asks for that line first and decides nothing, so that many are looked for together.

use crate::encode::pretoken::encoding::Outcome;
use crate::platform::cpu::prefetch;
use crate::platform::hash::secret;
use crate::platform::huge_pages;
use crate::pretokenize::key::{Key, long_hash};

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    outcome: Outcome,
}

/// How many slots the processor fetches together.
const SLOTS: usize = 2;

/// Slots that the processor fetches together.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line([Slot; SLOTS]);

/// A hash table of pretokens.
pub(crate) struct Lexicon {
    /// A power of two, at most half of their slots in use; looked through from a key's hash on.
    lines: Vec<Line>,
    used: usize,
    /// The pretokens that do not fit a slot, each after its length.
    long: Vec<u8>,
}

impl Lexicon {
    /// An empty one that does not grow before it has so many pretokens.
    pub(crate) fn with_room(pretokens: usize) -> Lexicon {
        let lines = huge_pages::filled(Line::default(), pretokens.next_power_of_two());
        Lexicon { lines, used: 0, long: Vec::new() }
    }

    /// The same, with room for four times as many.
    pub(crate) fn roomy_copy(&self) -> Lexicon {
        let mut copy = Lexicon::with_room(4 * self.lines.len());
        copy.take_all(&self.lines);
        copy.long.clone_from(&self.long);
        copy
    }

    /// Forgets everything but what is in another.
    pub(crate) fn reset(&mut self, known: &Lexicon) {
        self.lines.fill(Line::default());
        self.used = 0;
        self.take_all(&known.lines);
        self.long.clone_from(&known.long);
    }

    /// How many bytes of memory the long pretokens take.
    pub(crate) fn long_bytes(&self) -> usize {
        self.long.len()
    }

    /// How many pretokens it has.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// What is looked at for most pretokens.
    #[inline(always)]
    pub(crate) fn view(&self) -> View<'_> {
        View { lines: &self.lines, mask: self.lines.len() - 1, secret: secret() }
    }

    /// What becomes of a pretoken that is longer than a key, if it is there.
    pub(crate) fn get_long(&self, pretoken: &[u8]) -> Option<Outcome> {
        let hash = long_hash(pretoken);
        let mut place = hash as usize & (self.lines.len() - 1);
        loop {
            for slot in &self.lines[place].0 {
                if slot.key.is_none() {
                    return None;
                }
                let is_it = |(other, at)| other == hash && self.long_at(at) == pretoken;
                if slot.key.as_long().is_some_and(is_it) {
                    return Some(slot.outcome);
                }
            }
            place = self.after(place);
        }
    }

    /// The long pretoken from there on.
    fn long_at(&self, at: usize) -> &[u8] {
        let (length, bytes) = self.long[at..].split_first_chunk().expect("its length");
        &bytes[..u32::from_le_bytes(*length) as usize]
    }

    /// Asks for the memory where a key is that is not in the place where it belongs.
    pub(crate) fn ask_after(&self, place: usize) {
        prefetch(&self.lines[self.after(place)]);
    }

    /// What becomes of the pretoken with a key that belongs in a place, if it is there or after it.
    /// It is then brought to where it belongs: all lines up to there are full, so that another one
    /// is found as well further on.
    pub(crate) fn fetch(&mut self, home: usize, key: Key) -> Option<Outcome> {
        let mut place = home;
        loop {
            for index in 0..SLOTS {
                let slot = self.lines[place].0[index];
                if slot.key == key {
                    if place != home {
                        self.lines[place].0[index] = self.lines[home].0[SLOTS - 1];
                        self.lines[home].0[SLOTS - 1] = slot;
                    }
                    return Some(slot.outcome);
                }
                if slot.key.is_none() {
                    return None;
                }
            }
            place = self.after(place);
        }
    }

    /// Whether a pretoken is there.
    pub(crate) fn has(&mut self, pretoken: &[u8]) -> bool {
        let found = match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => self.fetch(self.place(key), key),
            None => self.get_long(pretoken),
        };
        found.is_some()
    }

    /// Keeps what becomes of a pretoken.
    pub(crate) fn set(&mut self, pretoken: &[u8], outcome: Outcome) {
        match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => self.set_key(key, outcome),
            None => self.set_long(pretoken, outcome),
        }
    }

    /// Keeps what becomes of a pretoken that is longer than a key.
    pub(crate) fn set_long(&mut self, pretoken: &[u8], outcome: Outcome) {
        let key = Key::long(long_hash(pretoken), self.long.len());
        self.long.extend((pretoken.len() as u32).to_le_bytes());
        self.long.extend(pretoken);
        self.set_key(key, outcome);
    }

    /// Keeps what becomes of the pretoken with a key.
    pub(crate) fn set_key(&mut self, key: Key, outcome: Outcome) {
        if self.used == self.lines.len() {
            let larger = huge_pages::filled(Line::default(), 2 * self.lines.len());
            let lines = std::mem::replace(&mut self.lines, larger);
            self.used = 0;
            self.take_all(&lines);
        }
        self.take(Slot { key, outcome });
    }

    fn take_all(&mut self, lines: &[Line]) {
        for slot in lines.iter().flat_map(|line| &line.0) {
            if !slot.key.is_none() {
                self.take(*slot);
            }
        }
    }

    fn take(&mut self, new: Slot) {
        let mut place = self.place(new.key);
        loop {
            for slot in &mut self.lines[place].0 {
                if slot.key.is_none() {
                    *slot = new;
                    self.used += 1;
                    return;
                }
                if slot.key == new.key {
                    return;
                }
            }
            place = self.after(place);
        }
    }

    fn place(&self, key: Key) -> usize {
        match key.as_long() {
            Some((hash, _)) => hash as usize & (self.lines.len() - 1),
            None => self.view().place(key),
        }
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.lines.len() - 1)
    }
}

/// What is looked at for most pretokens.
#[derive(Clone, Copy)]
pub(crate) struct View<'l> {
    lines: &'l [Line],
    mask: usize,
    secret: u64,
}

impl View<'_> {
    #[inline(always)]
    fn place(self, key: Key) -> usize {
        key.hash(self.secret) as usize & self.mask
    }

    /// Where a key belongs. Asks for the memory of that place.
    #[inline(always)]
    pub(crate) fn ask(self, key: Key) -> usize {
        let place = self.place(key);
        prefetch(&self.lines[place]);
        place
    }

    /// The same for a pretoken that is longer than a key.
    #[cold]
    pub(crate) fn ask_long(self, pretoken: &[u8]) -> usize {
        let place = long_hash(pretoken) as usize & self.mask;
        prefetch(&self.lines[place]);
        place
    }

    /// What becomes of the pretoken with a key, if it is where it belongs, and whether it is. It may
    /// not be found next to another that begins like it.
    #[inline(always)]
    pub(crate) fn get_at(self, place: usize, key: Key) -> (Outcome, bool) {
        let Line(slots) = &self.lines[place];
        let slot = &slots[usize::from(slots[1].key.begins_like(key))];
        (slot.outcome, slot.key == key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn outcome(number: u32) -> Outcome {
        Outcome::plain([number], 0, &mut Vec::new())
    }

    /// As texts are looked up: where it belongs first, then elsewhere.
    fn get(lexicon: &mut Lexicon, pretoken: &[u8]) -> Option<u32> {
        let found = match Key::of(pretoken, 0, pretoken.len()) {
            Some(key) => {
                let place = lexicon.view().ask(key);
                match lexicon.view().get_at(place, key) {
                    (outcome, true) => Some(outcome),
                    _ => lexicon.fetch(place, key),
                }
            }
            None => lexicon.get_long(pretoken),
        };
        found.map(|outcome| outcome.data[0])
    }

    #[test]
    fn it_holds_what_a_hash_map_holds() {
        let pretoken = |number: u32| {
            let length = [1 + number as usize % 15, 16 + number as usize % 30];
            let bytes = number.to_le_bytes().into_iter().cycle();
            bytes.take(length[usize::from(number.is_multiple_of(5))]).collect::<Vec<u8>>()
        };
        let mut known = Lexicon::with_room(16);
        for number in 0..16 {
            known.set(&pretoken(number), outcome(number));
        }
        let mut lexicon = known.roomy_copy();
        let mut expected: HashMap<Vec<u8>, u32> = HashMap::new();
        for number in 0..20_000 {
            expected.entry(pretoken(number)).or_insert(number);
            if !lexicon.has(&pretoken(number)) {
                lexicon.set(&pretoken(number), outcome(number));
            }
            assert!(lexicon.has(&pretoken(number)) && lexicon.has(&pretoken(number)));
            // Looking one up moves others, and all must be found again.
            let other = pretoken(number / 2);
            assert_eq!(get(&mut lexicon, &other), expected.get(&other).copied());
        }
        assert_eq!(lexicon.len(), expected.len());
        for (pretoken, &number) in &expected {
            assert_eq!(get(&mut lexicon, pretoken), Some(number));
        }
        assert_eq!(get(&mut lexicon, b"neither short nor there"), None);
        lexicon.reset(&known);
        assert_eq!(lexicon.len(), known.len());
        for number in 0..100 {
            let found = get(&mut lexicon, &pretoken(number));
            assert_eq!(found.is_some(), known.has(&pretoken(number)));
        }
    }
}
