//! The replay of rules on a sequence of items: always the applicable rule with the smallest index,
//! left to right.
//!
//! Rules have steps: a rule's step is its index plus 1, and step 0 is the start. An item remembers the
//! step that made it, and only later rules apply to it. So applying one rule at one position at a
//! time, the earliest first, has the effect of applying all rules in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::platform::hash::FastMap;

/// A step after all rules.
pub(crate) const NEVER: u32 = u32::MAX;

/// Up to this many items, a scan of all items finds the next rule fastest.
const MAX_SCANNED: usize = 32;

/// The rules that are replayed.
pub(crate) trait ReplayRules {
    type Item: Copy;

    /// Finds the first rule that joins two neighbours.
    fn find_join(&self, left: Self::Item, right: Self::Item) -> Option<ReplayJoin<Self::Item>>;

    /// Returns the step of the first rule that splits an item.
    fn find_split(&self, _item: Self::Item) -> u32 {
        NEVER
    }

    /// Calls `each` with the parts that an item is split into at a step, and the number of positions
    /// that each takes.
    fn for_each_part(&self, _item: Self::Item, _step: u32, _each: impl FnMut(Self::Item, usize)) {}
}

/// A rule that joins two items: its step, and the item that it makes.
pub(crate) struct ReplayJoin<I> {
    pub(crate) step: u32,
    pub(crate) item: I,
}

/// A position in a sequence.
#[derive(Clone, Copy)]
struct Node<I> {
    item: I,
    /// The item that it becomes when it is joined with the next, and the step that joins them.
    joined: I,
    join_at: u32,
    /// The step that splits it.
    split_at: u32,
    /// The positions of its neighbours.
    next: u32,
    before: u32,
}

/// A sequence of items to which rules are applied. It is meant to be reused.
pub(crate) struct RuleReplay<I> {
    /// By position. An item is at the first of the positions that it takes.
    nodes: Vec<Node<I>>,
    /// The number of items.
    items: usize,
    /// The events of long sequences.
    queue: StepQueue,
}

impl<I: Copy> RuleReplay<I> {
    /// Creates an empty sequence.
    pub(crate) fn new() -> RuleReplay<I> {
        RuleReplay { nodes: Vec::new(), items: 0, queue: StepQueue::default() }
    }

    /// Replaces the sequence by `items`, and applies all rules. After each change, calls `each` with
    /// the step and the number of items.
    pub(crate) fn apply_rules(
        &mut self,
        rules: &impl ReplayRules<Item = I>,
        items: impl IntoIterator<Item = I>,
        mut each: impl FnMut(u32, usize),
    ) {
        self.nodes.clear();
        for item in items {
            let position = self.nodes.len() as u32;
            let (join_at, split_at) = (NEVER, rules.find_split(item));
            let (next, before) = (position + 1, position.wrapping_sub(1));
            if let Some(last) = self.nodes.last_mut() {
                last.schedule_join(rules, Some(item));
            }
            self.nodes.push(Node { item, joined: item, join_at, split_at, next, before });
        }
        self.items = self.nodes.len();
        if self.nodes.len() > MAX_SCANNED {
            return self.apply_queued(rules, each);
        }
        while let Some((step, position)) = self.find_earliest() {
            self.apply_at(rules, step, position);
            each(step, self.items);
        }
    }

    /// Returns the items in order.
    pub(crate) fn items(&self) -> impl Iterator<Item = I> {
        let mut position = 0;
        std::iter::from_fn(move || {
            let node = self.nodes.get(position)?;
            position = node.next as usize;
            Some(node.item)
        })
    }

    /// Frees the memory if it has room for more positions than this.
    pub(crate) fn shrink(&mut self, positions: usize) {
        if self.nodes.capacity() > positions {
            *self = RuleReplay::new();
        }
    }

    /// Returns the step and the position of the next event.
    fn find_earliest(&self) -> Option<(u32, u32)> {
        let mut found = (NEVER, 0);
        let mut position = 0;
        while let Some(node) = self.nodes.get(position as usize) {
            let step = node.join_at.min(node.split_at);
            if step < found.0 {
                found = (step, position);
            }
            position = node.next;
        }
        (found.0 != NEVER).then_some(found)
    }

    /// Applies all rules to a long sequence, with a queue.
    fn apply_queued(
        &mut self,
        rules: &impl ReplayRules<Item = I>,
        mut each: impl FnMut(u32, usize),
    ) {
        self.queue.clear();
        for (position, node) in self.nodes.iter().enumerate() {
            self.queue.push(node.join_at.min(node.split_at), position as u32);
        }
        while let Some((step, positions)) = self.queue.pop() {
            for &position in &positions {
                let node = &self.nodes[position as usize];
                if node.join_at == step || node.split_at == step {
                    self.apply_at(rules, step, position);
                    each(step, self.items);
                }
            }
            self.queue.recycle(positions);
        }
    }

    fn apply_at(&mut self, rules: &impl ReplayRules<Item = I>, step: u32, position: u32) {
        let node = self.nodes[position as usize];
        let mut last = position;
        if node.join_at == step {
            let right = &mut self.nodes[node.next as usize];
            (right.join_at, right.split_at) = (NEVER, NEVER);
            let next = right.next;
            self.link(position, next);
            self.set_item(rules, position, node.joined);
            self.items -= 1;
        } else {
            let mut at = position;
            rules.for_each_part(node.item, step, |part, positions| {
                if at != position {
                    self.link(last, at);
                }
                self.set_item(rules, at, part);
                last = at;
                at += positions as u32;
                self.items += 1;
            });
            self.items -= 1;
            self.link(last, node.next);
        }
        // Schedule the pairs that have changed, from the one before this position on.
        let mut at = if node.before == u32::MAX { position } else { node.before };
        loop {
            let next = self.nodes[at as usize].next;
            let right = self.nodes.get(next as usize).map(|node| node.item);
            let node = &mut self.nodes[at as usize];
            node.schedule_join(rules, right);
            let earliest = node.join_at.min(node.split_at);
            if self.nodes.len() > MAX_SCANNED {
                self.queue.push(earliest, at);
            }
            if at == last {
                break;
            }
            at = next;
        }
    }

    fn set_item(&mut self, rules: &impl ReplayRules<Item = I>, position: u32, item: I) {
        let node = &mut self.nodes[position as usize];
        node.item = item;
        node.split_at = rules.find_split(item);
    }

    fn link(&mut self, left: u32, right: u32) {
        self.nodes[left as usize].next = right;
        if let Some(right) = self.nodes.get_mut(right as usize) {
            right.before = left;
        }
    }
}

impl<I: Copy> Node<I> {
    /// Finds the rule that joins it with the next item, if there is one.
    #[inline]
    fn schedule_join(&mut self, rules: &impl ReplayRules<Item = I>, next: Option<I>) {
        self.join_at = NEVER;
        if let Some(join) = next.and_then(|next| rules.find_join(self.item, next)) {
            (self.join_at, self.joined) = (join.step, join.item);
        }
    }
}

/// A queue of positions by step. Long sequences repeat themselves, so there are far fewer steps than
/// positions.
#[derive(Default)]
struct StepQueue {
    steps: BinaryHeap<Reverse<u32>>,
    positions: FastMap<u32, Vec<u32>>,
    /// Vectors for reuse.
    spare: Vec<Vec<u32>>,
}

impl StepQueue {
    fn clear(&mut self) {
        self.steps.clear();
        self.positions.clear();
    }

    fn push(&mut self, step: u32, position: u32) {
        if step != NEVER {
            let (steps, spare) = (&mut self.steps, &mut self.spare);
            let positions = self.positions.entry(step).or_insert_with(|| {
                steps.push(Reverse(step));
                spare.pop().unwrap_or_default()
            });
            positions.push(position);
        }
    }

    /// Removes the earliest step and its positions, in ascending order. Some positions may have
    /// changed since they were added.
    fn pop(&mut self) -> Option<(u32, Vec<u32>)> {
        let Reverse(step) = self.steps.pop()?;
        let mut positions = self.positions.remove(&step).unwrap_or_default();
        positions.sort_unstable();
        Some((step, positions))
    }

    /// Keeps a vector for reuse.
    fn recycle(&mut self, mut positions: Vec<u32>) {
        if self.spare.len() < 64 {
            positions.clear();
            self.spare.push(positions);
        }
    }
}
