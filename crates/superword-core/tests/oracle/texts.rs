//! Invented words and texts.

use super::choices::Choices;

/// The alphabets of words. With few letters, pairs overlap and tokens are made in several ways.
const ALPHABETS: [&[&str]; 8] = [
    &["a"],
    &["a", "b"],
    &["a", "b", "c", "d", "e"],
    &["a", "b", "é", "ß"],
    &["a", "B", "'", "_"],
    &["a", "中", "文", "\u{301}", "😀", "ت"],
    &["中", "文", "ア", "ー", "ค", "ั"],
    &["a", "ж", "中", "१", "1", "\u{301}", "\u{200d}", "、", "µ"],
];

/// What stands between words.
const SEPARATORS: [&str; 16] = [
    " ", "  ", "\n", "\r\n", ".\nA", ", ", "-", "1", "42", "123456", "’", "\t", "\u{a0}", "!!",
    "\0", "/",
];

/// The words that a model is made from, and that its texts repeat.
pub(crate) struct Language {
    alphabet: &'static [&'static str],
    words: Vec<String>,
}

impl Language {
    /// Invents a few words.
    pub(crate) fn new(choices: &mut Choices) -> Language {
        let alphabet: &&[&str] = choices.pick(&ALPHABETS);
        Language::with_alphabet(choices, alphabet)
    }

    /// Invents a few words of the same letter.
    pub(crate) fn with_one_letter(choices: &mut Choices) -> Language {
        Language::with_alphabet(choices, ALPHABETS[0])
    }

    fn with_alphabet(choices: &mut Choices, alphabet: &'static [&'static str]) -> Language {
        let mut language = Language { alphabet, words: Vec::new() };
        for _ in 0..choices.between(3, 12) {
            let longest = if choices.chance(10) { 40 } else { 6 };
            let word = language.invent_word(choices, longest);
            language.words.push(word);
        }
        language
    }

    /// Invents a text of words, most of them known.
    pub(crate) fn invent_text(&self, choices: &mut Choices, items: usize) -> String {
        let mut text = String::new();
        let mut recent = String::new();
        // How many percent of the words are new, how often a word has a space before it, and how
        // often something else stands between words: it differs from text to text.
        let new = *choices.pick(&[0, 5, 30, 90]);
        let spaced = *choices.pick(&[100, 95, 75]);
        let separated = *choices.pick(&[0, 5, 30]);
        for _ in 0..items {
            if choices.chance(separated) {
                let separator: &&str = choices.pick(&SEPARATORS);
                text.push_str(separator);
            }
            if choices.chance(spaced) {
                text.push(' ');
            }
            if !choices.chance(new) {
                let word: &String = choices.pick(&self.words);
                text.push_str(word);
            } else if choices.chance(40) {
                // The same new word again, usually in the same group.
                text.push_str(&recent);
            } else {
                let longest = match choices.below(1000) {
                    0..2 => 400,
                    2..30 => 40,
                    30..150 => 20,
                    _ => 5,
                };
                recent = self.invent_word(choices, longest);
                text.push_str(&recent);
            }
        }
        text
    }

    fn invent_word(&self, choices: &mut Choices, longest: usize) -> String {
        let length = choices.between(1, longest);
        // Long words repeat a few letters, as words that rules apply to do.
        let period = choices.between(1, 7);
        let letters: Vec<&str> = (0..period).map(|_| *choices.pick(self.alphabet)).collect();
        letters.iter().cycle().take(length).copied().collect()
    }
}
