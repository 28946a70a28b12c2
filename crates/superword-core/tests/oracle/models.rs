//! Invented models.
//!
//! A model is made as training makes one, but each rule is drawn at random from those that apply to
//! a sample text, and sometimes from those that do not. So rules repeat, tokens are made in several
//! ways, and deleted tokens are made again, all far more often than in trained models.

use superword_core::model::{Deletion, Model, Parameters, SecondStage, TokenId, Training};
use superword_core::pretokenize::{
    ELIGIBLE, NAMED, PORTABLE_PATTERN, SCRIPT_ELIGIBLE, SCRIPT_PATTERN, SECOND_PATTERN,
};

use super::choices::Choices;
use super::rules::RuleBuilder;
use super::texts::Language;

/// The kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Merges only.
    Bpe,
    /// Merges and deletes.
    PickyBpe,
    /// Merges and supermerges, with deletes or without.
    BoundlessBpe,
    /// Merges in two stages.
    SuperBpe,
    /// Any rules, with ids in any order, gaps between them, and bytes that have none.
    Imported,
    /// An imported model with supermerges after its rules.
    Extended,
    /// An extended model whose base looks up some pretokens before it merges.
    LookedUp,
    /// A model of another kind, without some of its tokens.
    Pruned,
}

/// All kinds.
pub(crate) const KINDS: [Kind; 8] = [
    Kind::Bpe,
    Kind::PickyBpe,
    Kind::BoundlessBpe,
    Kind::SuperBpe,
    Kind::Imported,
    Kind::Extended,
    Kind::LookedUp,
    Kind::Pruned,
];

/// Patterns that are not named.
const REGEXES: [&str; 4] =
    [r"[a-z]{1,3}| ?\S|\s+", r" ?\p{L}+|\s+", r"a{5}|a{3}|ab|[^a]{1,4}", r"(?:\S+\s*){1,9}"];

/// Splits a run of the same letter.
const DENSE_PATTERN: &str = "a{5}|a{3}|[^a]+";

/// Eligibilities: the default, everything, and something between them.
const ELIGIBILITIES: [&str; 4] = [ELIGIBLE, r"(?s).+", r" ?[a-zé']+", SCRIPT_ELIGIBLE];

/// Invents a model of a kind. In a dense one, tokens are made in so many ways that the encoder cannot
/// list the boundaries inside them; its language must have one letter.
pub(crate) fn invent_model(
    choices: &mut Choices,
    kind: Kind,
    language: &Language,
    is_dense: bool,
) -> Model {
    if kind == Kind::Pruned {
        let others = KINDS.map(|kind| if kind == Kind::Pruned { Kind::BoundlessBpe } else { kind });
        let kind = *choices.pick(&others);
        let model = invent_model(choices, kind, language, is_dense);
        return prune_model(choices, &model);
    }
    let pattern = if is_dense { DENSE_PATTERN.to_owned() } else { invent_pattern(choices) };
    let second_stage = (kind == Kind::SuperBpe).then(|| match choices.below(4) {
        0 => invent_pattern(choices),
        1 => PORTABLE_PATTERN.to_owned(),
        _ => SECOND_PATTERN.to_owned(),
    });
    let eligible = if is_dense {
        ELIGIBILITIES[1]
    } else if choices.chance(60) {
        ELIGIBLE
    } else {
        choices.pick(&ELIGIBILITIES)
    };
    let has_own_ids = matches!(kind, Kind::Imported | Kind::Extended | Kind::LookedUp);
    let supermerges = match kind {
        Kind::BoundlessBpe | Kind::Extended | Kind::LookedUp => true,
        Kind::Imported => choices.chance(50),
        Kind::Bpe | Kind::PickyBpe | Kind::SuperBpe | Kind::Pruned => false,
    };
    let may_delete = match kind {
        Kind::PickyBpe => true,
        Kind::BoundlessBpe | Kind::Imported | Kind::Extended => choices.chance(50),
        Kind::Bpe | Kind::SuperBpe | Kind::LookedUp | Kind::Pruned => false,
    };
    let mode = if choices.chance(50) { Deletion::Bytes } else { Deletion::Pair };
    let deletion = may_delete.then_some(mode);

    let items = choices.between(5, 60);
    let sample = language.invent_text(choices, items) + " a";
    let last_pattern = second_stage.as_ref().unwrap_or(&pattern);
    let mut builder = RuleBuilder::new(choices, &sample, last_pattern, eligible, has_own_ids);
    if kind == Kind::LookedUp {
        for _ in 0..choices.between(1, 12) {
            builder.add_lookup_token(choices);
        }
    }
    let rules = choices.between(0, 80);
    let supermerge_percent = if supermerges { choices.between(10, 70) } else { 0 };
    let delete_percent = if may_delete { choices.between(5, 40) } else { 0 };
    let is_extended = matches!(kind, Kind::Extended | Kind::LookedUp);
    for index in 0..rules {
        let is_supermerge = match kind {
            Kind::Extended => index > rules / 2,
            Kind::LookedUp => index > rules / 2 && choices.chance(supermerge_percent + 30),
            _ => choices.chance(supermerge_percent),
        };
        if is_supermerge {
            // The supermerges of an extended model come after all merges, so none of them is early.
            match choices.below(100) {
                0..15 if !is_extended => builder.add_early_supermerge(choices),
                15..25 if !is_extended => builder.add_early_triple(choices),
                _ => builder.add_supermerge(choices),
            }
        } else if choices.chance(delete_percent) {
            builder.add_delete(choices, mode);
        } else {
            builder.add_merge(choices);
        }
    }

    let mut transition = choices.between(256, builder.tokens.len());
    if is_dense {
        builder.add_dense_merges();
        transition = builder.tokens.len();
        for _ in 0..300 {
            builder.add_dense_join(choices, supermerges);
        }
    }

    let tokens = builder.tokens.len();
    let parameters = Parameters {
        pattern,
        eligible: eligible.to_owned(),
        supermerges,
        deletion,
        tau: 0.9,
        min_count: 1,
        vocab_size: tokens as u32,
        second_stage: second_stage
            .map(|pattern| SecondStage { transition: transition as u32, pattern }),
        ..Parameters::default()
    };
    let rules = builder.rules.drain(..).map(Ok).collect::<Vec<_>>();
    let model = if has_own_ids {
        let vocabulary = builder.number(choices);
        let added_tokens = invent_added_tokens(choices);
        let looked_up = &builder.lookup_tokens;
        Model::with_ids(parameters, rules, &vocabulary, Vec::new(), added_tokens, looked_up)
    } else {
        Model::from_spelled(parameters, rules, Vec::new(), Training::default())
    };
    model.expect("the rules are valid")
}

/// Removes some tokens, or all that can be.
fn prune_model(choices: &mut Choices, model: &Model) -> Model {
    let percent = *choices.pick(&[5, 30, 70, 100]);
    let is_added = |id: TokenId| model.added_tokens().iter().any(|&(added, _)| added == id);
    let removed: Vec<TokenId> = model
        .vocabulary()
        .filter(|&(id, token)| token.len() > 1 && !is_added(id) && model.look_up(token).is_none())
        .filter(|_| choices.chance(percent))
        .map(|(id, _)| id)
        .collect();
    let pruned = model.prune(&removed).expect("tokens that rules make");
    assert_eq!(pruned.vocab_size(), model.vocab_size() - removed.len());
    assert!(Model::from_json(&pruned.to_json()).is_ok_and(|read| read == pruned));
    pruned
}

/// Invents tokens that occur in texts, some of them within others. Often there are none.
fn invent_added_tokens(choices: &mut Choices) -> Vec<(TokenId, String)> {
    let texts = ["  ", " a", "ab", "aba", "b b", ".\nA", "\n", "12", "é", "中 "];
    let percent = *choices.pick(&[0, 0, 20, 60]);
    let texts = texts.iter().filter(|_| choices.chance(percent));
    // No other token has an id this large.
    (u32::MAX - 100..).map(TokenId).zip(texts.map(|&text| text.to_owned())).collect()
}

fn invent_pattern(choices: &mut Choices) -> String {
    if choices.chance(20) {
        (*choices.pick(&REGEXES)).to_owned()
    } else {
        let names = NAMED.map(|(name, _)| name);
        choices.pick(&[&names[..], &[SCRIPT_PATTERN]].concat()).to_string()
    }
}
