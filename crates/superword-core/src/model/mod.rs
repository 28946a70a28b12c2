//! What training learns: rules in order, the vocabulary that they lead to, and the settings.
//!
//! A model is made of its rules alone; [`Model::new`] works out the vocabulary and the ids as
//! docs/algorithm.md says. Its file, docs/model-format.md, says both, and the two have to agree.

mod atomic_write;
mod authors;
mod decode;
mod fingerprint;
mod format;
mod history;
mod ids;
mod imported;
mod rule;
mod settings;
mod special;
mod spelling;
mod token_number;
mod tokens;

use std::borrow::Cow;

pub use self::rule::{Rule, SpelledRule};
pub use self::settings::{Deletion, Parameters, SecondStage, Training};
pub use self::token_number::{TokenId, TokenIndex};

use self::history::History;
use self::special::SpecialTokens;
use self::tokens::{Tokens, shown};
use crate::Error;
use crate::pretokenize::{Eligibility, Pattern, Splitter, Tables};

/// A trained model.
#[derive(Clone, Debug)]
pub struct Model {
    parameters: Parameters,
    splitter: Splitter,
    /// The Unicode tables that the pattern was trained with.
    pattern_tables: Tables,
    /// The Unicode tables that the eligibility was trained with.
    eligible_tables: Tables,
    tokens: Tokens,
    rules: Vec<Rule>,
    /// By token index: its id, if it is in the vocabulary.
    ids: Vec<Option<TokenId>>,
    /// By token index: whether some supermerge made it.
    superwords: Vec<bool>,
    /// The vocabulary in ascending order of ids.
    vocabulary: Vec<(TokenId, TokenIndex)>,
    special_tokens: SpecialTokens,
    training: Training,
}

impl Model {
    /// The model with these rules.
    ///
    /// Rules name tokens by their places in `tokens`, which begins with the 256 bytes. The model
    /// numbers its tokens anew: the bytes, then each in the order in which rules first make it.
    ///
    /// # Errors
    /// When a rule could never be performed at its place, when the settings are out of range or
    /// contradict the rules, when special tokens are empty or repeated, or when a regex is
    /// malformed.
    #[expect(clippy::needless_pass_by_value, reason = "training has no more use for them")]
    pub fn new(
        parameters: Parameters,
        tokens: Vec<Box<[u8]>>,
        rules: Vec<Rule>,
        special_tokens: Vec<String>,
        training: Training,
    ) -> Result<Model, Error> {
        let spell = |index: TokenIndex| {
            tokens.get(index.as_usize()).map(|token| Cow::Borrowed(&**token)).ok_or_else(|| {
                refusal(format!("a rule names token {index} of {} tokens", tokens.len()))
            })
        };
        let spelled = rules.iter().enumerate().map(|(index, rule)| {
            let spelled = rule.spelled(spell)?;
            if let SpelledRule::Merge { left, right, .. }
            | SpelledRule::Supermerge { left, right, .. } = &spelled
                && !left.iter().chain(right.iter()).eq(spell(rule.token())?.iter())
            {
                let token = shown(&spell(rule.token())?);
                let pair = format!("{} and {}", shown(left), shown(right));
                return Err(refusal(format!("rule {index} makes {token} of {pair}")));
            }
            Ok(spelled)
        });
        Model::from_spelled(parameters, spelled, special_tokens, training)
    }

    /// The model with these rules, their tokens spelled out.
    ///
    /// # Errors
    /// As [`Model::new`], or the first error among the rules.
    pub fn from_spelled<'a>(
        parameters: Parameters,
        rules: impl IntoIterator<Item = Result<SpelledRule<'a>, Error>>,
        special_tokens: Vec<String>,
        training: Training,
    ) -> Result<Model, Error> {
        let rules = rules.into_iter();
        let mut history = History::of_training(rules.size_hint().0);
        for rule in rules {
            history.perform(&rule?)?;
        }
        Model::numbered_densely(parameters, history, special_tokens, training)
    }

    /// The model that training would have given at a smaller size.
    ///
    /// Training looks at the size of the vocabulary before each step, a merge with its deletes or a
    /// supermerge, and stops the first time that it suffices; so does this.
    ///
    /// # Errors
    /// When the size is below 256 or the transition, or above what the model was trained to, or when
    /// the ids are not those that training gives.
    pub fn truncate(&self, vocab_size: u32) -> Result<Model, Error> {
        let size = vocab_size as usize;
        if size < 256 {
            let reason = format!("vocab_size must be at least 256, the bytes, not {vocab_size}");
            return Err(Error::VocabSize { reason });
        }
        if let Some(SecondStage { transition, .. }) = self.parameters.second_stage
            && vocab_size < transition
        {
            let reason = format!(
                "the model's second stage begins at {transition} tokens, and below that, at \
                 {vocab_size}, there is no such model; train without transition"
            );
            return Err(Error::VocabSize { reason });
        }
        if !self.has_ids_of_training() {
            let reason = "a model whose ids are not those of training cannot be truncated";
            return Err(Error::VocabSize { reason: reason.to_owned() });
        }
        // With fewer tokens than were asked for, pairs have run out, and more room changes nothing.
        let ran_out = self.vocabulary.len() < self.parameters.vocab_size as usize;
        if vocab_size > self.parameters.vocab_size && !ran_out {
            let trained = self.parameters.vocab_size;
            let reason = format!("the model was trained to {trained} tokens, not {vocab_size}");
            return Err(Error::VocabSize { reason });
        }
        let mut history = History::of_training(self.rules.len());
        for rule in &self.rules {
            let begins_step = !matches!(rule, Rule::Delete { .. });
            if begins_step && history.size() >= size {
                break;
            }
            history.perform(&self.spelled(rule))?;
        }
        let parameters = Parameters { vocab_size, ..self.parameters.clone() };
        let special_tokens = self.special_tokens().iter().map(|(_, text)| text.clone()).collect();
        let mut model =
            Model::numbered_densely(parameters, history, special_tokens, self.training)?;
        model.pattern_tables.clone_from(&self.pattern_tables);
        model.eligible_tables.clone_from(&self.eligible_tables);
        Ok(model)
    }

    /// Ids as training gives them: the bytes, the rest as they entered, then special tokens.
    fn numbered_densely(
        parameters: Parameters,
        history: History,
        special_tokens: Vec<String>,
        training: Training,
    ) -> Result<Model, Error> {
        let vocabulary: Vec<_> = (0..).map(TokenId).zip(history.in_order_of_entry()).collect();
        let next_ids = (vocabulary.len() as u32..).map(TokenId);
        let special_tokens = next_ids.zip(special_tokens).collect();
        Model::numbered(parameters, history, vocabulary, special_tokens, training)
    }

    /// A model with ids of its own; `vocabulary` holds them, ascending, with the tokens' numbers.
    fn numbered(
        parameters: Parameters,
        history: History,
        vocabulary: Vec<(TokenId, TokenIndex)>,
        special_tokens: Vec<(TokenId, String)>,
        training: Training,
    ) -> Result<Model, Error> {
        parameters.check(&history.rules, vocabulary.len())?;
        let special_tokens = SpecialTokens::new(special_tokens, &vocabulary)?;
        let splitter = Splitter::new(parameters.last_pattern(), &parameters.eligible)?;
        let mut ids = vec![None; history.tokens.len()];
        for &(id, token) in &vocabulary {
            ids[token.as_usize()] = Some(id);
        }
        let superwords = history.superwords();
        let History { tokens, rules, .. } = history;
        Ok(Model {
            pattern_tables: splitter.pattern().tables().clone(),
            eligible_tables: splitter.eligibility().tables().clone(),
            parameters,
            splitter,
            tokens,
            rules,
            ids,
            superwords,
            vocabulary,
            special_tokens,
            training,
        })
    }

    /// The settings that training was given.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What splits texts into pretokens.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        self.splitter.pattern()
    }

    /// What says which pretokens are eligible.
    #[must_use]
    pub fn eligibility(&self) -> &Eligibility {
        self.splitter.eligibility()
    }

    /// The pattern and the eligibility.
    #[must_use]
    pub fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// What the training corpus held.
    #[must_use]
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// The rules in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// One of the model's rules with its tokens spelled out.
    #[must_use]
    pub fn spelled(&self, rule: &Rule) -> SpelledRule<'_> {
        let spell = |token| Ok::<_, std::convert::Infallible>(Cow::Borrowed(self.token(token)));
        let Ok(spelled) = rule.spelled(spell);
        spelled
    }

    /// The bytes of a token that a rule names.
    ///
    /// # Panics
    /// If there is no token with this index.
    #[must_use]
    pub fn token(&self, index: TokenIndex) -> &[u8] {
        self.tokens.get(index)
    }

    /// The number of tokens that the rules name, deleted ones included: every index is below it.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// The id of a token that a rule names, if it is in the vocabulary.
    #[must_use]
    pub fn id_of(&self, index: TokenIndex) -> Option<TokenId> {
        self.ids.get(index.as_usize()).copied().flatten()
    }

    /// How many tokens are in the vocabulary, special tokens apart.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// The ids of the vocabulary, ascending, each with its token; special tokens apart.
    #[must_use]
    pub fn vocabulary(&self) -> impl ExactSizeIterator<Item = (TokenId, &[u8])> {
        self.vocabulary.iter().map(|&(id, token)| (id, self.token(token)))
    }

    /// The bytes of the token with an id; of a special token, those of its text.
    #[must_use]
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let special = || self.special_tokens.text(id).map(str::as_bytes);
        self.index_of(id).map(|index| self.token(index)).or_else(special)
    }

    /// The id of a token, special tokens apart.
    #[must_use]
    pub fn token_id(&self, token: &[u8]) -> Option<TokenId> {
        self.tokens.find(token).and_then(|index| self.id_of(index))
    }

    /// Whether some supermerge made the token with an id; `None` if no token has the id.
    #[must_use]
    pub fn is_superword(&self, id: TokenId) -> Option<bool> {
        let special = || self.special_tokens.text(id).map(|_| false);
        self.index_of(id).map(|index| self.superwords[index.as_usize()]).or_else(special)
    }

    /// Sentences about Unicode tables that are not those the model was trained with.
    #[must_use]
    pub fn differing_tables(&self) -> Vec<String> {
        let pattern = ("pattern", &self.pattern_tables, self.pattern().tables());
        let eligible = ("eligibility", &self.eligible_tables, self.eligibility().tables());
        let differing = [pattern, eligible].into_iter().filter(|(_, theirs, ours)| theirs != ours);
        let sentence = |(name, theirs, ours): (&str, &Tables, &Tables)| {
            format!(
                "the {name} of this model was trained with the tables of Unicode {} (digest {}), \
                 and this superword has those of Unicode {} (digest {}): texts with characters \
                 that differ may get other ids",
                theirs.unicode, theirs.tables, ours.unicode, ours.tables
            )
        };
        differing.map(sentence).collect()
    }

    /// The token with an id. Where ids have no gaps, the id is the position in the vocabulary.
    fn index_of(&self, id: TokenId) -> Option<TokenIndex> {
        if let Some(&(found, index)) = self.vocabulary.get(id.0 as usize)
            && found == id
        {
            return Some(index);
        }
        let position = self.vocabulary.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.vocabulary[position].1)
    }

    /// Whether training would have given these ids. Tokens are numbered in the order in which rules
    /// make them, whoever gives the rules, so the numbers of both histories are the same.
    fn has_ids_of_training(&self) -> bool {
        let mut history = History::of_training(self.rules.len());
        let is_performed =
            self.rules.iter().all(|rule| history.perform(&self.spelled(rule)).is_ok());
        let next_ids = (self.vocabulary.len() as u32..).map(TokenId);
        is_performed
            && self
                .vocabulary
                .iter()
                .copied()
                .eq((0..).map(TokenId).zip(history.in_order_of_entry()))
            && self
                .special_tokens()
                .iter()
                .map(|&(id, _)| id)
                .eq(next_ids.take(self.special_tokens().len()))
    }
}

/// Models are equal when their files are.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.to_json() == other.to_json()
    }
}

fn refusal(reason: String) -> Error {
    Error::Model { reason }
}
