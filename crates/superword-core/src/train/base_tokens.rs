//! The tokens of a model that is extended.

use crate::model::{Model, Rule, TokenIndex};
use crate::train::engine::{TokenPair, TrainingToken, TrainingTokens, TrainingVocabulary};

/// The tokens of a model as tokens of training. They have the same numbers; new ones follow.
pub(crate) struct BaseTokens {
    pub(crate) tokens: TrainingTokens,
    /// The tokens that have ids, and the single bytes.
    pub(crate) vocabulary: TrainingVocabulary,
}

impl BaseTokens {
    /// Returns the tokens of a model.
    pub(crate) fn of(base: &Model) -> BaseTokens {
        let mut tokens = TrainingTokens::new();
        for index in base.lookup_tokens() {
            tokens.add(base.token(index).into());
        }
        for rule in base.rules() {
            if let &Rule::Merge { left, right, .. } | &Rule::Supermerge { left, right, .. } = rule {
                tokens.join(training_pair(left, right));
            }
        }
        let mut vocabulary = TrainingVocabulary::new();
        let indices = (0..base.token_count() as u32).map(TokenIndex);
        for index in indices.filter(|&index| base.id_of(index).is_some()) {
            vocabulary.add(training_token(index));
        }
        BaseTokens { tokens, vocabulary }
    }
}

/// Returns the token of training with an index in the model. The two numbers are equal here,
/// because the tokens of the model come first.
pub(crate) fn training_token(index: TokenIndex) -> TrainingToken {
    TrainingToken(index.0)
}

/// Returns the pair of training with these indices in the model.
pub(crate) fn training_pair(left: TokenIndex, right: TokenIndex) -> TokenPair {
    TokenPair { left: training_token(left), right: training_token(right) }
}
