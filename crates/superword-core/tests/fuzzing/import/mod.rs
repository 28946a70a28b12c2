//! Files of other libraries: whatever they hold, and files that are invented, against a slow reading.

mod invented_files;
mod slow_tokenizer;

use superword_core::import::{FileKind, ImportOptions, ImportedModel, import, import_merges};
use superword_core::{Encoder, Model};

use self::invented_files::{File, invent_file};
use self::slow_tokenizer::SlowTokenizer;
use crate::oracle::Choices;

/// Texts that a model encodes.
const TEXTS: [&str; 5] = [
    "",
    "to be or not to be",
    " the  the\n\n",
    "é 中文\u{301}😀 123456 a'b",
    "abcab bca  aabbcc<a>bab",
];

/// The pieces of invented texts.
const PIECES: [&str; 12] = ["a", "b", "c", "ab", " ", " a", "\n", "é", "1", "<a>", ">b", "abc"];

/// Models with more rules are not encoded with, so that a run stays short.
const MOST_RULES: usize = 2_000;

/// Imports a file. The first byte says whether the others are its content, or choices that invent one.
pub(super) fn import_bytes(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else { return };
    let is_approximate = kind & 1 == 1;
    match kind >> 1 & 3 {
        0 => check_file(&File::Whole(rest.to_vec()), is_approximate, &TEXTS.map(str::to_owned)),
        1 => {
            let at = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
            let (vocabulary, merges) = (rest[..at].to_vec(), rest[at..].to_vec());
            let merges = merges.get(1..).unwrap_or_default().to_vec();
            let pair = File::Pair { vocabulary, merges };
            check_file(&pair, is_approximate, &TEXTS.map(str::to_owned));
        }
        _ => {
            let mut choices = Choices::new(rest);
            let file = invent_file(&mut choices);
            let texts = [(); 8].map(|()| {
                let length = choices.below(12);
                (0..length).map(|_| *choices.pick(&PIECES)).collect::<String>()
            });
            check_file(&file, is_approximate, &texts);
        }
    }
}

/// Imports a file, and compares the model with what a slow reading of the file says.
fn check_file(file: &File, is_approximate: bool, texts: &[String]) {
    let options = |pattern: Option<&str>| ImportOptions {
        pattern: pattern.map(str::to_owned),
        is_approximate,
        ..ImportOptions::default()
    };
    let imported = match file {
        File::Whole(content) => {
            let is_tiktoken = FileKind::detect(content) == FileKind::Tiktoken;
            import(content, options(is_tiktoken.then_some("gpt2")))
        }
        File::Pair { vocabulary, merges } => {
            import_merges(vocabulary, merges, options(Some("gpt2")))
        }
    };
    let ImportedModel { model, warnings } = match imported {
        Ok(imported) => imported,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(is_approximate || warnings.is_empty());
    let written = model.to_json();
    let again = Model::from_json(&written).expect("a written model");
    assert!(again == model && again.to_json() == written);
    if model.rules().len() > MOST_RULES {
        return;
    }
    let slow = SlowTokenizer::read(file);
    if let Some(slow) = &slow {
        slow.compare_vocabulary(&model);
    }
    let Ok(encoder) = Encoder::new(&model) else { return };
    for text in texts {
        // A regex may backtrack too much, and a byte that is not in UTF-8 has no token.
        let Ok(ids) = encoder.encode(text) else { continue };
        assert_eq!(model.decode(&ids).expect("ids of the model"), text.as_bytes());
        if let Some(slow) = slow.as_ref().filter(|_| warnings.is_empty())
            && let Some(expected) = slow.encode(text, model.pattern())
        {
            assert_eq!(ids, expected, "{text:?}");
        }
    }
}
