//! Tokens and rules as the model file spells them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::SpelledRule;

/// A token: a string if it is UTF-8, or else its bytes as `{"hex":"e280"}`.
pub(super) struct Token<'a>(pub(super) Cow<'a, [u8]>);

/// The one key that a token may have.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum HexKey {
    Hex,
}

/// What a rule begins with.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Merge,
    Supermerge,
    Delete,
}

impl Serialize for Token<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            serializer.serialize_str(text)
        } else {
            serializer.collect_map([("hex", hex(&self.0))])
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Token<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TokenVisitor;

        impl<'de> Visitor<'de> for TokenVisitor {
            type Value = Token<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token: a string, or {\"hex\": \"...\"}")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Token<'de>, E> {
                Ok(Token(Cow::Borrowed(text.as_bytes())))
            }

            fn visit_str<E>(self, text: &str) -> Result<Token<'de>, E> {
                Ok(Token(Cow::Owned(text.as_bytes().to_vec())))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Token<'de>, A::Error> {
                let Some((HexKey::Hex, digits)) = map.next_entry::<HexKey, String>()? else {
                    return Err(de::Error::custom("a token has no \"hex\""));
                };
                unhex(&digits).map(|bytes| Token(Cow::Owned(bytes))).ok_or_else(|| {
                    de::Error::custom("a token's \"hex\" is not pairs of hexadecimal digits")
                })
            }
        }

        deserializer.deserialize_any(TokenVisitor)
    }
}

/// Bytes as pairs of hexadecimal digits: 226, 128 -> `e280`.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes that pairs of hexadecimal digits spell: `e280` -> 226, 128.
fn unhex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|&[high, low]| Some((value(high)? << 4 | value(low)?) as u8));
    if rest.is_empty() { bytes.collect() } else { None }
}

impl Serialize for SpelledRule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let token = |bytes| Token(Cow::Borrowed(bytes));
        match self {
            SpelledRule::Merge { left, right, count } => {
                ("merge", token(left), token(right), count).serialize(serializer)
            }
            SpelledRule::Supermerge { left, right, count } => {
                ("supermerge", token(left), token(right), count).serialize(serializer)
            }
            SpelledRule::Delete { token: deleted, parts } => {
                let parts: Vec<Token<'_>> = parts.iter().map(|part| token(part)).collect();
                ("delete", token(deleted), parts).serialize(serializer)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SpelledRule<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RuleVisitor;

        impl<'de> Visitor<'de> for RuleVisitor {
            type Value = SpelledRule<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a rule: [\"merge\", left, right, count], the same with \"supermerge\", \
                     or [\"delete\", token, [part, ...]]",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let kind = item(&mut seq, 0)?;
                let Token(token) = item(&mut seq, 1)?;
                let rule = match kind {
                    Kind::Delete => {
                        let parts: Vec<Token<'de>> = item(&mut seq, 2)?;
                        let parts = parts.into_iter().map(|Token(part)| part).collect();
                        SpelledRule::Delete { token, parts }
                    }
                    Kind::Merge | Kind::Supermerge => {
                        let (left, Token(right)) = (token, item(&mut seq, 2)?);
                        let count = item(&mut seq, 3)?;
                        match kind {
                            Kind::Merge => SpelledRule::Merge { left, right, count },
                            _ => SpelledRule::Supermerge { left, right, count },
                        }
                    }
                };
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(rule),
                    Some(_) => Err(de::Error::custom("a rule goes on after its end")),
                }
            }
        }

        deserializer.deserialize_seq(RuleVisitor)
    }
}

/// The next item of a rule; it is an error if there is none.
fn item<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    seq: &mut A,
    place: usize,
) -> Result<T, A::Error> {
    seq.next_element()?.ok_or_else(|| de::Error::invalid_length(place, &"a complete rule"))
}
