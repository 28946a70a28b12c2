//! The spans of a sequence: its pretokens or fragments, each with a weight.

use std::ops::Range;

use super::Occurrence;
use super::occurrences::MAX_WEIGHT_CLASSES;
use crate::platform::hash::FastMap;

/// One pretoken or fragment of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedSpan {
    pub(crate) start: usize,
    /// The offset of the barrier after it.
    pub(crate) end: usize,
    pub(crate) weight_class: u32,
}

impl WeightedSpan {
    /// Returns the offsets of its cells.
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The spans of a sequence. Spans are many and their distinct weights are few, so a span has a
/// weight class, and each class a weight.
#[derive(Default)]
pub(crate) struct WeightedSpans {
    /// The first cell of each.
    starts: Vec<Occurrence>,
    /// The end of the last span.
    end: usize,
    weights: Vec<u64>,
    classes: FastMap<u64, u32>,
}

/// From this number of weight classes on, weights are divided into powers of two.
const MAX_WEIGHTS: usize =
    if cfg!(test) { 1 << 4 } else { MAX_WEIGHT_CLASSES - u64::BITS as usize };

impl WeightedSpans {
    /// Creates an empty list with room for `spans` spans.
    pub(crate) fn with_capacity(spans: usize) -> WeightedSpans {
        WeightedSpans { starts: Vec::with_capacity(spans), ..WeightedSpans::default() }
    }

    /// Returns the weights of spans that together count as much as one with this weight: that one
    /// alone, unless there are too many distinct weights.
    pub(crate) fn divide(&self, weight: u64) -> impl Iterator<Item = u64> + use<> {
        let is_whole = self.weights.len() < MAX_WEIGHTS || self.classes.contains_key(&weight);
        let powers = (0..u64::BITS).map(|bit| 1 << bit);
        let powers = powers.filter(move |power| !is_whole && weight & power > 0);
        is_whole.then_some(weight).into_iter().chain(powers)
    }

    /// Adds a span. One barrier separates it from the span before.
    pub(crate) fn push(&mut self, range: Range<usize>, weight: u64) {
        let weight_class = *self.classes.entry(weight).or_insert_with(|| {
            self.weights.push(weight);
            self.weights.len() as u32 - 1
        });
        self.starts.push(Occurrence::new(range.start, weight_class));
        self.end = range.end;
    }

    /// Returns the number of spans.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the offset of the last barrier.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns the span with an index.
    pub(crate) fn get(&self, index: usize) -> WeightedSpan {
        let start = self.starts[index];
        let end = self.starts.get(index + 1).map_or(self.end, |next| next.at() - 1);
        WeightedSpan { start: start.at(), end, weight_class: start.weight_class() }
    }

    /// Returns the start of the span that has an offset.
    pub(crate) fn start_of(&self, at: usize) -> usize {
        let after = self.starts.partition_point(|start| start.at() <= at);
        self.starts[..after].last().map_or(0, |start| start.at())
    }

    /// Returns all spans.
    pub(crate) fn iter(&self) -> impl Iterator<Item = WeightedSpan> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns the weight of a class.
    #[inline]
    pub(crate) fn weight(&self, class: u32) -> u64 {
        self.weights[class as usize]
    }
}
