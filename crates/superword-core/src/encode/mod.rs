//! Encoding: the rules of a model applied to a text, as table look-up.
//!
//! What merges and deletions make of a pretoken depends on its bytes alone, so it is worked out
//! once: for the pretokens that spell a token of the model when the encoder is made, for others
//! when they are met. Supermerges then join pretokens that are one token, and only a pretoken that
//! spells a token of the model ever is one. Two neighbours can only come to stand in one token if
//! they do so in some superword, so a text is cut at all other boundaries, and what is left between
//! the cuts is short. A model with a second stage has long pretokens, and another way: see `stages`.

mod batch;
mod corpus;
mod ids;
mod openings;
mod pipeline;
mod pretoken;
mod replay;
mod supermerge;

use std::mem;
use std::sync::Mutex;

use crate::Error;
use crate::model::{Model, Rule, TokenIndex};
use crate::pretokenize::{Eligibility, Pattern};

pub use crate::encode::batch::Encoded;
pub use crate::encode::corpus::encode_corpus;
use crate::encode::ids::Numbers;
pub(crate) use crate::encode::openings::openings;
use crate::encode::pipeline::text_encoder::Run;
use crate::encode::pretoken::cache::Cache;
use crate::encode::pretoken::encoding::{LISTED, Outcome};
use crate::encode::pretoken::merger::{Pieces, Words};
use crate::encode::pretoken::rule_replay::NEVER;
use crate::encode::pretoken::table::Lexicon;
pub use crate::encode::replay::{Step, replay};
use crate::encode::supermerge::second_stage::{Stages, first_rules};
use crate::encode::supermerge::table::{Fickle, Phrases, Unit};

/// What encodes texts as a model says. It never changes; what changes is in a [`Cache`].
pub struct Encoder {
    pattern: Pattern,
    numbers: Numbers,
    words: Words,
    phrases: Phrases,
    /// In a model with a second stage, `words` has the rules of the first, and this the others.
    stages: Option<Stages>,
    /// All pretokens that spell a token which some merge makes, and the single bytes.
    known: Lexicon,
    lists: Vec<u32>,
    /// Whether texts may be cut at their seams.
    has_seams: bool,
    /// What threads that have come and gone remember.
    caches: Mutex<Vec<Cache>>,
}

impl Encoder {
    /// The encoder of a model.
    ///
    /// # Errors
    /// When an eligibility of the user's own backtracks too much on a token.
    pub fn new(model: &Model) -> Result<Encoder, Error> {
        let numbers = Numbers::new(model);
        let first_rules = first_rules(model);
        let rules = &model.rules()[..first_rules];
        let made = rules.iter().filter(|rule| matches!(rule, Rule::Merge { .. })).map(Rule::token);
        let bytes = (0..=u8::MAX).map(TokenIndex::from);
        let spelled: Vec<TokenIndex> = bytes.chain(made).collect();
        let mut encoder = Encoder {
            pattern: model.pattern().clone(),
            words: Words::new(model, &numbers, rules),
            phrases: Phrases::new(model, &numbers),
            stages: Stages::new(model, &numbers, first_rules),
            known: Lexicon::with_room(spelled.len()),
            lists: Vec::new(),
            has_seams: model.pattern().has_seams() && model.eligibility().is_default(),
            caches: Mutex::default(),
            numbers,
        };
        let mut pieces = Pieces::new();
        for token in spelled {
            encoder.learn(model.token(token), token, model.eligibility(), &mut pieces)?;
        }
        Ok(encoder)
    }

    /// Works out what becomes of a pretoken that spells a token.
    fn learn(
        &mut self,
        pretoken: &[u8],
        token: TokenIndex,
        eligibility: &Eligibility,
        pieces: &mut Pieces,
    ) -> Result<(), Error> {
        if self.known.has(pretoken) {
            return Ok(());
        }
        let token = self.numbers.of(token);
        let mut lives = Vec::new();
        self.words.run(pretoken, pieces, |life| lives.push(life));
        let tokens: Vec<u32> = pieces.items().map(|piece| piece.token).collect();
        // What is no text on its own is never a pretoken of a text.
        let is_eligible = match std::str::from_utf8(pretoken) {
            Ok(pretoken) => eligibility.has(pretoken)?,
            Err(_) => false,
        };
        let (ends, begins) = self.phrases.sides(token);
        let outcome = if is_eligible && !lives.is_empty() && (ends || begins) {
            let (from, fickle) = match lives[..] {
                [(from, NEVER)] => (from, 0),
                _ => (NEVER, self.phrases.add(Fickle { lives, tokens: tokens.into() })),
            };
            Outcome::open(Unit { token, from, fickle }, ends, begins)
        } else {
            Outcome::plain(tokens, LISTED, &mut self.lists)
        };
        self.known.set(pretoken, outcome);
        Ok(())
    }

    /// The ids of a text.
    ///
    /// # Errors
    /// When a regex gives up, or the model has no id for a byte.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut cache = self.take_cache();
        let mut ids = Vec::new();
        self.encode_text(text, &mut cache, &mut ids)?;
        self.give_back(cache);
        Ok(ids)
    }

    /// Somebody's cache, or a new one. Nobody waits for it: a process may have been forked while
    /// another thread was here.
    fn take_cache(&self) -> Cache {
        let kept = self.caches.try_lock().ok().and_then(|mut caches| caches.pop());
        kept.unwrap_or_else(|| Cache::new(&self.known))
    }

    fn give_back(&self, cache: Cache) {
        if let Ok(mut caches) = self.caches.try_lock() {
            caches.push(cache);
        }
    }

    /// Appends the ids of a text.
    fn encode_text(&self, text: &str, cache: &mut Cache, ids: &mut Vec<u32>) -> Result<(), Error> {
        let start = ids.len();
        if let Some(stages) = &self.stages {
            let mut pieces = mem::replace(&mut cache.pieces, Pieces::new());
            let joined = self.first_stage_of(stages, text, cache, |pretoken| {
                stages.join(pretoken, &mut pieces, ids);
            });
            cache.pieces = pieces;
            cache.shrink();
            joined?;
            return self.numbers.to_ids(&mut ids[start..]);
        }
        let mut run = Run::new(self, text, cache, ids);
        let result = self.pattern.spans(text).for_each_block(|base, ends| run.add(base, ends));
        run.finish();
        result?;
        self.numbers.to_ids(&mut ids[start..])
    }

    /// Calls `each` with the tokens that the first stage makes of each pretoken of a text, in a
    /// model with a second one, whose pattern splits it. In other models, nothing is called.
    ///
    /// # Errors
    /// When a regex gives up.
    pub(crate) fn first_stage(&self, text: &str, each: impl FnMut(&[u32])) -> Result<(), Error> {
        let Some(stages) = &self.stages else { return Ok(()) };
        let mut cache = self.take_cache();
        self.first_stage_of(stages, text, &mut cache, each)?;
        self.give_back(cache);
        Ok(())
    }

    fn first_stage_of(
        &self,
        stages: &Stages,
        text: &str,
        cache: &mut Cache,
        each: impl FnMut(&[u32]),
    ) -> Result<(), Error> {
        let (mut tokens, mut ends) = mem::take(&mut cache.first_stage);
        tokens.clear();
        ends.clear();
        let mut run = Run::new(self, text, cache, &mut tokens);
        let mut result = Ok(());
        self.pattern.spans(text).for_each(|span| match span {
            Ok(span) => {
                stages.cut(text.as_bytes(), span.start, span.end, |_, end| run.add(end, 1));
                ends.push(span.end);
            }
            Err(error) => result = Err(error),
        });
        run.finish();
        if result.is_ok() {
            stages.split(&tokens, &ends, each);
        }
        cache.first_stage = (tokens, ends);
        result
    }
}
