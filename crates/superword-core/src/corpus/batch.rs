//! A buffer of documents.

use std::iter;

use super::Totals;
use crate::Error;

/// Documents in one buffer, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    text: String,
    /// The end of each document in `text`.
    ends: Vec<usize>,
    /// How often each document counts. Documents without a weight count once.
    weights: Vec<u64>,
    /// Whether the last document continues in the next batch.
    continues: bool,
}

impl Batch {
    /// Creates a batch from its parts. Returns `None` if the ends do not fit the text.
    pub(super) fn from_parts(
        text: String,
        ends: Vec<usize>,
        weights: Vec<u64>,
        continues: bool,
    ) -> Option<Batch> {
        let are_sorted = ends.is_sorted() && ends.last().copied().unwrap_or(0) == text.len();
        let fit = are_sorted && ends.iter().all(|&end| text.is_char_boundary(end));
        fit.then_some(Batch { text, ends, weights, continues })
    }

    /// Returns the documents, or the pieces of documents, in order.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }

    /// Returns the documents, or the pieces of documents, with their weights, in order.
    pub fn weighted_documents(&self) -> impl Iterator<Item = (&str, u64)> {
        let weights = self.weights.iter().copied().chain(iter::repeat(1));
        self.documents().zip(weights)
    }

    /// Returns the number of documents and of their bytes, as often as they count.
    pub(super) fn weighted_totals(&self) -> Result<Totals, Error> {
        let mut totals = Totals { documents: 0, bytes: 0, skipped: 0 };
        if self.weights.is_empty() {
            totals.add(self);
            return Ok(totals);
        }
        let ended = self.len();
        Totals::sum(self.weighted_documents().enumerate().map(|(index, (document, weight))| {
            Totals {
                documents: if index < ended { weight } else { 0 },
                bytes: weight.saturating_mul(document.len() as u64),
                skipped: 0,
            }
        }))
    }

    /// The number of bytes of text.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.text.len()
    }

    /// The number of documents that end in this batch.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len() - usize::from(self.continues)
    }

    /// Whether the batch has no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a document.
    pub fn push(&mut self, document: &str) {
        self.text.push_str(document);
        self.ends.push(self.text.len());
    }

    /// Adds a document that counts `weight` times.
    pub fn push_weighted(&mut self, document: &str, weight: u64) {
        self.push(document);
        self.set_last_weight(weight);
    }

    /// Sets how often the last document counts.
    pub(super) fn set_last_weight(&mut self, weight: u64) {
        if weight != 1 || !self.weights.is_empty() {
            self.weights.resize(self.ends.len() - 1, 1);
            self.weights.push(weight);
        }
    }

    /// Marks the last document as continued in the next batch.
    pub(super) fn set_continues(&mut self) {
        self.continues = true;
    }

    /// Whether the last document continues in the next batch.
    pub(super) fn continues(&self) -> bool {
        self.continues
    }

    /// Appends the next batch. If this one continues, the next starts with the rest of its last
    /// document.
    pub(crate) fn append(&mut self, next: &Batch) {
        if self.continues {
            self.ends.pop();
            self.weights.truncate(self.ends.len());
        }
        if !next.weights.is_empty() {
            self.weights.resize(self.ends.len(), 1);
            self.weights.extend_from_slice(&next.weights);
        }
        let start = self.text.len();
        self.text.push_str(&next.text);
        self.ends.extend(next.ends.iter().map(|end| start + end));
        self.continues = next.continues;
    }

    /// Adds a document that may be large. An empty batch takes it without a copy.
    pub(super) fn push_owned(&mut self, document: String) {
        if self.text.is_empty() && document.len() >= super::BLOCK_SIZE {
            self.text = document;
            self.ends.push(self.text.len());
        } else {
            self.push(&document);
        }
    }

    /// Adds the text that `write` appends as a document. If `write` fails, the batch is unchanged.
    pub(super) fn push_with<T, E>(
        &mut self,
        write: impl FnOnce(&mut String) -> Result<T, E>,
    ) -> Result<T, E> {
        let start = self.text.len();
        let written = write(&mut self.text);
        match written {
            Ok(_) => self.ends.push(self.text.len()),
            Err(_) => self.text.truncate(start),
        }
        written
    }

    /// Removes the last document.
    pub(super) fn pop(&mut self) {
        self.ends.pop();
        self.weights.truncate(self.ends.len());
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// The number of bytes in the last document.
    pub(super) fn last_byte_len(&self) -> usize {
        let before = self.ends.len().checked_sub(2).map_or(0, |index| self.ends[index]);
        self.text.len() - before
    }

    /// Empties the batch, and frees the memory of an unusually large document.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(4 * super::BLOCK_SIZE);
        self.ends.clear();
        self.weights.clear();
        self.continues = false;
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    pub(super) fn weights(&self) -> &[u64] {
        &self.weights
    }
}

impl<S: AsRef<str>> FromIterator<S> for Batch {
    fn from_iter<I: IntoIterator<Item = S>>(documents: I) -> Batch {
        let mut batch = Batch::default();
        documents.into_iter().for_each(|document| batch.push(document.as_ref()));
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_kept_even_empty_ones() {
        let batch: Batch = ["", "one", "", "zwei é", ""].into_iter().collect();
        assert_eq!(batch.documents().collect::<Vec<_>>(), ["", "one", "", "zwei é", ""]);
        assert_eq!((batch.len(), batch.byte_len()), (5, 10));
    }

    #[test]
    fn a_failed_document_leaves_the_batch_unchanged() {
        let mut batch: Batch = ["one"].into_iter().collect();
        let failed: Result<(), ()> = batch.push_with(|text| {
            text.push_str("half");
            Err(())
        });
        assert!(failed.is_err());
        assert_eq!(batch, ["one"].into_iter().collect());
        batch.push("three");
        assert_eq!(batch.last_byte_len(), 5);
        batch.pop();
        assert_eq!(batch, ["one"].into_iter().collect());
    }

    #[test]
    fn parts_that_do_not_fit_are_rejected() {
        let batch = |text: &str, ends| Batch::from_parts(text.to_owned(), ends, Vec::new(), false);
        assert!(batch("é", vec![1, 2]).is_none());
        assert!(batch("ab", vec![1]).is_none());
        assert!(batch("ab", vec![2, 1]).is_none());
        assert!(batch("ab", vec![0, 1, 2]).is_some());
    }

    #[test]
    fn documents_count_as_often_as_their_weights_say() {
        let mut batch: Batch = ["one"].into_iter().collect();
        batch.push_weighted("two", 0);
        batch.push("three");
        batch.push_weighted("fo", 4);
        batch.set_continues();
        let mut next = Batch::default();
        next.push_weighted("ur", 4);
        next.push("five");
        let totals = |documents, bytes| Totals { documents, bytes, skipped: 0 };
        assert_eq!(batch.weighted_totals().ok(), Some(totals(2, 3 + 5 + 8)));
        assert_eq!(next.weighted_totals().ok(), Some(totals(5, 8 + 4)));
        batch.append(&next);
        let expected = [("one", 1), ("two", 0), ("three", 1), ("four", 4), ("five", 1)];
        assert_eq!(batch.weighted_documents().collect::<Vec<_>>(), expected);
        assert_eq!(batch.weighted_totals().ok(), Some(totals(7, 3 + 5 + 16 + 4)));
        batch.push_weighted("six", u64::MAX / 2);
        assert!(batch.weighted_totals().is_err());
    }

    #[test]
    fn pieces_are_joined() {
        let mut batch: Batch = ["one", "two, "].into_iter().collect();
        batch.set_continues();
        assert_eq!(batch.len(), 1);
        let mut next: Batch = ["three, "].into_iter().collect();
        next.set_continues();
        assert_eq!(next.len(), 0);
        batch.append(&next);
        batch.append(&["four", "five"].into_iter().collect());
        assert_eq!(batch, ["one", "two, three, four", "five"].into_iter().collect());
    }
}
