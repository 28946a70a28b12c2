//! The spans of a sequence: its pretokens or fragments, each with a weight.

use std::ops::Range;

use crate::platform::hash::FastMap;

/// One pretoken or fragment of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedSpan {
    pub(crate) start: u32,
    /// The offset of the barrier after it.
    pub(crate) end: u32,
    pub(crate) weight_class: u32,
}

impl WeightedSpan {
    /// Returns the offsets of its cells.
    pub(crate) fn range(self) -> Range<u32> {
        self.start..self.end
    }
}

/// The spans of a sequence. Spans are many and their distinct weights are few, so a span has a
/// weight class, and each class a weight.
#[derive(Default)]
pub(crate) struct WeightedSpans {
    starts: Vec<SpanStart>,
    /// The end of the last span.
    end: u32,
    weights: Vec<u64>,
    classes: FastMap<u64, u32>,
}

struct SpanStart {
    start: u32,
    weight_class: u32,
}

impl WeightedSpans {
    /// Creates an empty list with room for `spans` spans.
    pub(crate) fn with_capacity(spans: usize) -> WeightedSpans {
        WeightedSpans { starts: Vec::with_capacity(spans), ..WeightedSpans::default() }
    }

    /// Adds a span. One barrier separates it from the span before.
    pub(crate) fn push(&mut self, range: Range<usize>, weight: u64) {
        let weight_class = *self.classes.entry(weight).or_insert_with(|| {
            self.weights.push(weight);
            self.weights.len() as u32 - 1
        });
        self.starts.push(SpanStart { start: range.start as u32, weight_class });
        self.end = range.end as u32;
    }

    /// Returns the number of spans.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the offset of the last barrier.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Returns the span with an index.
    pub(crate) fn get(&self, index: usize) -> WeightedSpan {
        let SpanStart { start, weight_class } = self.starts[index];
        let end = self.starts.get(index + 1).map_or(self.end, |next| next.start - 1);
        WeightedSpan { start, end, weight_class }
    }

    /// Returns the start of the span that has an offset.
    pub(crate) fn start_of(&self, at: u32) -> u32 {
        let after = self.starts.partition_point(|span| span.start <= at);
        self.starts[..after].last().map_or(0, |span| span.start)
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
