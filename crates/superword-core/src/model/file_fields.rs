//! The fields of a model file as read, the unknown ones included.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::format::{EligibleRecord, ParametersRecord, PatternRecord};
use super::spelled::Token;
use super::{RuleLimits, SpelledRule, TokenId, Training};
use crate::platform::huge_pages::HugeList;

/// A field that this version does not know: its name, and its value as it is written.
#[derive(Clone, Debug)]
pub(super) struct UnknownField {
    pub(super) name: String,
    pub(super) value: Box<RawValue>,
}

/// A file as read. Tokens without escapes are not copied.
pub(super) struct File<'a> {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) requires: Option<Vec<String>>,
    pub(super) pattern: PatternRecord,
    pub(super) eligible: EligibleRecord,
    pub(super) parameters: ParametersRecord,
    pub(super) training: Training,
    pub(super) special_tokens: Vec<(TokenId, String)>,
    pub(super) added_tokens: Option<Vec<(TokenId, String)>>,
    pub(super) lookup_tokens: Option<Vec<Token<'a>>>,
    pub(super) vocabulary: HugeList<(TokenId, Token<'a>)>,
    pub(super) rules: HugeList<SpelledRule<'a>>,
    pub(super) limits: Option<RuleLimits>,
    /// In the order of the file.
    pub(super) unknown: Vec<UnknownField>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Name {
    Format,
    Version,
    Requires,
    Pattern,
    Eligible,
    Parameters,
    Training,
    SpecialTokens,
    AddedTokens,
    LookupTokens,
    Vocabulary,
    Rules,
    Limits,
    Unknown(String),
}

impl<'de: 'a, 'a> Deserialize<'de> for File<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<File<'a>, D::Error> {
        deserializer.deserialize_map(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = File<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with the fields of a model")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File<'de>, A::Error> {
        let (mut format, mut version, mut requires) = (None, None, None);
        let (mut pattern, mut eligible, mut parameters) = (None, None, None);
        let (mut training, mut special_tokens, mut added_tokens) = (None, None, None);
        let (mut lookup_tokens, mut vocabulary) = (None, None);
        let (mut rules, mut limits) = (None, None);
        let mut unknown: Vec<UnknownField> = Vec::new();
        while let Some(name) = map.next_key()? {
            match name {
                Name::Format => read(&mut format, "format", &mut map)?,
                Name::Version => read(&mut version, "version", &mut map)?,
                Name::Requires => read(&mut requires, "requires", &mut map)?,
                Name::Pattern => read(&mut pattern, "pattern", &mut map)?,
                Name::Eligible => read(&mut eligible, "eligible", &mut map)?,
                Name::Parameters => read(&mut parameters, "parameters", &mut map)?,
                Name::Training => read(&mut training, "training", &mut map)?,
                Name::SpecialTokens => read(&mut special_tokens, "special_tokens", &mut map)?,
                Name::AddedTokens => read(&mut added_tokens, "added_tokens", &mut map)?,
                Name::LookupTokens => read(&mut lookup_tokens, "lookup_tokens", &mut map)?,
                Name::Vocabulary => read(&mut vocabulary, "vocabulary", &mut map)?,
                Name::Rules => read(&mut rules, "rules", &mut map)?,
                Name::Limits => read(&mut limits, "limits", &mut map)?,
                Name::Unknown(name) => {
                    let value = map.next_value()?;
                    unknown.push(UnknownField { name, value });
                }
            }
        }
        let missing = A::Error::missing_field;
        Ok(File {
            format: format.ok_or_else(|| missing("format"))?,
            version: version.ok_or_else(|| missing("version"))?,
            requires,
            pattern: pattern.ok_or_else(|| missing("pattern"))?,
            eligible: eligible.ok_or_else(|| missing("eligible"))?,
            parameters: parameters.ok_or_else(|| missing("parameters"))?,
            training: training.ok_or_else(|| missing("training"))?,
            special_tokens: special_tokens.ok_or_else(|| missing("special_tokens"))?,
            added_tokens,
            lookup_tokens,
            vocabulary: vocabulary.map(Vec::into).ok_or_else(|| missing("vocabulary"))?,
            rules: rules.map(Vec::into).ok_or_else(|| missing("rules"))?,
            limits,
            unknown,
        })
    }
}

/// Reads the value of a field, which must not occur twice.
fn read<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    field: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if field.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *field = Some(map.next_value()?);
    Ok(())
}
