//! Models in the formats of the authors, read from texts good and bad.

use proptest::prelude::*;
use superword_core::model::{Deletion, Model, SpelledRule, TokenId};

/// `ab` is deleted, and `cab`, which is deleted after it, gives it back if it splits into the pair.
const WORD_V1: &str = "word v1
\"[a-z]+|.\"
7
0 a
1 b
2 c
3 ab
4 cab
5 cabb
6 Ġ
1
9 <|end of text|>
3
0 a b
1 c ab
3 cab b
2
2 ab
4 cab
0
0
";

const BOUNDLESS_V2: &str = "BoundlessBPE v2 boundless
vocabulary
5
0 a 0 0
1 b 0 0
2 c 3 0
3 cabb 5 0
4 acabb 5 1
special_tokens
0
words
{\"tau\": 0.7, \"blowup\": false, \"main_regex\": \"[b-z]+|.\", \"merge_pattern\": \".\"}
merges
3
0 a b 20 0
1 c ab 10 0
3 cab b 5 1
deletions
2
2 ab
4 cab
superwords
{\"tau\": 1.1, \"blowup\": false}
merges
1
0 a cabb 4 0
deletions
0
";

/// The parts that deletes split their tokens into.
fn parts(text: &str, deletion: Deletion) -> Vec<Vec<Vec<u8>>> {
    let model = Model::from_authors(text.as_bytes(), deletion).expect("a model");
    let deletes = model.rules().iter().filter_map(|rule| match model.spelled(rule) {
        SpelledRule::Delete { parts, .. } => {
            Some(parts.into_iter().map(std::borrow::Cow::into_owned).collect())
        }
        _ => None,
    });
    deletes.collect()
}

#[test]
fn deletes_split_as_each_format_says() {
    let [a, b, c, ab] = ["a", "b", "c", "ab"].map(|token| token.as_bytes().to_vec());
    let to_bytes = vec![vec![a.clone(), b.clone()], vec![c.clone(), a.clone(), b.clone()]];
    assert_eq!(parts(WORD_V1, Deletion::Bytes), to_bytes);
    assert_eq!(parts(WORD_V1, Deletion::Pair), [vec![a, b], vec![c, ab]]);
    // There, `ab` has no id.
    assert_eq!(parts(BOUNDLESS_V2, Deletion::Bytes), to_bytes);
}

#[test]
fn a_byte_that_is_not_listed_has_no_id() {
    let model = Model::from_authors(WORD_V1.as_bytes(), Deletion::Pair).expect("a model");
    assert_eq!(model.id_of(b'a'.into()), Some(TokenId(0)));
    assert_eq!(model.id_of(b'd'.into()), None);
    assert_eq!(model.vocab_size(), 7);
    assert_eq!(model.token_bytes(TokenId(4)), Some(b"cab".as_slice()));
    assert_eq!(model.special_tokens(), [(TokenId(9), "<|end of text|>".to_owned())]);
}

proptest! {
    #[test]
    fn a_file_with_other_lines_is_refused_or_a_model(
        is_first in any::<bool>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 1..4
        ),
    ) {
        let text = if is_first { WORD_V1 } else { BOUNDLESS_V2 };
        let mut lines: Vec<&str> = text.lines().collect();
        for (from, to, is_copy) in changes {
            let line = lines[from.index(lines.len())];
            if is_copy {
                lines.insert(to.index(lines.len()), line);
            } else {
                let place = to.index(lines.len());
                lines[place] = line;
            }
        }
        let text = lines.join("\n");
        if let Ok(model) = Model::from_authors(text.as_bytes(), Deletion::Pair) {
            prop_assert_eq!(Model::from_json(&model.to_json()).ok(), Some(model));
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        for first in ["word v1\n", "BoundlessBPE v2 boundless\n"] {
            let text = [first.as_bytes(), &text].concat();
            prop_assert!(Model::from_authors(&text, Deletion::Pair).is_err());
        }
    }
}
