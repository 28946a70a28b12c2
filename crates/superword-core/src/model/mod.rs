//! A model: the rules in order, the vocabulary that they produce, and the settings of training.
//!
//! The rules alone decide the vocabulary and the ids, as docs/algorithm.md says. The model file
//! (docs/model-format.md) stores all three, and reading it checks that they agree.
//!
//! In reading order:
//!
//! - `token_number`: token indices and token ids, `rule`: rules, `settings`: the settings,
//!   `rule_limits`: limits on the rules that training may learn;
//! - `token_interner`: byte strings and their indices;
//! - `history`: the vocabulary after each rule, and the checks that every rule passes;
//! - `vocabulary_builder`: the ids that a file gives its tokens, `lookup`: tokens that are looked up;
//! - `added`: special tokens and added tokens, `added_finder`: added tokens in texts,
//!   `open_suffixes`: ends of texts that may start one, `special`: further special tokens;
//! - `truncate`: smaller models, `pruned`: smaller vocabularies, `imported`: models with given ids, and further rules;
//! - `ranked_merges`, `early_merges`: the merges of other libraries as rules;
//! - `format`, `file_fields`, `file_lines`, `spelled`: the model file, `authors`: the files of the paper's authors;
//! - `decode`: ids back to bytes, `fingerprint`: a digest of what decides the ids.

mod added;
mod added_finder;
mod added_matches;
mod authors;
mod decode;
mod early_merges;
mod file_fields;
mod file_lines;
mod fingerprint;
mod format;
mod history;
mod imported;
mod lookup;
mod open_suffixes;
mod pruned;
mod ranked_merges;
mod rule;
mod rule_limits;
mod settings;
mod special;
mod spelled;
mod token_interner;
mod token_number;
mod truncate;
mod vocabulary_builder;

use std::borrow::Cow;

pub use self::added_finder::{AddedTokenFinder, Segment};
pub use self::imported::RankedModel;
pub use self::ranked_merges::MergePair;
pub use self::rule::{Rule, SpelledRule};
pub use self::rule_limits::{DEFAULT_SUPERWORD_SHARE, RuleLimits, SuperwordCap};
pub use self::settings::{Deletion, Parameters, SecondStage, Training};
pub(crate) use self::token_interner::quote_token;
pub use self::token_number::{TokenId, TokenIndex};

use self::added::AddedTokens;
use self::file_fields::UnknownField;
use self::history::History;
use self::lookup::check_lookup;
use self::pruned::Replacements;
use self::token_interner::TokenInterner;
use crate::Error;
use crate::pretokenize::{Eligibility, Pattern, Splitter, Tables};

/// A trained model.
#[derive(Clone, Debug)]
pub struct Model {
    parameters: Parameters,
    splitter: Splitter,
    /// The Unicode tables that the pattern had in training.
    pattern_tables: Tables,
    /// The Unicode tables that the eligibility had in training.
    eligible_tables: Tables,
    tokens: TokenInterner,
    rules: Vec<Rule>,
    /// By token index: its id, if it is in the vocabulary.
    ids: Vec<Option<TokenId>>,
    /// By token index: whether some supermerge made it.
    superwords: Vec<bool>,
    /// The vocabulary in ascending order of ids.
    vocabulary: Vec<(TokenId, TokenIndex)>,
    added_tokens: AddedTokens,
    /// The number of tokens that are looked up. Their indices follow those of the single bytes.
    lookup_count: usize,
    /// `None` if every token that can be left after the last rule has an id.
    replacements: Option<Replacements>,
    training: Training,
    /// The fields of the file that this version does not know. A model that is derived from this one
    /// does not have them, since they may describe this one.
    unknown_fields: Vec<UnknownField>,
}

impl Model {
    /// The model with these rules.
    ///
    /// Rules name tokens by their index in `tokens`, which begins with the 256 bytes. The model
    /// renumbers its tokens: the bytes, then each token in the order in which rules first make it.
    ///
    /// # Errors
    /// When a rule cannot apply after those before it, when the settings are out of range or
    /// contradict the rules, when special tokens are empty or repeated, or when a regex is
    /// malformed.
    #[expect(clippy::needless_pass_by_value, reason = "training has no further use for them")]
    pub fn new(
        parameters: Parameters,
        tokens: Vec<Box<[u8]>>,
        rules: Vec<Rule>,
        special_tokens: Vec<String>,
        training: Training,
    ) -> Result<Model, Error> {
        let spell = |index: TokenIndex| {
            tokens.get(index.as_usize()).map(|token| Cow::Borrowed(&**token)).ok_or_else(|| {
                model_error(format!("a rule names token {index} of {} tokens", tokens.len()))
            })
        };
        let spelled = rules.iter().enumerate().map(|(index, rule)| {
            let spelled = rule.spelled(spell)?;
            if let SpelledRule::Merge { left, right, .. }
            | SpelledRule::Supermerge { left, right, .. } = &spelled
                && !left.iter().chain(right.iter()).eq(spell(rule.token())?.iter())
            {
                let token = quote_token(&spell(rule.token())?);
                let pair = format!("{} and {}", quote_token(left), quote_token(right));
                return Err(model_error(format!("rule {index} makes {token} of {pair}")));
            }
            Ok(spelled)
        });
        Model::from_spelled(parameters, spelled, special_tokens, training)
    }

    /// The model with these rules, whose tokens are spelled out.
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
        Model::with_dense_ids(parameters, history, special_tokens, training)
    }

    /// A model with the ids that training gives: the bytes, the other tokens in the order in which
    /// they entered the vocabulary, the special tokens.
    fn with_dense_ids(
        parameters: Parameters,
        history: History,
        special_tokens: Vec<String>,
        training: Training,
    ) -> Result<Model, Error> {
        let vocabulary: Vec<_> = (0..).map(TokenId).zip(history.in_order_of_entry()).collect();
        let next_ids = (vocabulary.len() as u32..).map(TokenId);
        let special_tokens = next_ids.zip(special_tokens).collect();
        Model::with_vocabulary(
            parameters,
            history,
            vocabulary,
            special_tokens,
            Vec::new(),
            training,
        )
    }

    /// A model with these ids, which ascend.
    fn with_vocabulary(
        parameters: Parameters,
        history: History,
        vocabulary: Vec<(TokenId, TokenIndex)>,
        special_tokens: Vec<(TokenId, String)>,
        added_tokens: Vec<(TokenId, String)>,
        training: Training,
    ) -> Result<Model, Error> {
        parameters.check(&history.rules, vocabulary.len())?;
        check_lookup(&parameters, &history)?;
        let find_token = |id| {
            let position = vocabulary.binary_search_by_key(&id, |&(id, _)| id).ok()?;
            Some(history.tokens.get(vocabulary[position].1))
        };
        let added_tokens = AddedTokens::new(special_tokens, added_tokens, find_token)?;
        let splitter = Splitter::new(parameters.last_pattern(), &parameters.eligible)?;
        let mut ids = vec![None; history.tokens.len()];
        for &(id, token) in &vocabulary {
            ids[token.as_usize()] = Some(id);
        }
        let superwords = history.superwords();
        let is_removed =
            |(token, id): &(u32, &Option<TokenId>)| id.is_none() && history.has(TokenIndex(*token));
        let removed_count = (0..).zip(&ids).filter(is_removed).count();
        let replacements =
            (removed_count > 0).then(|| Replacements::new(&history.rules, &ids, removed_count));
        let History { tokens, rules, lookup_count, .. } = history;
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
            added_tokens,
            lookup_count,
            replacements,
            training,
            unknown_fields: Vec::new(),
        })
    }

    /// The settings of training.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The pattern that splits texts into pretokens.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        self.splitter.pattern()
    }

    /// The test that decides which pretokens are eligible.
    #[must_use]
    pub fn eligibility(&self) -> &Eligibility {
        self.splitter.eligibility()
    }

    /// The pattern and the eligibility.
    #[must_use]
    pub fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// The size of the training corpus.
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

    /// The number of tokens in the vocabulary, not counting special and added tokens.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// The vocabulary in ascending order of ids, without special and added tokens.
    #[must_use]
    pub fn vocabulary(&self) -> impl ExactSizeIterator<Item = (TokenId, &[u8])> {
        self.vocabulary.iter().map(|&(id, token)| (id, self.token(token)))
    }

    /// The vocabulary in ascending order of ids, as the tokens that rules name.
    pub(crate) fn vocabulary_indices(&self) -> &[(TokenId, TokenIndex)] {
        &self.vocabulary
    }

    /// The bytes of the token with an id. A special or added token has the bytes of its text.
    #[must_use]
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let special = || self.added_tokens.text(id).map(str::as_bytes);
        self.index_of(id).map(|index| self.token(index)).or_else(special)
    }

    /// The id of a token of the vocabulary, or else of an added token. Special tokens are not looked
    /// up.
    #[must_use]
    pub fn token_id(&self, token: &[u8]) -> Option<TokenId> {
        let added = || self.added_tokens().iter().find(|(_, text)| text.as_bytes() == token);
        let learned = self.tokens.find(token).and_then(|index| self.id_of(index));
        learned.or_else(|| added().map(|&(id, _)| id))
    }

    /// Whether some supermerge made the token with an id; `None` if no token has the id.
    #[must_use]
    pub fn is_superword(&self, id: TokenId) -> Option<bool> {
        let special = || self.added_tokens.text(id).map(|_| false);
        self.index_of(id).map(|index| self.superwords[index.as_usize()]).or_else(special)
    }

    /// One sentence for each Unicode table that differs from the one used in training.
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
}

/// Models are equal when their files are equal.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.to_json() == other.to_json()
    }
}

fn model_error(reason: String) -> Error {
    Error::Model { reason }
}
