//! The encoder against the definition, on invented models and texts.
//!
//! [`check()`] takes any bytes and needs nothing else, so it also serves as the body of a fuzz target.

mod choices;
mod models;
mod rules;
mod streams;
mod texts;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use superword_core::encode::{CpuLevel, OpenTextEncoder, replay_tokens, replayed_token};
use superword_core::model::TokenId;
use superword_core::{Encoder, Error, Model};

pub(crate) use self::choices::Choices;
use self::models::invent_model;
pub(crate) use self::models::{KINDS, Kind};
use self::texts::Language;

/// Invents a model and this many texts from bytes, and compares what each way to encode a text makes
/// of it with what the definition does.
///
/// # Panics
/// If they differ.
pub(crate) fn check(data: &[u8], texts: usize) {
    let (invented, mut choices) = Invented::new(data);
    for number in 0..texts {
        let items = match choices.below(400) {
            0 => choices.between(2000, 5000),
            1..6 => choices.between(400, 1500),
            _ => choices.between(0, 40),
        };
        let text = invented.language.invent_text(&mut choices, items);
        let expected = define(&invented.model, &text);
        invented.compare(&text, &expected, WAYS[number % WAYS.len()]);
        invented.compare_streams(&mut choices, &text, &expected);
    }
}

/// Invents a model and a long text from bytes, and compares the ways to encode it with one another.
///
/// # Panics
/// If they differ.
pub(crate) fn check_long(data: &[u8]) {
    let (invented, mut choices) = Invented::new(data);
    let text = invented.language.invent_text(&mut choices, 10_000);
    let (_, encode) = BASE_IN_GROUPS_OF_8;
    let expected = unwrap_token(encode(&invented.encoder, &text));
    let ways = [V4_IN_GROUPS_OF_8, V3_IN_GROUPS_OF_512, V4_IN_GROUPS_OF_512, BASE_IN_GROUPS_OF_512];
    invented.compare(&text, &expected, &ways);
}

/// Encodes bytes as a text, with the model that the first of them names: as a whole, as a stream, and
/// by the definition.
///
/// # Panics
/// If they differ.
pub(crate) fn check_text(data: &[u8]) {
    let (invented, text) = Invented::named(data);
    let text = String::from_utf8_lossy(text);
    let expected = define(&invented.model, &text);
    invented.compare(&text, &expected, WAYS[text.len() % WAYS.len()]);
    invented.compare_streams(&mut Choices::new(data), &text, &expected);
}

/// Decodes bytes as ids, four bytes each, with the model that the first of them names.
///
/// # Panics
/// If the decoded bytes are not those of the tokens, or an unknown id is decoded.
pub(crate) fn check_decoding(data: &[u8]) {
    let (invented, ids) = Invented::named(data);
    let Invented { model, encoder, .. } = &*invented;
    let largest = model.vocabulary().map(|(id, _)| id.0).max().unwrap_or(0);
    let ids: Vec<u32> = ids
        .chunks(4)
        .map(|chunk| {
            let id = chunk.iter().fold(0, |id, &byte| id << 8 | u32::from(byte));
            // Most ids are known, or nearly so.
            if id % 8 == 0 { id } else { id % largest.saturating_add(2) }
        })
        .collect();
    let tokens = ids.iter().map(|&id| model.token_bytes(TokenId(id)));
    let expected: Option<Vec<&[u8]>> = tokens.collect();
    let decoded = model.decode(&ids).ok();
    assert_eq!(decoded, expected.map(|tokens| tokens.concat()));
    let Some(text) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
    let [bytes, characters] = model.offsets(&text, &ids).expect("ids that are known");
    assert!(bytes.len() == ids.len() && characters.len() == ids.len());
    if let Ok(encoded) = encoder.encode(&text) {
        assert_eq!(model.decode(&encoded).expect("its own ids"), text.as_bytes());
    }
}

/// What bytes are made into.
struct Invented {
    language: Language,
    model: Model,
    encoder: Arc<Encoder>,
    open_texts: Arc<OpenTextEncoder>,
}

thread_local! {
    /// The models that one byte names. Each is invented once, for inventing takes far longer than
    /// encoding a short text.
    static NAMED: RefCell<HashMap<u8, Rc<Invented>>> = RefCell::default();
}

impl Invented {
    /// Invents a model. The first byte says of which kind. What is left is drawn from the choices.
    fn new(data: &[u8]) -> (Invented, Choices<'_>) {
        let (&kind, data) = data.split_first().unwrap_or((&0, data));
        let kind = KINDS[usize::from(kind) % KINDS.len()];
        let mut choices = Choices::new(data);
        let is_dense = choices.chance(4);
        let language = if is_dense {
            Language::with_one_letter(&mut choices)
        } else {
            Language::new(&mut choices)
        };
        let model = invent_model(&mut choices, kind, &language, is_dense);
        // On many threads, so that each has a few tokens that are not bytes; or on one.
        let threads = 1 + 60 * (model.rules().len() % 2);
        let encoder = Encoder::on_threads(&model, threads).expect("a simple eligibility");
        let encoder = Arc::new(encoder);
        let open_texts = Arc::new(OpenTextEncoder::new(&model, encoder.clone()));
        (Invented { language, model, encoder, open_texts }, choices)
    }

    /// Returns the model that the first byte names, and the other bytes.
    fn named(data: &[u8]) -> (Rc<Invented>, &[u8]) {
        let (&name, rest) = data.split_first().unwrap_or((&0, data));
        let invent = || Rc::new(Invented::new(&[name, name]).0);
        (NAMED.with_borrow_mut(|named| named.entry(name).or_insert_with(invent).clone()), rest)
    }

    /// Encodes a text in some ways. They share a cache, so the first of them meets the text's new
    /// pretokens.
    fn compare(&self, text: &str, expected: &Ids, ways: &[Way]) {
        for (name, encode) in ways {
            let found = unwrap_token(encode(&self.encoder, text));
            assert!(
                found == *expected,
                "{name} differ\nmodel: {}\ntext: {text:?}\nfound:    {found:?}\nexpected: {expected:?}",
                String::from_utf8_lossy(&self.model.to_json()),
            );
        }
    }
}

/// The ids of a text, or the first of its tokens that has none.
type Ids = Result<Vec<u32>, Box<[u8]>>;

fn unwrap_token(ids: Result<Vec<u32>, Error>) -> Ids {
    ids.map_err(|error| match error {
        Error::NoSuchToken { token } => token,
        error => panic!("{error}"),
    })
}

/// A way to encode a text: its name, and what it gives.
type Way = (&'static str, fn(&Encoder, &str) -> Result<Vec<u32>, Error>);

/// All ways. A text is encoded in two or three of them. A processor uses the best level that it has, up to
/// the one that is named.
const WAYS: [&[Way]; 6] = [
    &[V4_IN_GROUPS_OF_8, BASE_IN_GROUPS_OF_512],
    &[BASE_IN_GROUPS_OF_8, V4_IN_GROUPS_OF_512],
    &[V4_IN_GROUPS_OF_512, BASE_IN_GROUPS_OF_8],
    &[BASE_IN_GROUPS_OF_512, V3_IN_GROUPS_OF_8],
    &[V3_IN_GROUPS_OF_512, V4_IN_GROUPS_OF_8],
    &[V4_IN_GROUPS_OF_24, V4_IN_GROUPS_OF_8, V3_IN_GROUPS_OF_512],
];

const BASE_IN_GROUPS_OF_8: Way =
    ("groups of 8, base", |encoder, text| encoder.encode_in_groups::<8>(text, CpuLevel::Base));
const V3_IN_GROUPS_OF_8: Way =
    ("groups of 8, v3", |encoder, text| encoder.encode_in_groups::<8>(text, CpuLevel::V3));
const V4_IN_GROUPS_OF_8: Way =
    ("groups of 8, v4", |encoder, text| encoder.encode_in_groups::<8>(text, CpuLevel::V4));
const V4_IN_GROUPS_OF_24: Way =
    ("groups of 24, v4", |encoder, text| encoder.encode_in_groups::<24>(text, CpuLevel::V4));
const BASE_IN_GROUPS_OF_512: Way =
    ("groups of 512, base", |encoder, text| encoder.encode_in_groups::<512>(text, CpuLevel::Base));
const V3_IN_GROUPS_OF_512: Way =
    ("groups of 512, v3", |encoder, text| encoder.encode_in_groups::<512>(text, CpuLevel::V3));
const V4_IN_GROUPS_OF_512: Way =
    ("groups of 512, v4", |encoder, text| encoder.encode_in_groups::<512>(text, CpuLevel::V4));

/// Encodes a text by the definition.
fn define(model: &Model, text: &str) -> Ids {
    let tokens = replay_tokens(model, text).expect("a simple pattern");
    let id = |token| match replayed_token(model, token) {
        (_, Some(id)) => Ok(id.0),
        (bytes, None) => Err(Box::from(bytes)),
    };
    tokens.into_iter().map(id).collect()
}
