//! Files of other libraries that are invented from choices.

use serde_json::{Map, Value, json};

use super::slow_tokenizer::{encode_base64, spell};
use crate::oracle::Choices;

/// A file, or two that belong together.
pub(super) enum File {
    Whole(Vec<u8>),
    Pair { vocabulary: Vec<u8>, merges: Vec<u8> },
}

/// The parts of invented tokens.
const PARTS: [&[u8]; 8] = [b"a", b"b", b"c", b" ", b"\xc3", b"\xa9", b"1", b"\n"];

/// Texts of added tokens.
const ADDED: [&str; 10] = ["<a>", ">b", "  ", " ", "ab", "a<", "<s>", "\n\n", "é", "c<a"];

/// A vocabulary with merges by rank.
struct Invented {
    tokens: Vec<(u32, Vec<u8>)>,
    merges: Vec<[Vec<u8>; 2]>,
}

/// Invents a file of some kind.
pub(super) fn invent_file(choices: &mut Choices<'_>) -> File {
    let kind = choices.below(8);
    let invented = invent_vocabulary(choices, kind >= 6);
    match kind {
        0..4 => File::Whole(write_tokenizer_json(choices, &invented)),
        4..6 => write_pair(choices, &invented),
        6 => {
            let lines = invented.tokens.iter();
            let lines = lines.map(|(id, token)| format!("{} {id}\n", encode_base64(token)));
            File::Whole(lines.collect::<String>().into_bytes())
        }
        _ => File::Whole(write_tekken(choices, &invented)),
    }
}

/// Invents tokens that merges make, mostly, and perhaps changes the order of the merges.
fn invent_vocabulary(choices: &mut Choices<'_>, ids_are_ranks: bool) -> Invented {
    let first = if ids_are_ranks { 0 } else { choices.below(4) as u32 };
    let mut tokens: Vec<(u32, Vec<u8>)> =
        (0..=u8::MAX).map(|byte| (first + u32::from(byte), vec![byte])).collect();
    let mut merges = Vec::new();
    let mut names: Vec<Vec<u8>> = PARTS.iter().map(|part| part.to_vec()).collect();
    let mut next = first + 256;
    for _ in 0..choices.below(24) {
        let pair = [choices.pick(&names).clone(), choices.pick(&names).clone()];
        let token = pair.concat();
        if token.len() > 12 {
            continue;
        }
        merges.push(pair);
        if names.contains(&token) {
            continue;
        }
        next += if choices.chance(10) { 3 } else { 1 };
        tokens.push((next, token.clone()));
        names.push(token);
    }
    for _ in 0..choices.below(3) {
        if merges.len() > 1 {
            let (one, other) = (choices.below(merges.len()), choices.below(merges.len()));
            merges.swap(one, other);
        }
    }
    if choices.chance(20) && !merges.is_empty() {
        merges.remove(choices.below(merges.len()));
    }
    if choices.chance(30) && tokens.len() > 258 {
        let (one, other) = (choices.between(256, tokens.len() - 1), tokens.len() - 1);
        let [id, other_id] = [tokens[one].0, tokens[other].0];
        (tokens[one].0, tokens[other].0) = (other_id, id);
    }
    Invented { tokens, merges }
}

fn write_tokenizer_json(choices: &mut Choices<'_>, invented: &Invented) -> Vec<u8> {
    let split = |regex: &str| json!({"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": false});
    let byte_level = |uses_regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": uses_regex});
    let sequence = |steps: Vec<Value>| json!({"type": "Sequence", "pretokenizers": steps});
    let digits = json!({"type": "Digits", "individual_digits": choices.chance(50)});
    let pre_tokenizer = match choices.below(6) {
        0 => byte_level(true),
        1 => byte_level(false),
        2 => sequence(vec![split(r" ?[a-z<>]+|\s+|."), byte_level(false)]),
        3 => sequence(vec![digits, split("[ab]+"), byte_level(true)]),
        4 => sequence(vec![split("ab"), byte_level(false)]),
        _ => sequence(vec![digits, byte_level(false)]),
    };
    let mut vocabulary = spell_ids(invented);
    let mut added_tokens: Vec<Value> = Vec::new();
    for _ in 0..choices.below(4) {
        let content = *choices.pick(&ADDED);
        if added_tokens.iter().any(|token| token["content"] == content) {
            continue;
        }
        let mut id = 5000 + added_tokens.len() as u32;
        if choices.chance(40)
            && let Some(known) = vocabulary.get(content).and_then(Value::as_u64)
        {
            id = known as u32;
        } else if choices.chance(40) {
            vocabulary.insert(content.to_owned(), id.into());
        }
        let special = content == "<s>" || choices.chance(10);
        let normalized = choices.chance(40);
        added_tokens.push(json!({"id": id, "content": content, "special": special, "normalized": normalized, "lstrip": false, "rstrip": false, "single_word": false}));
    }
    let are_joined = choices.chance(50);
    let merges: Vec<Value> = spell_merges(invented, are_joined);
    let normalizer = if choices.chance(5) { json!({"type": "NFC"}) } else { Value::Null };
    let file = json!({
        "version": "1.0",
        "added_tokens": added_tokens,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "model": {
            "type": "BPE",
            "ignore_merges": choices.chance(50),
            "vocab": vocabulary,
            "merges": merges,
        },
    });
    file.to_string().into_bytes()
}

fn write_pair(choices: &mut Choices<'_>, invented: &Invented) -> File {
    let mut vocabulary = spell_ids(invented);
    if choices.chance(50) {
        vocabulary.insert("<|endoftext|>".to_owned(), 50256.into());
    }
    let mut lines = vec!["#version: 0.2".to_owned()];
    for merge in spell_merges(invented, true) {
        lines.push(merge.as_str().expect("a string").to_owned());
    }
    let vocabulary = Value::Object(vocabulary).to_string().into_bytes();
    File::Pair { vocabulary, merges: lines.join("\n").into_bytes() }
}

fn write_tekken(choices: &mut Choices<'_>, invented: &Invented) -> Vec<u8> {
    let special_count = choices.below(30);
    let vocabulary: Vec<Value> = (0..)
        .zip(&invented.tokens)
        .map(|(rank, (_, token)): (u32, _)| json!({"rank": rank, "token_bytes": encode_base64(token)}))
        .collect();
    let file = json!({
        "config": {
            "pattern": r" ?[a-z<>]+|\s+|.",
            "default_vocab_size": special_count + vocabulary.len() - choices.below(4),
            "default_num_special_tokens": special_count,
        },
        "vocab": vocabulary,
        "special_tokens": [{"rank": 0, "token_str": "<s>"}],
    });
    file.to_string().into_bytes()
}

fn spell_token(token: &[u8]) -> String {
    token.iter().map(|&byte| spell(byte)).collect()
}

fn spell_ids(invented: &Invented) -> Map<String, Value> {
    invented.tokens.iter().map(|(id, token)| (spell_token(token), (*id).into())).collect()
}

fn spell_merges(invented: &Invented, are_joined: bool) -> Vec<Value> {
    let spell_merge = |pair: &[Vec<u8>; 2]| {
        let [left, right] = [&pair[0], &pair[1]].map(|part| spell_token(part));
        if are_joined { json!(format!("{left} {right}")) } else { json!([left, right]) }
    };
    invented.merges.iter().map(spell_merge).collect()
}
