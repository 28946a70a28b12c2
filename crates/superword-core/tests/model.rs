//! Models made as training makes them: rules by number, then vocabulary, ids and files.

use proptest::prelude::*;
use superword_core::model::{Model, Parameters, Rule, TokenId, TokenIndex, Training};
use superword_core::{Encoder, Error};

fn parameters(vocab_size: u32) -> Parameters {
    Parameters { pattern: "boundless".to_owned(), vocab_size, ..Parameters::default() }
}

/// The 256 bytes, and more.
fn tokens(more: &[&str]) -> Vec<Box<[u8]>> {
    let bytes = (0..=u8::MAX).map(|byte| Box::from([byte]));
    bytes.chain(more.iter().map(|token| Box::from(token.as_bytes()))).collect()
}

const A: TokenIndex = TokenIndex(b'a' as u32);
const B: TokenIndex = TokenIndex(b'b' as u32);
const C: TokenIndex = TokenIndex(b'c' as u32);

/// `abc` of `ab`, which is deleted and made again.
fn made_again() -> Model {
    let rules = vec![
        Rule::Merge { left: A, right: B, token: TokenIndex(257), count: 20 },
        Rule::Merge { left: TokenIndex(257), right: C, token: TokenIndex(256), count: 18 },
        Rule::Delete { token: TokenIndex(257), parts: Box::from([A, B]) },
        Rule::Merge { left: A, right: B, token: TokenIndex(257), count: 2 },
        Rule::Supermerge {
            left: TokenIndex(257),
            right: TokenIndex(256),
            token: TokenIndex(258),
            count: 2,
        },
    ];
    let tokens = tokens(&["abc", "ab", "ababc"]);
    let special = vec!["<s>".to_owned()];
    Model::new(parameters(300), tokens, rules, special, Training::default()).expect("a model")
}

#[test]
fn a_pruned_model_numbers_what_is_left_and_keeps_all_rules() {
    let model = made_again();
    let pruned = model.prune(&[TokenId(257), TokenId(256)]).expect("tokens that rules make");
    let kept: Vec<_> = pruned.vocabulary().skip(256).collect();
    assert_eq!(kept, [(TokenId(256), b"ababc".as_slice())]);
    assert_eq!(pruned.special_tokens(), [(TokenId(257), "<s>".to_owned())]);
    assert_eq!(pruned.rules(), model.rules());
    assert_eq!([model.removed_count(), pruned.removed_count()], [0, 2]);
    let encoder = Encoder::new(&pruned).expect("a model");
    let [a, b, c] = [b'a', b'b', b'c'].map(u32::from);
    assert_eq!(encoder.encode("abc ab").expect("a text"), [a, b, c, 32, a, b]);
    let file = pruned.to_json();
    assert!(String::from_utf8_lossy(&file).contains(r#""requires":["pruned"]"#));
    assert!(Model::from_json(&file).is_ok_and(|read| read == pruned));
    assert_ne!(pruned.fingerprint(), model.fingerprint());
    let again = pruned.prune(&[TokenId(256)]).expect("a token that a rule makes");
    assert_eq!(again, model.prune(&[256, 257, 258].map(TokenId)).expect("the same tokens"));
}

#[test]
fn what_cannot_be_pruned_or_changed_afterwards_is_refused_in_a_sentence() {
    let model = made_again();
    for (id, reason) in [
        (97, "the single byte \"a\", id 97, cannot be removed"),
        (259, "the special or added token \"<s>\", id 259, cannot be removed: no rule makes it"),
        (260, "no token has the id 260"),
    ] {
        let error = model.prune(&[TokenId(id)]).expect_err("not a token that rules make");
        assert_eq!(error.to_string(), reason);
    }
    assert!(!model.prune(&[]).expect("nothing to remove").is_pruned());
    let pruned = model.prune(&[TokenId(258)]).expect("a token that a rule makes");
    let error = pruned.truncate(257).expect_err("a pruned model");
    assert!(error.to_string().contains("pruned"), "{error}");
    let file = String::from_utf8(pruned.to_json()).expect("UTF-8");
    let unlisted = file.replace(r#""requires":["pruned"]"#, r#""requires":[]"#);
    let error = Model::from_json(unlisted.as_bytes()).expect_err("a token without an id");
    assert!(error.to_string().contains("which has no id"), "{error}");
    let whole = String::from_utf8(model.to_json()).expect("UTF-8");
    let listed = whole.replace(r#""version":1"#, r#""version":2,"requires":["pruned"]"#);
    let error = Model::from_json(listed.as_bytes()).expect_err("all tokens have ids");
    assert!(error.to_string().contains("every token"), "{error}");
}

#[test]
fn ids_follow_the_last_entry_and_special_tokens_come_after() {
    let model = made_again();
    let entered: Vec<_> = model.vocabulary().skip(256).collect();
    let expected: [(TokenId, &[u8]); 3] =
        [(TokenId(256), b"abc"), (TokenId(257), b"ab"), (TokenId(258), b"ababc")];
    assert_eq!(entered, expected);
    assert_eq!(model.special_tokens(), [(TokenId(259), "<s>".to_owned())]);
    assert_eq!(model.token_bytes(TokenId(259)), Some(b"<s>".as_slice()));
    assert_eq!(model.token_id(b"ab"), Some(TokenId(257)));
    assert_eq!(model.token_id(b"<s>"), None);
    let superwords = (256..261).map(|id| model.is_superword(TokenId(id)));
    let expected = [Some(false), Some(false), Some(true), Some(false), None];
    assert!(superwords.eq(expected));
}

#[test]
fn tokens_are_numbered_as_rules_make_them() {
    let model = made_again();
    assert_eq!(model.token(TokenIndex(256)), b"ab");
    assert_eq!(
        model.rules()[0],
        Rule::Merge { left: A, right: B, token: TokenIndex(256), count: 20 }
    );
    assert_eq!(model.id_of(TokenIndex(256)), Some(TokenId(257)));
    assert_eq!(model.id_of(TokenIndex(99_999)), None);
    assert_eq!(model.token_count(), 259);
}

#[test]
fn a_step_completes_before_the_size_is_looked_at() {
    let model = made_again();
    let rules = |size| model.truncate(size).expect("a smaller model").rules().len();
    // The second merge is the 258th token, its delete makes room again, and the third fills it.
    assert_eq!([256, 257, 258, 259, 300].map(rules), [0, 1, 4, 5, 5]);
    assert!(matches!(model.truncate(255), Err(Error::VocabSize { .. })));
}

#[test]
fn a_rule_makes_what_it_joins_and_nothing_else() {
    let make = |rule| {
        let model = Model::new(
            parameters(300),
            tokens(&["ab"]),
            vec![rule],
            Vec::new(),
            Training::default(),
        );
        model.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(make(Rule::Merge { left: A, right: B, token: TokenIndex(256), count: 2 }), Ok(()));
    assert_eq!(
        make(Rule::Merge { left: A, right: C, token: TokenIndex(256), count: 2 }),
        Err(r#"rule 0 makes "ab" of "a" and "c""#.to_owned())
    );
    assert!(
        make(Rule::Merge { left: A, right: TokenIndex(999), token: TokenIndex(256), count: 2 })
            .is_err()
    );
    assert!(
        make(Rule::Supermerge { left: A, right: B, token: TokenIndex(999), count: 2 }).is_err()
    );
}

#[test]
fn numbers_survive_the_file_to_the_last_bit() {
    let mut parameters = parameters(300);
    parameters.tau = 0.100_000_000_000_000_02;
    parameters.min_count = u64::MAX;
    let training = Training { documents: u64::MAX, ..Training::default() };
    let model = Model::new(parameters.clone(), tokens(&[]), Vec::new(), Vec::new(), training);
    let model = Model::from_json(&model.expect("a model").to_json()).expect("the same model");
    assert_eq!(model.parameters(), &parameters);
    assert_eq!(model.training(), &training);
    assert!(model.differing_tables().is_empty());
}

#[test]
fn the_fingerprint_tells_models_apart() {
    let truncated = made_again().truncate(258).expect("a smaller model");
    assert_eq!(made_again().fingerprint(), made_again().fingerprint());
    assert_ne!(made_again().fingerprint(), truncated.fingerprint());
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Model::from_json(&text).is_err());
    }

    #[test]
    fn a_file_with_other_bytes_is_refused_or_a_model(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut text = made_again().to_json();
        for (place, byte) in places {
            let place = place.index(text.len());
            text[place] = byte;
        }
        if let Ok(model) = Model::from_json(&text) {
            let again = Model::from_json(&model.to_json());
            prop_assert_eq!(again.ok(), Some(model));
        }
    }
}
