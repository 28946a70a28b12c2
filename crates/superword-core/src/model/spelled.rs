//! Tokens and rules as the model file writes them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::SpelledRule;

/// A token: a string if it is UTF-8, otherwise its bytes as `{"hex":"e280"}`.
pub(super) struct Token<'a>(pub(super) Cow<'a, [u8]>);

/// The key of a token that is not UTF-8.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum HexKey {
    Hex,
}

/// The first item of a rule.
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
            serializer.collect_map([("hex", to_hex(&self.0))])
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
                parse_hex(&digits).map(|bytes| Token(Cow::Owned(bytes))).ok_or_else(|| {
                    de::Error::custom("a token's \"hex\" is not pairs of hexadecimal digits")
                })
            }
        }

        deserializer.deserialize_any(TokenVisitor)
    }
}

/// Bytes as pairs of hexadecimal digits: 226, 128 -> `e280`.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of pairs of hexadecimal digits: `e280` -> 226, 128.
fn parse_hex(digits: &str) -> Option<Vec<u8>> {
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
                let kind = next_item(&mut seq, 0)?;
                let Token(token) = next_item(&mut seq, 1)?;
                let rule = match kind {
                    Kind::Delete => {
                        let parts: Vec<Token<'de>> = next_item(&mut seq, 2)?;
                        let parts = parts.into_iter().map(|Token(part)| part).collect();
                        SpelledRule::Delete { token, parts }
                    }
                    Kind::Merge | Kind::Supermerge => {
                        let (left, Token(right)) = (token, next_item(&mut seq, 2)?);
                        let count = next_item(&mut seq, 3)?;
                        match kind {
                            Kind::Merge => SpelledRule::Merge { left, right, count },
                            _ => SpelledRule::Supermerge { left, right, count },
                        }
                    }
                };
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(rule),
                    Some(_) => Err(de::Error::custom("a rule has too many items")),
                }
            }
        }

        deserializer.deserialize_seq(RuleVisitor)
    }
}

/// The next item of a rule. It is an error if there is none.
fn next_item<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    seq: &mut A,
    position: usize,
) -> Result<T, A::Error> {
    seq.next_element()?.ok_or_else(|| de::Error::invalid_length(position, &"a complete rule"))
}
