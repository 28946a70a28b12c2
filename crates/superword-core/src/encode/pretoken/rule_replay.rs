//! The replay of rules on a row of items: always the rule with the smallest index, left to right.
//!
//! An item knows when it was made and only meets later rules, so that performing one rule at one
//! place at a time, the earliest first, does what applying the rules one after the other would.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::platform::hash::FastMap;

/// Later than every rule. A rule's time is its index and one; everything starts at time zero.
pub(crate) const NEVER: u32 = u32::MAX;

/// Up to this many items, looking at all of them finds the next rule fastest.
const SHORT: usize = 32;

/// What rules do to items.
pub(crate) trait Rules {
    type Item: Copy;

    /// The first rule that joins two neighbours, and what they become.
    fn join(&self, left: Self::Item, right: Self::Item) -> Option<(u32, Self::Item)>;

    /// When the first rule comes that splits an item.
    fn split(&self, _item: Self::Item) -> u32 {
        NEVER
    }

    /// Gives the parts that an item is split into, each with how many places it takes.
    fn parts(&self, _item: Self::Item, _time: u32, _each: impl FnMut(Self::Item, usize)) {}
}

/// A place in a row.
#[derive(Clone, Copy)]
struct Cell<I> {
    item: I,
    /// What it becomes when it is joined with the next.
    joined: I,
    /// When that is.
    join: u32,
    /// When it is split.
    split: u32,
    /// The places of its neighbours.
    next: u32,
    before: u32,
}

/// A row, to be used again and again.
pub(crate) struct Row<I> {
    /// An item stands at the first of the places that it takes.
    cells: Vec<Cell<I>>,
    /// How many items there are.
    items: usize,
    /// What will happen, in long rows.
    queue: Queue,
}

impl<I: Copy> Row<I> {
    /// An empty row.
    pub(crate) fn new() -> Row<I> {
        Row { cells: Vec::new(), items: 0, queue: Queue::default() }
    }

    /// Lays out items and performs all rules. After each, tells its time and how many are left.
    pub(crate) fn run(
        &mut self,
        rules: &impl Rules<Item = I>,
        items: impl IntoIterator<Item = I>,
        mut tell: impl FnMut(u32, usize),
    ) {
        self.cells.clear();
        for item in items {
            let place = self.cells.len() as u32;
            let (join, split, before) = (NEVER, rules.split(item), place.wrapping_sub(1));
            if let Some(last) = self.cells.last_mut() {
                last.plan(rules, Some(item));
            }
            self.cells.push(Cell { item, joined: item, join, split, next: place + 1, before });
        }
        self.items = self.cells.len();
        if self.cells.len() > SHORT {
            return self.run_long(rules, tell);
        }
        while let Some((time, place)) = self.earliest() {
            self.perform(rules, time, place);
            tell(time, self.items);
        }
    }

    /// The items, in order.
    pub(crate) fn items(&self) -> impl Iterator<Item = I> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let cell = self.cells.get(place)?;
            place = cell.next as usize;
            Some(cell.item)
        })
    }

    /// Gives back the memory of more places than this.
    pub(crate) fn shrink(&mut self, places: usize) {
        if self.cells.capacity() > places {
            *self = Row::new();
        }
    }

    fn earliest(&self) -> Option<(u32, u32)> {
        let mut found = (NEVER, 0);
        let mut place = 0;
        while let Some(cell) = self.cells.get(place as usize) {
            let time = cell.join.min(cell.split);
            if time < found.0 {
                found = (time, place);
            }
            place = cell.next;
        }
        (found.0 != NEVER).then_some(found)
    }

    fn run_long(&mut self, rules: &impl Rules<Item = I>, mut tell: impl FnMut(u32, usize)) {
        self.queue.clear();
        for (place, cell) in self.cells.iter().enumerate() {
            self.queue.push(cell.join.min(cell.split), place as u32);
        }
        while let Some((time, places)) = self.queue.pop() {
            for &place in &places {
                let cell = &self.cells[place as usize];
                if cell.join == time || cell.split == time {
                    self.perform(rules, time, place);
                    tell(time, self.items);
                }
            }
            self.queue.give_back(places);
        }
    }

    fn perform(&mut self, rules: &impl Rules<Item = I>, time: u32, place: u32) {
        let cell = self.cells[place as usize];
        let mut last = place;
        if cell.join == time {
            let right = &mut self.cells[cell.next as usize];
            (right.join, right.split) = (NEVER, NEVER);
            let next = right.next;
            self.link(place, next);
            self.put(rules, place, cell.joined);
            self.items -= 1;
        } else {
            let mut at = place;
            rules.parts(cell.item, time, |part, places| {
                if at != place {
                    self.link(last, at);
                }
                self.put(rules, at, part);
                last = at;
                at += places as u32;
                self.items += 1;
            });
            self.items -= 1;
            self.link(last, cell.next);
        }
        // The pairs that the change has made, from the one before the place on.
        let mut at = if cell.before == u32::MAX { place } else { cell.before };
        loop {
            let next = self.cells[at as usize].next;
            let right = self.cells.get(next as usize).map(|cell| cell.item);
            let cell = &mut self.cells[at as usize];
            cell.plan(rules, right);
            let earliest = cell.join.min(cell.split);
            if self.cells.len() > SHORT {
                self.queue.push(earliest, at);
            }
            if at == last {
                break;
            }
            at = next;
        }
    }

    fn put(&mut self, rules: &impl Rules<Item = I>, place: u32, item: I) {
        let cell = &mut self.cells[place as usize];
        cell.item = item;
        cell.split = rules.split(item);
    }

    fn link(&mut self, left: u32, right: u32) {
        self.cells[left as usize].next = right;
        if let Some(right) = self.cells.get_mut(right as usize) {
            right.before = left;
        }
    }
}

impl<I: Copy> Cell<I> {
    /// Finds out when it is joined with the next, if there is one.
    #[inline]
    fn plan(&mut self, rules: &impl Rules<Item = I>, next: Option<I>) {
        self.join = NEVER;
        if let Some((time, joined)) = next.and_then(|next| rules.join(self.item, next)) {
            (self.join, self.joined) = (time, joined);
        }
    }
}

/// Places by the time at which something happens there. Texts in which much happens repeat
/// themselves, so there are far fewer times than places.
#[derive(Default)]
struct Queue {
    times: BinaryHeap<Reverse<u32>>,
    places: FastMap<u32, Vec<u32>>,
    /// Vectors to be used again.
    spare: Vec<Vec<u32>>,
}

impl Queue {
    fn clear(&mut self) {
        self.times.clear();
        self.places.clear();
    }

    fn push(&mut self, time: u32, place: u32) {
        if time != NEVER {
            let (times, spare) = (&mut self.times, &mut self.spare);
            let places = self.places.entry(time).or_insert_with(|| {
                times.push(Reverse(time));
                spare.pop().unwrap_or_default()
            });
            places.push(place);
        }
    }

    /// The earliest time and its places, in order; some of them may have changed since.
    fn pop(&mut self) -> Option<(u32, Vec<u32>)> {
        let Reverse(time) = self.times.pop()?;
        let mut places = self.places.remove(&time).unwrap_or_default();
        places.sort_unstable();
        Some((time, places))
    }

    fn give_back(&mut self, mut places: Vec<u32>) {
        if self.spare.len() < 64 {
            places.clear();
            self.spare.push(places);
        }
    }
}
