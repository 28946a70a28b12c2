//! Files of other libraries, read and applied as slowly and plainly as can be.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;
use superword_core::model::TokenId;
use superword_core::{Model, Pattern};

use super::invented_files::File;

/// A tokenizer that merges by rank.
#[derive(Default)]
pub(super) struct SlowTokenizer {
    /// The ids of the tokens.
    ids: BTreeMap<Vec<u8>, u32>,
    /// The ranks of pairs; without them, a pair has the id of the token that it spells.
    ranks: Option<BTreeMap<[Vec<u8>; 2], usize>>,
    /// Whether a pretoken that is a token becomes it without merges.
    looks_up: bool,
    special_tokens: Vec<(String, u32)>,
    /// The other added tokens, with their ids, and whether they are normalized.
    added_tokens: Vec<(String, u32, bool)>,
}

impl SlowTokenizer {
    /// Reads a file; `None` if it is of another kind.
    pub(super) fn read(file: &File) -> Option<SlowTokenizer> {
        match file {
            File::Pair { vocabulary, merges } => read_pair(vocabulary, merges),
            File::Whole(content) => match serde_json::from_slice(content) {
                Ok(Value::Object(file)) if file.contains_key("config") => read_tekken(&file.into()),
                Ok(file) => read_tokenizer_json(&file),
                Err(_) => read_tiktoken(content),
            },
        }
    }

    /// Checks that a model has all tokens with their ids.
    pub(super) fn compare_vocabulary(&self, model: &Model) {
        let is_added = |token: &[u8]| {
            let mut special = self.special_tokens.iter().map(|(text, _)| text);
            let mut added = self.added_tokens.iter().map(|(text, ..)| text);
            special.any(|text| text.as_bytes() == token)
                || added.any(|text| text.as_bytes() == token)
        };
        for (token, &id) in self.ids.iter().filter(|(token, _)| !is_added(token)) {
            // An added token may be spelled like a token that no merge makes.
            if model.token_id(token).is_some() || self.added_tokens.is_empty() {
                assert_eq!(model.token_id(token), Some(TokenId(id)), "{token:?}");
            }
        }
        for (text, id) in &self.special_tokens {
            assert_eq!(model.token_bytes(TokenId(*id)), Some(text.as_bytes()));
        }
        for (text, id, _) in &self.added_tokens {
            assert_eq!(model.token_bytes(TokenId(*id)), Some(text.as_bytes()));
        }
    }

    /// Encodes a text; `None` if it has a special token.
    pub(super) fn encode(&self, text: &str, pattern: &Pattern) -> Option<Vec<u32>> {
        if self.special_tokens.iter().any(|(special, _)| text.contains(special.as_str())) {
            return None;
        }
        let mut ids = Vec::new();
        // Those that are not normalized are searched for first, in the whole text.
        for part in self.split_at_added(vec![Part::Text(text)], false) {
            for part in self.split_at_added(vec![part], true) {
                match part {
                    Part::Added(id) => ids.push(id),
                    Part::Text(text) => {
                        for span in pattern.spans(text) {
                            let pretoken = &text[span.ok()?];
                            ids.extend(self.merge(pretoken.as_bytes())?);
                        }
                    }
                }
            }
        }
        Some(ids)
    }

    /// Splits texts at the leftmost and longest added tokens that are normalized, or not.
    fn split_at_added<'t>(&self, parts: Vec<Part<'t>>, is_normalized: bool) -> Vec<Part<'t>> {
        let mut split = Vec::new();
        for part in parts {
            let Part::Text(text) = part else {
                split.push(part);
                continue;
            };
            let (mut start, mut at) = (0, 0);
            while at < text.len() {
                let here = self.added_tokens.iter().filter(|(added, _, normalized)| {
                    *normalized == is_normalized && text[at..].starts_with(added.as_str())
                });
                if let Some((added, id, _)) = here.max_by_key(|(added, ..)| added.len()) {
                    split.extend([Part::Text(&text[start..at]), Part::Added(*id)]);
                    at += added.len();
                    start = at;
                } else {
                    at += text[at..].chars().next().map_or(1, char::len_utf8);
                }
            }
            split.push(Part::Text(&text[start..]));
        }
        split
    }

    /// Merges a pretoken: the pair of the lowest rank first, and of several the leftmost.
    fn merge(&self, pretoken: &[u8]) -> Option<Vec<u32>> {
        if let Some(&id) = self.ids.get(pretoken).filter(|_| self.looks_up) {
            return Some(vec![id]);
        }
        let mut tokens: Vec<Vec<u8>> = pretoken.iter().map(|&byte| vec![byte]).collect();
        loop {
            let ranked = tokens.windows(2).enumerate().filter_map(|(at, pair)| {
                let rank = match &self.ranks {
                    Some(ranks) => *ranks.get(&[pair[0].clone(), pair[1].clone()])?,
                    None => *self.ids.get(&pair.concat())? as usize,
                };
                Some((rank, at))
            });
            let Some((_, at)) = ranked.min() else { break };
            let right = tokens.remove(at + 1);
            tokens[at].extend(right);
        }
        tokens.iter().map(|token| self.ids.get(token).copied()).collect()
    }
}

/// A part of a text.
#[derive(Clone, Copy)]
enum Part<'t> {
    Text(&'t str),
    Added(u32),
}

fn read_tokenizer_json(file: &Value) -> Option<SlowTokenizer> {
    let model = file.get("model")?;
    let mut slow = SlowTokenizer {
        ids: read_ids(model.get("vocab")?)?,
        looks_up: model.get("ignore_merges").and_then(Value::as_bool).unwrap_or(false),
        ..SlowTokenizer::default()
    };
    let mut ranks = BTreeMap::new();
    for (rank, merge) in model.get("merges")?.as_array()?.iter().enumerate() {
        ranks.insert(read_merge(merge)?, rank);
    }
    slow.ranks = Some(ranks);
    let nothing = Vec::new();
    let added = file.get("added_tokens").and_then(Value::as_array).unwrap_or(&nothing);
    for token in added {
        let is = |name: &str| token.get(name).and_then(Value::as_bool).unwrap_or(false);
        let text = token.get("content")?.as_str()?.to_owned();
        let id = token.get("id")?.as_u64()? as u32;
        if added.iter().filter(|other| other.get("content") == token.get("content")).count() > 1 {
            return None;
        }
        if is("special") {
            slow.special_tokens.push((text, id));
        } else {
            slow.added_tokens.push((text, id, is("normalized")));
        }
    }
    Some(slow)
}

fn read_pair(vocabulary: &[u8], merges: &[u8]) -> Option<SlowTokenizer> {
    let vocabulary: Value = serde_json::from_slice(vocabulary).ok()?;
    let mut ranks = BTreeMap::new();
    // The last place of a merge that is there twice counts.
    for (rank, line) in String::from_utf8(merges.to_vec()).ok()?.split('\n').enumerate() {
        let line = line.trim_end_matches('\r');
        if !line.is_empty() && !line.starts_with("#version") {
            ranks.insert(read_merge(&Value::String(line.to_owned()))?, rank);
        }
    }
    let end = "<|endoftext|>";
    let has_end = vocabulary.get(end).and_then(Value::as_u64) == Some(50256);
    let special_tokens = has_end.then(|| (end.to_owned(), 50256)).into_iter().collect();
    let ids = read_ids(&vocabulary)?;
    Some(SlowTokenizer { ids, ranks: Some(ranks), special_tokens, ..SlowTokenizer::default() })
}

fn read_tekken(file: &Value) -> Option<SlowTokenizer> {
    let number = |name: &str| file.get("config")?.get(name)?.as_u64();
    let first = number("default_num_special_tokens")?;
    let used = number("default_vocab_size")?.saturating_sub(first);
    let mut ids = BTreeMap::new();
    for token in file.get("vocab")?.as_array()? {
        let rank = token.get("rank")?.as_u64()?;
        if rank < used {
            let bytes = decode_base64(token.get("token_bytes")?.as_str()?)?;
            ids.insert(bytes, (rank + first) as u32);
        }
    }
    Some(SlowTokenizer { ids, looks_up: true, ..SlowTokenizer::default() })
}

fn read_tiktoken(content: &[u8]) -> Option<SlowTokenizer> {
    let mut ids = BTreeMap::new();
    for line in str::from_utf8(content).ok()?.lines().filter(|line| !line.trim().is_empty()) {
        let (token, rank) = line.trim().split_once(' ')?;
        ids.insert(decode_base64(token)?, rank.trim().parse().ok()?);
    }
    Some(SlowTokenizer { ids, looks_up: true, ..SlowTokenizer::default() })
}

/// Reads the tokens of a vocabulary that are spelled in bytes.
fn read_ids(vocabulary: &Value) -> Option<BTreeMap<Vec<u8>, u32>> {
    let mut ids = BTreeMap::new();
    for (text, id) in vocabulary.as_object()? {
        if let Some(token) = read_spelling(text) {
            ids.insert(token, id.as_u64()? as u32);
        }
    }
    Some(ids)
}

fn read_merge(merge: &Value) -> Option<[Vec<u8>; 2]> {
    let parts: Vec<&str> = match merge {
        Value::String(text) => text.split(' ').collect(),
        _ => merge.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?,
    };
    let [left, right] = parts[..] else { return None };
    Some([read_spelling(left)?, read_spelling(right)?])
}

fn read_spelling(text: &str) -> Option<Vec<u8>> {
    let read = |character| SPELLING.iter().position(|&known| known == character);
    text.chars().map(|character| read(character).map(|byte| byte as u8)).collect()
}

/// By byte: the character that spells it.
static SPELLING: LazyLock<Vec<char>> = LazyLock::new(|| {
    let is_visible = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut others = '\u{100}'..;
    let mut spell = |byte| if is_visible(byte) { Some(char::from(byte)) } else { others.next() };
    (0..=u8::MAX).map(|byte| spell(byte).expect("a character")).collect()
});

/// Returns the character that spells a byte.
pub(super) fn spell(byte: u8) -> char {
    SPELLING[usize::from(byte)]
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bits = Vec::new();
    for digit in digits.bytes() {
        let value = BASE64.iter().position(|&known| known == digit)?;
        bits.extend((0..6).rev().map(|bit| value >> bit & 1));
    }
    let bytes = bits.chunks_exact(8);
    Some(bytes.map(|bits| bits.iter().fold(0, |byte, &bit| byte << 1 | bit as u8)).collect())
}

/// Returns bytes in base 64.
pub(super) fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut bits = 0;
        for at in 0..3 {
            bits = bits << 8 | usize::from(group.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let digit = BASE64[bits >> (18 - 6 * at) & 63];
            text.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
