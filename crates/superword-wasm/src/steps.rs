//! A text after each rule that changes it.
//!
//! A rule changes few boundaries. So the boundaries that each step adds or removes are kept, and a
//! state is made from another by the steps between them.

use std::collections::BTreeSet;

use superword_core::encode::{Replay, ReplayStep, replayed_token};
use superword_core::model::{Model, Rule, TokenIndex};

use crate::session::{Buffer, Failure};

/// The longest text, in bytes. It is as long as in Python.
const MAX_BYTES: usize = 4096;

/// A text and what each step changes in it.
pub(crate) struct TextReplay {
    steps: Vec<Step>,
    /// The number of steps that `boundaries` is after.
    at: usize,
    boundaries: Boundaries,
}

/// A rule that changes the text.
struct Step {
    /// The largest number, which is -1 with a sign, for the replacement of removed tokens.
    rule: u32,
    kind: u8,
    /// The boundaries that it adds or removes.
    toggled: Boundaries,
    /// The starts of the tokens that it makes.
    made: BTreeSet<u32>,
}

/// The ends of tokens and of units, in bytes.
#[derive(Clone, Default)]
struct Boundaries {
    tokens: BTreeSet<u32>,
    units: BTreeSet<u32>,
}

impl TextReplay {
    /// Applies the rules of a model to a text.
    pub(crate) fn new(model: &Model, text: &str) -> Result<TextReplay, Failure> {
        if text.len() > MAX_BYTES {
            return Err(Failure(format!(
                "the text has {} bytes, and steps are shown for up to {MAX_BYTES}; give a shorter \
                 text",
                text.len()
            )));
        }
        let mut replay = Replay::new(model, text)?;
        let start = replay.next().map(|step| Boundaries::new(model, &step)).unwrap_or_default();
        let mut last = start.clone();
        let mut steps = Vec::new();
        for step in replay {
            let next = Boundaries::new(model, &step);
            steps.push(Step {
                rule: step.rule.map_or(u32::MAX, |rule| rule as u32),
                kind: match step.rule.map(|rule| &model.rules()[rule]) {
                    Some(Rule::Merge { .. }) => 0,
                    Some(Rule::Supermerge { .. }) => 1,
                    Some(Rule::Delete { .. }) => 2,
                    None => 3,
                },
                toggled: last.differ(&next),
                made: find_made(model, &step),
            });
            last = next;
        }
        Ok(TextReplay { steps, at: 0, boundaries: start })
    }

    /// Returns the rules of the steps, as signed numbers, and their kinds.
    pub(crate) fn list_rules(&self) -> Vec<Buffer> {
        let rules: Vec<u32> = self.steps.iter().map(|step| step.rule).collect();
        let kinds: Vec<u8> = self.steps.iter().map(|step| step.kind).collect();
        vec![rules.into(), kinds.into()]
    }

    /// Returns the ends of tokens and of units after this many steps, and which tokens the last step
    /// made.
    pub(crate) fn show(&mut self, step: usize) -> Result<Vec<Buffer>, Failure> {
        if step > self.steps.len() {
            let count = self.steps.len();
            return Err(Failure(format!("there is no step {step}; the text has {count}")));
        }
        while self.at < step {
            self.boundaries.toggle(&self.steps[self.at].toggled);
            self.at += 1;
        }
        while self.at > step {
            self.at -= 1;
            self.boundaries.toggle(&self.steps[self.at].toggled);
        }
        let none = BTreeSet::new();
        let made = step.checked_sub(1).map_or(&none, |last| &self.steps[last].made);
        let ends: Vec<u32> = self.boundaries.tokens.iter().copied().collect();
        let starts = std::iter::once(&0).chain(&ends).take(ends.len());
        let flags: Vec<u8> = starts.map(|start| made.contains(start).into()).collect();
        let units: Vec<u32> = self.boundaries.units.iter().copied().collect();
        Ok(vec![ends.into(), units.into(), flags.into()])
    }
}

impl Boundaries {
    fn new(model: &Model, step: &ReplayStep) -> Boundaries {
        let mut boundaries = Boundaries::default();
        let mut end = 0;
        for unit in &step.units {
            for &token in unit {
                end += byte_len(model, token);
                boundaries.tokens.insert(end);
            }
            boundaries.units.insert(end);
        }
        boundaries
    }

    /// Returns the boundaries that only one of both has.
    fn differ(&self, other: &Boundaries) -> Boundaries {
        Boundaries { tokens: &self.tokens ^ &other.tokens, units: &self.units ^ &other.units }
    }

    fn toggle(&mut self, toggled: &Boundaries) {
        toggle(&mut self.tokens, &toggled.tokens);
        toggle(&mut self.units, &toggled.units);
    }
}

fn toggle(set: &mut BTreeSet<u32>, toggled: &BTreeSet<u32>) {
    for &end in toggled {
        if !set.remove(&end) {
            set.insert(end);
        }
    }
}

/// Returns the starts of the tokens that a step made.
fn find_made(model: &Model, step: &ReplayStep) -> BTreeSet<u32> {
    let changes: BTreeSet<_> = step.changes.iter().copied().collect();
    let mut made = BTreeSet::new();
    let mut start = 0;
    for (index, unit) in step.units.iter().enumerate() {
        for (at, &token) in unit.iter().enumerate() {
            if changes.contains(&(index, at)) {
                made.insert(start);
            }
            start += byte_len(model, token);
        }
    }
    made
}

fn byte_len(model: &Model, token: TokenIndex) -> u32 {
    replayed_token(model, token).0.len() as u32
}
