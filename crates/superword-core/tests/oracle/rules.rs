//! The rules of an invented model.

use std::borrow::Cow;
use std::collections::HashMap;

use superword_core::model::{Deletion, SpelledRule, TokenId};
use superword_core::{Eligibility, Pattern};

use super::choices::Choices;

type Token = usize;

/// A pretoken of the sample, or a superword.
struct Unit {
    tokens: Vec<Token>,
    is_eligible: bool,
    is_superword: bool,
}

impl Unit {
    fn open_token(&self) -> Option<Token> {
        match self.tokens[..] {
            [token] if self.is_eligible || self.is_superword => Some(token),
            _ => None,
        }
    }
}

/// How a token came about.
#[derive(Clone, Copy, Default)]
struct Presence {
    /// It may stand in a pretoken now.
    is_merged: bool,
    /// It might once.
    was_merged: bool,
    is_superword: bool,
    /// The first merge that made it.
    first_pair: Option<[Token; 2]>,
}

/// Draws rules one after the other, and applies each to a sample text.
pub(crate) struct RuleBuilder {
    pub(crate) tokens: Vec<Vec<u8>>,
    by_bytes: HashMap<Vec<u8>, Token>,
    presence: Vec<Presence>,
    pub(crate) rules: Vec<SpelledRule<'static>>,
    pub(crate) lookup_tokens: Vec<Vec<u8>>,
    last_merge: Option<[Token; 2]>,
    sample: Vec<Unit>,
    /// Whether rules may name deleted tokens, as those of imported models may.
    may_name_deleted: bool,
}

impl RuleBuilder {
    pub(crate) fn new(
        choices: &mut Choices,
        sample: &str,
        pattern: &str,
        eligible: &str,
        is_imported: bool,
    ) -> RuleBuilder {
        let pattern = Pattern::new(pattern).expect("a valid pattern");
        let eligibility = Eligibility::new(eligible).expect("a valid regex");
        let units = pattern.spans(sample).map(|span| {
            let pretoken = &sample[span.expect("a simple regex")];
            Unit {
                tokens: pretoken.bytes().map(Token::from).collect(),
                is_eligible: eligibility.has(pretoken).expect("a simple regex"),
                is_superword: false,
            }
        });
        let tokens: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let by_bytes = tokens.iter().cloned().zip(0..).collect();
        let missing_percent = if is_imported && choices.chance(30) { 5 } else { 0 };
        let presence = tokens.iter().map(|_| {
            let is_listed = missing_percent == 0 || !choices.chance(missing_percent);
            Presence { is_merged: is_listed, was_merged: is_listed, ..Presence::default() }
        });
        RuleBuilder {
            presence: presence.collect(),
            tokens,
            by_bytes,
            rules: Vec::new(),
            lookup_tokens: Vec::new(),
            last_merge: None,
            sample: units.collect(),
            may_name_deleted: is_imported && choices.chance(50),
        }
    }

    /// Adds a token that is looked up: a pretoken of the sample, its start, or one with more bytes.
    pub(crate) fn add_lookup_token(&mut self, choices: &mut Choices) {
        let unit = &self.sample[choices.below(self.sample.len())];
        let mut bytes: Vec<u8> =
            unit.tokens.iter().flat_map(|&token| self.tokens[token].clone()).collect();
        match choices.below(4) {
            0 => bytes.truncate(choices.between(1, bytes.len())),
            1 => bytes.push(*choices.pick(&bytes)),
            _ => {}
        }
        if !(2..=64).contains(&bytes.len()) || self.by_bytes.contains_key(&bytes) {
            return;
        }
        let token = self.tokens.len();
        self.by_bytes.insert(bytes.clone(), token);
        self.tokens.push(bytes.clone());
        self.presence.push(Presence { is_merged: true, was_merged: true, ..Presence::default() });
        for unit in &mut self.sample {
            if unit.tokens.iter().flat_map(|&token| &self.tokens[token]).eq(&bytes) {
                unit.tokens = vec![token];
            }
        }
        self.lookup_tokens.push(bytes);
    }

    /// Adds a merge, usually one that applies to the sample.
    pub(crate) fn add_merge(&mut self, choices: &mut Choices) {
        let unit = choices.below(self.sample.len());
        let unit = self.sample[unit..].iter().find(|unit| unit.tokens.len() > 1);
        let [left, right] = match unit {
            Some(unit) if choices.chance(90) => {
                let at = choices.below(unit.tokens.len() - 1);
                [unit.tokens[at], unit.tokens[at + 1]]
            }
            _ => {
                // Byte tokens of letters, and those that rules have made.
                let first = Token::from(b'a');
                [0, 1].map(|_| match choices.between(first, first + self.tokens.len() - 256) {
                    token if token == first => token,
                    token => token - first + 255,
                })
            }
        };
        self.push_merge(left, right);
    }

    fn push_merge(&mut self, left: Token, right: Token) {
        let may_name = |token: Token| {
            let presence = self.presence[token];
            presence.is_merged || self.may_name_deleted && presence.was_merged
        };
        let length = self.tokens[left].len() + self.tokens[right].len();
        if !may_name(left) || !may_name(right) || length > 64 {
            return;
        }
        let token = self.join(left, right);
        let presence = &mut self.presence[token];
        (presence.is_merged, presence.was_merged) = (true, true);
        presence.first_pair.get_or_insert([left, right]);
        self.last_merge = Some([left, right]);
        let [left_bytes, right_bytes] = [left, right].map(|token| self.spell(token));
        self.rules.push(SpelledRule::Merge { left: left_bytes, right: right_bytes, count: 1 });
        for unit in &mut self.sample {
            let mut at = 0;
            while at + 1 < unit.tokens.len() {
                if unit.tokens[at..at + 2] == [left, right] {
                    unit.tokens.splice(at..at + 2, [token]);
                }
                at += 1;
            }
        }
    }

    /// Adds a supermerge, usually one that applies to the sample.
    pub(crate) fn add_supermerge(&mut self, choices: &mut Choices) {
        let start = choices.below(self.sample.len());
        let open_pair = |units: &[Unit]| Some([units[0].open_token()?, units[1].open_token()?]);
        let applicable = self.sample[start..].windows(2).find_map(open_pair);
        let [left, right] = match applicable {
            Some(pair) if choices.chance(75) => pair,
            _ => match self.sample[start..].windows(2).find_map(|units| self.spell_units(units)) {
                Some(pair) if choices.chance(75) => pair,
                _ => [0, 1].map(|_| choices.below(self.tokens.len())),
            },
        };
        self.push_supermerge(left, right);
    }

    /// Adds a supermerge of two units of the sample before they are open. Later merges may open them.
    pub(crate) fn add_early_supermerge(&mut self, choices: &mut Choices) {
        let start = choices.below(self.sample.len());
        let Some([left, right]) = self.spellings(start) else { return };
        if let [Some(left), Some(right)] = [left, right].map(|bytes| self.make_token(&bytes)) {
            self.push_supermerge(left, right);
        }
    }

    /// Adds supermerges that join three units from the left before the last of them is open, and then
    /// one that joins the last two.
    pub(crate) fn add_early_triple(&mut self, choices: &mut Choices) {
        let start = choices.below(self.sample.len());
        let Some([first, second, last]) = self.spellings(start) else { return };
        let tokens = [&first, &second, &last].map(|bytes| self.make_token(bytes));
        let [Some(first), Some(second), Some(third)] = tokens else { return };
        self.push_supermerge(first, second);
        let joined = self.join(first, second);
        self.push_supermerge(joined, third);
        for _ in 0..last.len() {
            let spells_last = |unit: &&Unit| self.spell_unit(unit) == last;
            match self.sample.iter().find(spells_last).map(|unit| &unit.tokens[..]) {
                Some(&[left, right, ..]) => self.push_merge(left, right),
                _ => break,
            }
        }
        self.push_supermerge(second, third);
    }

    /// Returns the bytes of neighbouring units of the sample.
    fn spellings<const N: usize>(&self, start: usize) -> Option<[Vec<u8>; N]> {
        let units = self.sample[start..].first_chunk::<N>()?;
        Some(std::array::from_fn(|unit| self.spell_unit(&units[unit])))
    }

    fn spell_unit(&self, unit: &Unit) -> Vec<u8> {
        unit.tokens.iter().flat_map(|&token| self.tokens[token].iter().copied()).collect()
    }

    /// Makes a token of its bytes, unless it is long. Units of the sample with this spelling have
    /// usually been merged in another way, and do not become one token by it.
    fn make_token(&mut self, bytes: &[u8]) -> Option<Token> {
        if bytes.len() <= 8 && !self.by_bytes.contains_key(bytes) {
            for end in 2..=bytes.len() {
                let left = *self.by_bytes.get(&bytes[..end - 1])?;
                self.push_merge(left, bytes[end - 1].into());
            }
        }
        self.by_bytes.get(bytes).copied()
    }

    /// Returns the tokens that two units spell, whether the units are open or not.
    fn spell_units(&self, units: &[Unit]) -> Option<[Token; 2]> {
        let spell = |unit: &Unit| self.by_bytes.get(&self.spell_unit(unit)).copied();
        Some([spell(&units[0])?, spell(&units[1])?])
    }

    fn push_supermerge(&mut self, left: Token, right: Token) {
        let may_name = |token: Token| {
            let presence = self.presence[token];
            presence.is_merged
                || presence.is_superword
                || self.may_name_deleted && presence.was_merged
        };
        let length = self.tokens[left].len() + self.tokens[right].len();
        if !may_name(left) || !may_name(right) || length > 200 {
            return;
        }
        let token = self.join(left, right);
        self.presence[token].is_superword = true;
        let [left_bytes, right_bytes] = [left, right].map(|token| self.spell(token));
        self.rules.push(SpelledRule::Supermerge { left: left_bytes, right: right_bytes, count: 1 });
        let mut at = 0;
        while at + 1 < self.sample.len() {
            let pair = [at, at + 1].map(|at| self.sample[at].open_token());
            if pair == [Some(left), Some(right)] {
                let made = Unit { tokens: vec![token], is_eligible: false, is_superword: true };
                self.sample.splice(at..at + 2, [made]);
            }
            at += 1;
        }
    }

    /// Makes all runs of up to 20 letters tokens.
    pub(crate) fn add_dense_merges(&mut self) {
        let mut run = Token::from(b'a');
        for _ in 1..20 {
            self.push_merge(run, Token::from(b'a'));
            run = self.join(run, Token::from(b'a'));
        }
    }

    /// Adds a rule that joins two runs of up to 20 letters.
    pub(crate) fn add_dense_join(&mut self, choices: &mut Choices, is_supermerge: bool) {
        let [left, right] = [0, 1].map(|_| self.by_bytes[&vec![b'a'; choices.between(1, 20)]]);
        if is_supermerge {
            self.push_supermerge(left, right);
        } else {
            self.push_merge(left, right);
        }
    }

    /// Adds a delete, usually of a token that the last merge has joined.
    pub(crate) fn add_delete(&mut self, choices: &mut Choices, mode: Deletion) {
        let token = match self.last_merge {
            Some(pair) if choices.chance(70) => *choices.pick(&pair),
            _ => choices.below(self.tokens.len()),
        };
        if token < 256 || !self.presence[token].is_merged {
            return;
        }
        let mut parts = Vec::new();
        match mode {
            Deletion::Bytes => parts.extend(self.tokens[token].iter().copied().map(Token::from)),
            Deletion::Pair => {
                self.presence[token].is_merged = false;
                self.split_by_pairs(token, &mut parts);
            }
        }
        let presence = &mut self.presence[token];
        presence.is_merged = false;
        let spelled = parts.iter().map(|&part| self.spell(part)).collect();
        self.rules.push(SpelledRule::Delete { token: self.spell(token), parts: spelled });
        for unit in self.sample.iter_mut().filter(|unit| !unit.is_superword) {
            let split = |&old: &Token| if old == token { parts.clone() } else { vec![old] };
            unit.tokens = unit.tokens.iter().flat_map(split).collect();
        }
    }

    /// Splits a token that is not there into the pair that made it first, and so on.
    fn split_by_pairs(&self, token: Token, parts: &mut Vec<Token>) {
        let Presence { is_merged, first_pair, .. } = self.presence[token];
        match first_pair {
            Some(pair) if !is_merged => {
                for part in pair {
                    self.split_by_pairs(part, parts);
                }
            }
            _ => parts.push(token),
        }
    }

    fn join(&mut self, left: Token, right: Token) -> Token {
        let bytes = [&self.tokens[left][..], &self.tokens[right]].concat();
        *self.by_bytes.entry(bytes).or_insert_with_key(|bytes| {
            self.tokens.push(bytes.clone());
            self.presence.push(Presence::default());
            self.tokens.len() - 1
        })
    }

    fn spell(&self, token: Token) -> Cow<'static, [u8]> {
        Cow::Owned(self.tokens[token].clone())
    }

    /// Gives ids to all tokens that need one, and to some that were deleted.
    pub(crate) fn number(&self, choices: &mut Choices) -> Vec<(TokenId, Vec<u8>)> {
        let gap_percent = *choices.pick(&[0, 1, 50]);
        let is_shuffled = choices.chance(50);
        let mut tokens: Vec<Token> = (0..self.tokens.len())
            .filter(|&token| {
                let presence = self.presence[token];
                let is_needed = presence.is_merged || presence.is_superword;
                is_needed || presence.was_merged && choices.chance(50)
            })
            .collect();
        if is_shuffled {
            for end in (1..tokens.len()).rev() {
                tokens.swap(end, choices.below(end + 1));
            }
        }
        let mut id = 0;
        let number = |token: Token| {
            id += 1 + u32::from(choices.chance(gap_percent));
            (TokenId(id - 1), self.tokens[token].clone())
        };
        tokens.into_iter().map(number).collect()
    }
}
