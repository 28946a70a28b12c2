//! Model files: ours, and the authors' two.

use superword_core::model::Deletion;
use superword_core::{Encoder, Model};

/// Texts that a model encodes.
const TEXTS: [&str; 4] = ["", "to be or not to be", " the  the\n\n", "é 中文\u{301}😀 123456 a'b"];

/// Models with more rules are not encoded with, so that a run stays short.
const MOST_RULES: usize = 2_000;

/// Reads a model file. The first byte says of which kind. One that is read is written and read again,
/// and encodes and decodes texts.
pub(super) fn load(data: &[u8]) {
    let Some((&kind, file)) = data.split_first() else { return };
    let read = match kind % 4 {
        0 | 1 => Model::from_json(file),
        2 => Model::from_authors(file, Deletion::Bytes),
        _ => Model::from_authors(file, Deletion::Pair),
    };
    let Ok(model) = read else { return };
    let written = model.to_json();
    let again = Model::from_json(&written).expect("a written model");
    assert!(again == model && again.to_json() == written);
    if model.rules().len() > MOST_RULES {
        return;
    }
    let Ok(encoder) = Encoder::new(&model) else { return };
    for text in TEXTS {
        // A byte may have no token, and a regex may backtrack too much.
        let Ok(ids) = encoder.encode(text) else { continue };
        assert_eq!(model.decode(&ids).expect("ids of the model"), text.as_bytes());
    }
}
