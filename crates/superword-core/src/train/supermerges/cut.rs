//! Cutting documents where no supermerge can join.
//!
//! A supermerge joins open units only, and every one that is ever made is as frequent as `bound`
//! at least. So a document can be cut at each pretoken that is never open, and at each pair of
//! pretokens that stand side by side less often than that.

use crate::count::fragments::Counter;
use crate::count::pretoken_map::{Sought, Table};
use crate::count::{GROUP, Often};
use crate::error::Error;
use crate::pretokenize::Pattern;
use crate::train::engine::token::TokenId;

/// Where to cut.
pub(crate) struct Cut<'c, B> {
    pub(crate) pattern: &'c Pattern,
    /// The tokens of the pretokens that are open at some time.
    pub(crate) openable: &'c Table<u64>,
    /// Which pretokens stand side by side often enough, unless nothing may be cut on that account.
    pub(crate) bigrams: Option<B>,
}

impl<B: Often> Cut<'_, B> {
    /// Cuts a document. Pretokens are looked up in groups, as when they were counted.
    pub(crate) fn cut(&self, document: &str, counter: &mut Counter) -> Result<(), Error> {
        let text = document.as_bytes();
        let mut group = [Sought::default(); GROUP];
        let mut size = 0;
        let mut before = 0;
        let mut result = Ok(());
        self.pattern.spans(document).for_each(|span| match span {
            Ok(span) => {
                group[size] = self.openable.sought(text, span.start, span.end);
                size += 1;
                if size == GROUP {
                    self.cut_group(text, &group, &mut before, counter);
                    size = 0;
                }
            }
            Err(error) => result = Err(error),
        });
        self.cut_group(text, &group[..size], &mut before, counter);
        result
    }

    /// Cuts pretokens that follow each other; `before` is the hash of the one before them.
    #[inline]
    fn cut_group(&self, text: &[u8], group: &[Sought], before: &mut u64, counter: &mut Counter) {
        counter.pretokens += group.len() as u64;
        let mut found = [None; GROUP];
        for (sought, found) in group.iter().zip(&mut found) {
            let hash = B::hash(text, sought);
            *found = self.openable.get(text, sought).map(|token| {
                (token as TokenId, self.bigrams.map_or(0, |bigrams| bigrams.place(*before, hash)))
            });
            *before = hash;
        }
        for &found in &found[..group.len()] {
            match found {
                None => counter.end(),
                Some((token, place)) => {
                    if self.bigrams.is_some_and(|bigrams| !bigrams.is_often(place)) {
                        counter.end();
                    }
                    counter.push(token);
                }
            }
        }
    }
}
