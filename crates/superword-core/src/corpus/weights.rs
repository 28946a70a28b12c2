//! How often each document counts.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// The weight of the documents of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceWeight {
    /// The source's name. `*` stands for any text.
    pub name: String,
    /// How often its documents count.
    pub weight: u64,
}

/// The weights of documents by their source: the file, or the value of a column.
///
/// A name without `*` goes before one with it. Of several names with `*` that match, the first
/// counts. Without names, the column contains the weight itself.
#[derive(Debug)]
pub struct Weights {
    column: Option<String>,
    named: Vec<SourceWeight>,
    /// Whether a document of each source has been read.
    is_used: Vec<AtomicBool>,
}

impl Weights {
    /// Creates weights by the values of a column; without a column, by file.
    #[must_use]
    pub fn new(column: Option<String>, named: Vec<SourceWeight>) -> Weights {
        let is_used = named.iter().map(|_| AtomicBool::new(false)).collect();
        Weights { column, named, is_used }
    }

    /// The column that names the source of a document; `None` if that is the file.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// Returns the weight of the documents of a file. It is named by its path, by its file name, or
    /// by its file name without suffixes.
    ///
    /// # Errors
    /// When the file has no weight.
    pub fn find_file(&self, path: &str) -> Result<u64, Error> {
        let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
        let stem = name.split('.').next().unwrap_or(&name);
        self.find_any(&[path, &name, stem]).ok_or_else(|| {
            let message =
                "weights do not name the file; add it, or '*=1' for all others".to_owned();
            Error::Corpus { file: Some(path.to_owned()), line: None, column: None, message }
        })
    }

    /// Returns the weight of the documents with this value in the column.
    ///
    /// # Errors
    /// Says what is wrong with the value: it has no weight, or should be a weight and is none.
    pub fn find_source(&self, source: &str) -> Result<u64, String> {
        if self.named.is_empty() {
            return source.parse().map_err(|_| {
                format!("the weight {source:?} is not an integer from 0 on; correct it")
            });
        }
        self.find_any(&[source]).ok_or_else(|| {
            format!("weights do not name the source {source:?}; add it, or '*=1' for all others")
        })
    }

    fn find_any(&self, names: &[&str]) -> Option<u64> {
        let is_exact = |named: &SourceWeight| names.contains(&named.name.as_str());
        let matches = |named: &SourceWeight| names.iter().any(|name| has_form(name, &named.name));
        let exact = self.named.iter().position(is_exact);
        let index = exact.or_else(|| self.named.iter().position(matches))?;
        self.is_used[index].store(true, Ordering::Relaxed);
        Some(self.named[index].weight)
    }

    /// Returns the first name that no document has had so far. `*` may have none.
    pub(super) fn find_unused(&self) -> Option<&str> {
        let is_unused = |index: &usize| {
            self.named[*index].name != "*" && !self.is_used[*index].load(Ordering::Relaxed)
        };
        let index = (0..self.named.len()).find(is_unused)?;
        Some(&self.named[index].name)
    }
}

/// Whether a text has a form, in which `*` stands for any text.
fn has_form(text: &str, form: &str) -> bool {
    let mut parts = form.split('*');
    let start = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(start) else { return false };
    let Some(end) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(column: Option<&str>, named: &[(&str, u64)]) -> Weights {
        let named =
            named.iter().map(|&(name, weight)| SourceWeight { name: name.to_owned(), weight });
        Weights::new(column.map(str::to_owned), named.collect())
    }

    #[test]
    fn a_name_goes_before_a_form() {
        let weights = weights(Some("source"), &[("*", 1), ("c*", 5), ("code", 2)]);
        assert_eq!(weights.find_source("code"), Ok(2));
        assert_eq!(weights.find_source("css"), Ok(1));
        assert_eq!(weights.find_unused(), Some("c*"));
    }

    #[test]
    fn a_file_is_named_in_three_ways() {
        for name in ["data/code.jsonl.zst", "code.jsonl.zst", "code", "data/*", "c*e", "*zst"] {
            let weights = weights(None, &[(name, 3)]);
            assert_eq!(weights.find_file("data/code.jsonl.zst").ok(), Some(3), "{name}");
            assert!(weights.find_file("data-codes/x.txt").is_err(), "{name}");
            assert_eq!(weights.find_unused(), None);
        }
    }

    #[test]
    fn without_names_the_column_is_the_weight() {
        let weights = weights(Some("weight"), &[]);
        assert_eq!(weights.find_source("12"), Ok(12));
        for wrong in ["-1", "1.5", "x", "", "1e3"] {
            assert!(weights.find_source(wrong).is_err_and(|why| why.contains("not an integer")));
        }
    }

    #[test]
    fn forms_match_like_globs() {
        for (text, form, is_match) in [
            ("abc", "abc", true),
            ("abc", "ab", false),
            ("abc", "a*c", true),
            ("abab", "ab*ab", true),
            ("ab", "ab*ab", false),
            ("aXbXc", "a*b*c", true),
            ("aXcXb", "a*b*c", false),
            ("", "*", true),
            ("é", "**", true),
        ] {
            assert_eq!(has_form(text, form), is_match, "{text} {form}");
        }
    }
}
