//! The fast encoder against `replay`, which is the definition.
//!
//! By default the same 8,000 texts are encoded each time. `SUPERWORD_ORACLE_CASES` says how many
//! texts to encode for each kind of model, and `SUPERWORD_ORACLE_SEED` where to start. A failure
//! prints its seed; with that and `SUPERWORD_ORACLE_CASES=1` it comes first.

mod oracle;

use std::any::Any;
use std::env;
use std::iter;
use std::panic;

use superword_core::corpus::Memory;
use superword_core::encode::replay_tokens;
use superword_core::model::{Parameters, SpelledRule, TokenId};
use superword_core::{Control, Encoder, Model, Resources, train};

use oracle::{KINDS, Kind, check, check_decoding, check_long, check_text};

/// The texts that are encoded for each kind of model by default.
const CASES: u64 = 1_000;

/// The texts that are encoded with each model.
const TEXTS: u64 = 40;

/// The bytes that the first choices are read from.
const DATA: usize = 64;

fn check_kind(kind: Kind) {
    let read = |name: &str, default: u64| {
        env::var(name).map_or(default, |value| value.parse().expect("a number"))
    };
    let cases = read("SUPERWORD_ORACLE_CASES", CASES);
    let mut seed = read("SUPERWORD_ORACLE_SEED", 0);
    let mut compared = 0;
    while compared < cases {
        let data = invent_data(kind, seed);
        if let Err(payload) = panic::catch_unwind(|| check(&data, TEXTS as usize)) {
            panic!("SUPERWORD_ORACLE_SEED={seed}: {}", message(&*payload));
        }
        compared += TEXTS;
        seed += 1;
    }
}

/// Invents the bytes that a case of this kind is made from.
fn invent_data(kind: Kind, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let bytes = (0..DATA).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let kind = KINDS.iter().position(|&other| other == kind).expect("all kinds");
    iter::once(kind as u8).chain(bytes).collect()
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it panics")
}

#[test]
fn bpe_models_encode_as_defined() {
    check_kind(Kind::Bpe);
}

#[test]
fn picky_bpe_models_encode_as_defined() {
    check_kind(Kind::PickyBpe);
}

#[test]
fn boundless_bpe_models_encode_as_defined() {
    check_kind(Kind::BoundlessBpe);
}

#[test]
fn super_bpe_models_encode_as_defined() {
    check_kind(Kind::SuperBpe);
}

#[test]
fn imported_models_encode_as_defined() {
    check_kind(Kind::Imported);
}

#[test]
fn extended_models_encode_as_defined() {
    check_kind(Kind::Extended);
}

#[test]
fn models_with_looked_up_tokens_encode_as_defined() {
    check_kind(Kind::LookedUp);
}

#[test]
fn pruned_models_encode_as_defined() {
    check_kind(Kind::Pruned);
}

#[test]
fn long_texts_are_the_same_at_all_cpu_levels_in_groups_of_any_size() {
    for seed in 0..3 {
        for kind in KINDS {
            check_long(&invent_data(kind, seed));
        }
    }
}

#[test]
fn any_text_is_encoded_as_defined_and_any_ids_are_decoded() {
    for name in 0..=255 {
        for seed in 0..3 {
            let mut data = invent_data(Kind::Bpe, seed);
            data[0] = name;
            check_text(&data);
            check_decoding(&data);
        }
    }
}

/// A rule may name a token that is looked up before others make it of its bytes.
#[test]
fn a_character_that_is_looked_up_is_made_of_its_bytes_in_longer_pretokens() {
    let merge = |left: &'static [u8], right: &'static [u8]| {
        Ok(SpelledRule::Merge { left: left.into(), right: right.into(), count: 1 })
    };
    let rules = [merge("é".as_bytes(), b"x"), merge(b"\xc3", b"\xa9")];
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let tokens = bytes.chain(["é", "éx"].map(|token| token.as_bytes().to_vec()));
    let vocabulary: Vec<_> = (0..).map(TokenId).zip(tokens).collect();
    let parameters = Parameters { supermerges: false, deletion: None, ..Parameters::default() };
    let model = Model::with_ids(parameters, rules, &vocabulary, Vec::new(), Vec::new(), &["é"]);
    let model = model.expect("the rules are valid");
    let encoder = Encoder::new(&model).expect("a model");
    for text in ["éx", "é", "aéx", "éé", "xé"] {
        let tokens = replay_tokens(&model, text).expect("a simple pattern");
        let expected = tokens.iter().map(|&token| model.id_of(token).expect("an id").0);
        assert_eq!(encoder.encode(text).expect("ids"), expected.collect::<Vec<_>>(), "{text}");
    }
    assert_eq!(encoder.encode("éx").expect("ids"), [256, u32::from(b'x')]);
}

/// Runs of two to eleven pretokens.
#[test]
fn many_runs_of_superwords_in_a_group_are_all_joined() {
    let words =
        ["it", " was", " one", " of", " the", " best", " of", " the", " times", " of", " day"];
    let runs = (2..=words.len()).flat_map(|len| words.windows(len).map(<[_]>::concat));
    let runs: Vec<String> = runs.collect();
    for vocab_size in [300, 330, 400] {
        let corpus: Memory = runs.iter().map(String::as_str).collect();
        let parameters = Parameters { vocab_size, ..Parameters::default() };
        let resources = Resources::default();
        let model = train(&corpus, parameters, Vec::new(), resources, &Control::default());
        let model = model.expect("a model");
        let encoder = Encoder::new(&model).expect("a model");
        let text = runs.join("; ");
        let tokens = replay_tokens(&model, &text).expect("a simple pattern");
        let expected: Vec<u32> =
            tokens.iter().map(|&token| model.id_of(token).expect("an id").0).collect();
        assert_eq!(encoder.encode(&text).expect("ids"), expected);
    }
}
