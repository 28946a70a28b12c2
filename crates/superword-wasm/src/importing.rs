//! Models from files: superword's own, the authors', and those of other libraries.

use superword_core::Error;
use superword_core::import::{FileKind, ImportOptions, ImportedModel, PublishedVocabulary, import};

use crate::session::{Failure, NewModel};

/// Opens a file of any kind. The pattern of a tiktoken file is known by its name, or taken to be that
/// of GPT-4o.
pub(crate) fn import_file(content: &[u8], name: &str) -> Result<NewModel, Failure> {
    let opened = open_content(content, name);
    let prefix = if name.is_empty() { String::new() } else { format!("{name}: ") };
    opened.map_err(|error| Failure(format!("{prefix}{error}")))
}

fn open_content(content: &[u8], name: &str) -> Result<NewModel, Error> {
    let mut options = ImportOptions::default();
    let mut unknown = None;
    if FileKind::detect(content) == FileKind::Tiktoken {
        let stem = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let known = PublishedVocabulary::find(stem);
        options.special_tokens = known.and_then(PublishedVocabulary::special_tokens);
        if let (Some(known), Some(_)) = (known, &options.special_tokens) {
            options.pattern = Some(known.pattern.to_owned());
        } else {
            options.pattern = Some("gpt4o".to_owned());
            unknown = Some(
                "a tiktoken file does not hold its pattern, and its name is not that of a \
                 published one; it splits text by gpt4o here, and has no special tokens"
                    .to_owned(),
            );
        }
    }
    let ImportedModel { model, mut warnings } = import(content, options)?;
    warnings.extend(unknown);
    Ok(NewModel { model, warnings })
}
