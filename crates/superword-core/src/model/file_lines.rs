//! The tokens and rules of a model file in the layout in which superword writes it: each on a line of its
//! own.
//!
//! These lines are almost all of a file, and most of them are simple. Read by hand, they take a third of
//! the time that a JSON library takes for any layout. It still reads the rest, and lines with escapes.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::file_fields::File;
use super::spelled::Token;
use super::{SpelledRule, TokenId};
use crate::corpus::find_special;
use crate::platform::huge_pages::HugeList;

/// What precedes the lines of the vocabulary, what is between them and those of the rules, and what
/// follows these. No string of JSON contains a line break, so they are not inside one.
const VOCABULARY: &str = ",\n\"vocabulary\":[";
const RULES: &str = "\n],\n\"rules\":[";
const END: &str = "\n]";

/// The shortest lines, with the line break before each.
const SHORTEST_TOKEN: &str = "\n[0,\"\"]";
const SHORTEST_RULE: &str = "\n[\"merge\",\"\",\"\",1]";

/// Reads a file in the layout in which superword writes it; `None` if it has another, or is not a model.
/// `rest` receives the file without its tokens and rules.
pub(super) fn read_lines<'a>(text: &'a str, rest: &'a mut String) -> Option<File<'a>> {
    let find = |pattern: &str, from: usize| {
        let found = memmem::find(&text.as_bytes()[from..], pattern.as_bytes())?;
        Some((from + found, from + found + pattern.len()))
    };
    let (head_end, vocabulary_start) = find(VOCABULARY, 0)?;
    let (vocabulary_end, rules_start) = find(RULES, vocabulary_start)?;
    let (rules_end, _) = find(END, rules_start)?;
    // Other objects may have fields of these names. This one is the file if closing it ends the text.
    *rest = [&text[..head_end], "}"].concat();
    serde_json::from_str::<IgnoredAny>(rest).ok()?;
    *rest = [&text[..vocabulary_start], RULES, &text[rules_end..]].concat();
    let mut file: File<'a> = serde_json::from_str(rest).ok()?;
    let vocabulary = &text[vocabulary_start..vocabulary_end];
    file.vocabulary = read_all(vocabulary, SHORTEST_TOKEN.len(), Line::token)?;
    file.rules = read_all(&text[rules_start..rules_end], SHORTEST_RULE.len(), Line::rule)?;
    Some(file)
}

/// Reads lines of at least `shortest` bytes, each after a line break. All but the last end with a comma.
fn read_all<'a, T: Deserialize<'a>>(
    text: &'a str,
    shortest: usize,
    read: impl Fn(&mut Line<'a>) -> Option<T>,
) -> Option<HugeList<T>> {
    let count = memchr_iter(b'\n', text.as_bytes()).count();
    // Before memory is taken for the values, which are larger than the shortest lines.
    if count > text.len() / shortest {
        return None;
    }
    let mut values = HugeList::with_capacity(count);
    let mut line = Line { text, at: 0 };
    while line.at < text.len() {
        line.skip("\n")?;
        let start = line.at;
        let value = read(&mut line).filter(|_| line.is_at_end()).or_else(|| {
            let len = memchr(b'\n', &text.as_bytes()[start..]).unwrap_or(text.len() - start);
            line.at = start + len;
            let value = &text[start..line.at];
            let has_next = line.at < text.len();
            serde_json::from_str(if has_next { value.strip_suffix(',')? } else { value }).ok()
        });
        values.push(value?);
    }
    Some(values)
}

/// A position in lines.
struct Line<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    /// Reads the id and the bytes of a token.
    fn token(&mut self) -> Option<(TokenId, Token<'a>)> {
        self.skip("[")?;
        let id = self.number()?.try_into().ok()?;
        self.skip(",")?;
        let token = self.string()?;
        self.skip("]")?;
        Some((TokenId(id), Token(token)))
    }

    /// Reads a merge or a supermerge.
    fn rule(&mut self) -> Option<SpelledRule<'a>> {
        let is_merge = self.skip("[\"merge\",").is_some();
        if !is_merge {
            self.skip("[\"supermerge\",")?;
        }
        let left = self.string()?;
        self.skip(",")?;
        let right = self.string()?;
        self.skip(",")?;
        let count = self.number()?;
        self.skip("]")?;
        Some(if is_merge {
            SpelledRule::Merge { left, right, count }
        } else {
            SpelledRule::Supermerge { left, right, count }
        })
    }

    /// Skips the comma at the end of a line. Returns whether the line ends here.
    fn is_at_end(&mut self) -> bool {
        self.at == self.text.len()
            || self.skip(",").is_some() && self.text.as_bytes().get(self.at) == Some(&b'\n')
    }

    #[inline(always)]
    fn skip(&mut self, expected: &str) -> Option<()> {
        let is_there = self.text.as_bytes()[self.at..].starts_with(expected.as_bytes());
        is_there.then(|| self.at += expected.len())
    }

    /// Reads a number of at most 19 digits, which fit 64 bits.
    #[inline(always)]
    fn number(&mut self) -> Option<u64> {
        let digits = &self.text.as_bytes()[self.at..];
        let mut number = 0;
        let mut len = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(len) {
            if len == 19 {
                return None;
            }
            number = 10 * number + u64::from(digit - b'0');
            len += 1;
        }
        self.at += len;
        (len == 1 || len > 1 && digits[0] != b'0').then_some(number)
    }

    /// Reads a string without escapes.
    #[inline(always)]
    fn string(&mut self) -> Option<Cow<'a, [u8]>> {
        self.skip("\"")?;
        let start = self.at;
        self.at = find_special(self.text.as_bytes(), start);
        let string = &self.text.as_bytes()[start..self.at];
        self.skip("\"")?;
        Some(Cow::Borrowed(string))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines of both kinds: simple ones, others, and wrong ones.
    const LINES: [&str; 28] = [
        r#"[0,"a"]"#,
        r#"[17," über"]"#,
        r#"[4294967295,""]"#,
        r#"[4294967296,"a"]"#,
        r#"[01,"a"]"#,
        r#"[-1,"a"]"#,
        r#"[1.0,"a"]"#,
        r#"[7,"\u00e9\n\"]"]"#,
        r#"[8,{"hex":"e280"}]"#,
        r#"[8,{"hex":"e28"}]"#,
        r#"[ 9, "a" ]"#,
        r#"[9,"a",1]"#,
        r#"[9,"a"],"#,
        r#"[9,"a"#,
        "",
        r#"["merge"," a","b",3]"#,
        r#"["supermerge"," of"," the",18446744073709551615]"#,
        r#"["merge","a","b",1234567890123456789]"#,
        r#"["merge","a","b",99999999999999999999]"#,
        r#"["merge","a","b",1e3]"#,
        r#"["merge","\\","\u0000",1]"#,
        r#"["merge",{"hex":"ff"},"a",1]"#,
        r#"["delete","abc",["a","b","c"]]"#,
        r#"["delete","abc","#,
        r#"["merge","a","b"]"#,
        r#"["merge","a","b",1,1]"#,
        "[\"merge\",\"a\",\"b\tc\",1]",
        r#"["Merge","a","b",1]"#,
    ];

    const HEAD: &str = r#"{
"format":"superword",
"version":1,
"pattern":{"source":"gpt4o","regex":"x","unicode":"1","tables":"2"},
"eligible":{"regex":"x","unicode":"1","tables":"2"},
"parameters":{"vocab_size":300,"supermerges":true,"deletion":null,"tau":0.9,"min_count":2},
"training":{"documents":1,"bytes":1,"pretokens":1,"distinct_pretokens":1},
"special_tokens":[
]"#;

    type Content<'a> = (Vec<(TokenId, Cow<'a, [u8]>)>, Vec<SpelledRule<'a>>, Vec<String>);

    fn content(file: File<'_>) -> Content<'_> {
        let vocabulary = file.vocabulary.iter().map(|(id, token)| (*id, token.0.clone())).collect();
        let names = file.unknown.into_iter().map(|field| field.name);
        (vocabulary, file.rules.to_vec(), names.chain([file.format]).collect())
    }

    /// Whether the file is read by lines. If so, it is read as serde reads it.
    fn is_read(text: &str) -> bool {
        let mut rest = String::new();
        let Some(file) = read_lines(text, &mut rest) else { return false };
        let expected: File<'_> = serde_json::from_str(text).expect("serde reads it too");
        assert_eq!(content(file), content(expected), "{text}");
        true
    }

    fn write(vocabulary: &[&str], rules: &[&str], tail: &str) -> String {
        let lines = |lines: &[&str]| match lines {
            [] => String::new(),
            lines => format!("\n{}", lines.join(",\n")),
        };
        let (vocabulary, rules) = (lines(vocabulary), lines(rules));
        format!("{HEAD},\n\"vocabulary\":[{vocabulary}\n],\n\"rules\":[{rules}\n]{tail}\n}}\n")
    }

    #[test]
    fn files_as_superword_writes_them_are_read_by_lines() {
        for tail in ["", ",\n\"later\":[\n1\n]"] {
            assert!(is_read(&write(&[], &[], tail)));
            assert!(is_read(&write(&LINES[..3], &LINES[15..18], tail)));
            assert!(is_read(&write(&LINES[7..9], &LINES[20..23], tail)));
        }
    }

    #[test]
    fn lines_that_are_too_short_take_no_memory() {
        assert!(is_read(&write(&[&SHORTEST_TOKEN[1..]], &[&SHORTEST_RULE[1..]], "")));
        let empty = write(&vec![""; 1 << 16], &[], "");
        assert!(read_lines(&empty, &mut String::new()).is_none());
        assert!(serde_json::from_str::<File<'_>>(&empty).is_err());
    }

    #[test]
    fn fields_of_the_same_name_in_other_objects_are_no_lines() {
        let nested = write(&LINES[..1], &LINES[15..16], "");
        let (head, lines) = nested.split_at(HEAD.len());
        let text =
            format!("{head},\n\"later\":{{\"a\":1{lines},\n\"vocabulary\":[],\"rules\":[]}}");
        assert!(serde_json::from_str::<File<'_>>(&text).is_ok());
        assert!(!is_read(&text));
        assert!(!is_read(&write(&[], &[], ",\n\"rules\":[\n]")));
        assert!(!is_read(&write(&[], &[], ",\n\"vocabulary\":[\n],\n\"rules\":[\n]")));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 4096,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn files_that_are_read_by_lines_are_read_as_serde_reads_them(
            vocabulary in prop::collection::vec(0..LINES.len(), 0..4),
            rules in prop::collection::vec(0..LINES.len(), 0..4),
            tail in prop::sample::select(vec!["", ",\n\"later\":[\n]", ",", "\n],\n\"rules\":["]),
            change in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        ) {
            let lines = |indices: Vec<usize>| indices.into_iter().map(|index| LINES[index]);
            let (vocabulary, rules) = (lines(vocabulary), lines(rules));
            let mut text =
                write(&vocabulary.collect::<Vec<_>>(), &rules.collect::<Vec<_>>(), tail);
            if let Some((at, byte)) = change {
                let mut bytes = text.into_bytes();
                let at = at.index(bytes.len());
                bytes[at] = byte;
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
            is_read(&text);
        }
    }
}
