use proptest::prelude::*;

use super::*;
use crate::pretokenize::scanners::boundless::Boundless;
use crate::pretokenize::scanners::gpt2::Gpt2;
use crate::pretokenize::scanners::gpt4::Gpt4;
use crate::pretokenize::scanners::gpt4o::Gpt4o;
use crate::pretokenize::scanners::gpt4o_scripts::Gpt4oScripts;
use crate::pretokenize::scanners::punct::Punct;

/// Pieces whose neighbours matter: cases, marks, digits, quotes, newlines, and characters of
/// two, three and four bytes. Letters and spaces are frequent, so that blocks get far.
const PIECES: [&str; 72] = [
    "a",
    "b",
    "the",
    "The",
    "XML",
    "Http",
    "s",
    "S",
    "ll",
    "VE",
    "re",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\n\n",
    "_",
    "'",
    "'",
    "'s",
    "'t",
    "'Ll",
    "’",
    "’s",
    "1",
    "23",
    "456",
    "7890",
    "!",
    "-",
    "/",
    "\u{301}",
    "\u{e9}",
    "\u{c9}",
    "\u{1c5}",
    "中",
    "\u{a0}",
    "\u{200b}",
    "٣",
    "😀",
    "ſ",
    "\u{1}",
    "Ж",
    "жж",
    "語",
    "文字",
    "あ",
    "アー",
    "ー",
    "คั",
    "ภาษา",
    "ကို",
    "។",
    "၁",
    "१",
    "क्",
    "्",
    "א",
    "\u{200d}",
    "\u{200c}",
    "\u{fe0f}",
    "\u{1680}",
    "𝐛",
    "µ",
    "\u{1d165}",
    "፡",
    "。",
];

/// What texts of other scripts are made of.
const SCRIPT_PIECES: [&str; 30] = [
    "a", "The", " ", " ", "  ", "\n", "、", "。", "1", "'s", "語", "語", "文字", "漢字", "あ",
    "い", "の", "アー", "ー", "ค", "ภา", "ษ", "ั", "្", "ក", "ж", "Ж", "ع", "क", "\u{301}",
];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        // Mostly pieces that the masks can decide, so that others come at any offset.
        8 => prop::sample::select(&PIECES[..36]),
        1 => prop::sample::select(&PIECES[..]),
        8 => prop::sample::select(&SCRIPT_PIECES[..]),
    ];
    prop::collection::vec(piece, 0..160).prop_map(|pieces| pieces.concat())
}

fn check<G: Grammar>(text: &str) -> Result<(), TestCaseError> {
    let fast: Vec<_> = Scan::<G>::new(text).collect();
    let slow: Vec<_> = Scan::<G>::without_blocks(text).collect();
    prop_assert_eq!(&fast, &slow);
    let folded = Scan::<G>::new(text).fold(Vec::new(), |mut spans, span| {
        spans.push(span);
        spans
    });
    prop_assert_eq!(&folded, &slow);
    for level in [CpuLevel::Base, CpuLevel::V3] {
        let level = level.min(CpuLevel::detected());
        let lower: Vec<_> = Scan::<G> { level, ..Scan::new(text) }.collect();
        prop_assert_eq!(&lower, &slow);
    }
    prop_assert!(slow.windows(2).all(|pair| pair[0].end == pair[1].start));
    Ok(())
}

fn check_all(text: &str) -> Result<(), TestCaseError> {
    check::<Gpt2>(text)?;
    check::<Gpt4<true, false>>(text)?;
    check::<Gpt4<true, true>>(text)?;
    check::<Gpt4<false, false>>(text)?;
    check::<Gpt4o>(text)?;
    check::<Gpt4oScripts>(text)?;
    check::<Punct>(text)?;
    check::<Boundless<true>>(text)?;
    check::<Boundless<false>>(text)
}

/// Each of these pieces decides how the text before it is split, and was once split wrong.
#[test]
fn a_run_is_split_by_its_end() {
    let digits = "7".repeat(200);
    for piece in [&digits, "\n  \u{a0}\n", "1234٣", "12341\u{301}", "_foo's", "a'b'c", "!\n/\n"] {
        for lead in 0..60 {
            let text = format!("{} {piece} {}", "ab ".repeat(lead / 3), "x ".repeat(60));
            check_all(&text[lead % 3..]).expect("blocks agree with the branches");
        }
    }
}

/// The last bytes of a text, which are padded to a block.
#[test]
fn ends_of_texts_are_split_as_the_branches_do() {
    let ends =
        ["'Ll  \r\n     ", "\t\u{a0}  ", "!!\n\n/", " 1234567", "'re", "ABCd", "\u{301}", "\0\0"];
    for end in ends {
        for lead in 0..80 {
            let text = format!("{}{end}", "ab, ".repeat(20));
            check_all(&text[lead..]).expect("blocks agree with the branches");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn blocks_agree_with_the_branches(text in texts()) {
        check_all(&text)?;
    }
}
