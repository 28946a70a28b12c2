//! Reading JSON: strings that are not copied, ids, and sentences for what is wrong.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde_json::Error as JsonError;

use super::model_error;
use crate::Error;
use crate::model::TokenId;

/// A string of the file, which is copied only if it has escapes.
pub(super) struct JsonText<'f>(pub(super) Cow<'f, str>);

impl<'de: 'f, 'f> Deserialize<'de> for JsonText<'f> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<JsonText<'f>, D::Error> {
        from.deserialize_str(TextVisitor).map(JsonText)
    }
}

pub(super) struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// An id of the file.
#[derive(Clone, Copy)]
pub(super) struct JsonId(pub(super) TokenId);

impl<'de> Deserialize<'de> for JsonId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<JsonId, D::Error> {
        from.deserialize_u32(IdVisitor).map(JsonId)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = TokenId;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an id")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<TokenId, E> {
        u32::try_from(number).map(TokenId).map_err(|_| E::custom(ID_RANGE))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<TokenId, E> {
        Err(E::custom(ID_RANGE))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<TokenId, E> {
        // Integers of more than 64 bits come as such.
        let is_integer = number.abs() >= 9e18;
        let wrong = || E::invalid_type(Unexpected::Float(number), &self);
        Err(if is_integer { E::custom(ID_RANGE) } else { wrong() })
    }
}

pub(super) const ID_RANGE: &str = "an id must be from 0 to 4294967295";

/// Explains why a file is not JSON.
pub(super) fn explain_syntax(error: &JsonError) -> Error {
    explain(error, "neither a superword model, a tokenizer.json nor a tiktoken file")
}

/// Explains why JSON is not a `tokenizer.json`.
pub(super) fn explain_tokenizer(error: &JsonError) -> Error {
    explain(error, "not a tokenizer.json as Hugging Face tokenizers writes it")
}

/// Explains what is wrong with a file, which is not what it should be.
pub(super) fn explain(error: &JsonError, problem: &str) -> Error {
    let reason = error.to_string();
    let says = |start: &str| reason.starts_with(start);
    let is_syntax = error.is_syntax();
    model_error(if is_syntax && says("recursion limit exceeded") {
        "damaged: it is nested too deeply".to_owned()
    } else if is_syntax && (says("lone leading surrogate") || says("unexpected end of hex escape"))
    {
        let (line, column) = (error.line(), error.column());
        format!("damaged: a lone surrogate at line {line} column {column}")
    } else if error.is_data() && says(ID_RANGE) {
        reason
    } else {
        format!("{problem}: {reason}")
    })
}
