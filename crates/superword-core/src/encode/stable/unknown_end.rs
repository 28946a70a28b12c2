//! The replay of rules with an unknown item at the end.

use crate::encode::numbering::EncoderToken;
use crate::encode::pretoken::rule_replay::{ReplayJoin, ReplayRules, RuleReplay};
use crate::encode::stable::joins_by_left::{JoinsByLeft, TokenSpellings};

/// Rules whose items are tokens, which may be joined with others from some step on.
pub(crate) trait TokenRules: ReplayRules {
    /// Returns the token of an item.
    fn token(item: Self::Item) -> EncoderToken;

    /// Returns whether a rule at this step can join the item.
    fn may_join_at(&self, item: Self::Item, step: u32) -> bool;
}

/// An item of a text that goes on.
#[derive(Clone, Copy)]
pub(crate) enum OpenItem<I> {
    Known {
        item: I,
        /// Its offset in the text.
        start: u32,
    },
    /// All that follows from `start` on. It has been unknown from there since the step `since`.
    Unknown { start: u32, since: u32 },
}

/// Rules that are applied to known items and the unknown one after them.
pub(crate) struct OpenRules<'r, R> {
    pub(crate) rules: &'r R,
    /// The rules that join the items.
    pub(crate) joins: &'r JoinsByLeft,
    pub(crate) spellings: &'r TokenSpellings,
    /// What is known of the text, from the first item on.
    pub(crate) text: &'r [u8],
}

impl<R: TokenRules> ReplayRules for OpenRules<'_, R> {
    type Item = OpenItem<R::Item>;

    fn find_join(&self, left: Self::Item, right: Self::Item) -> Option<ReplayJoin<Self::Item>> {
        let OpenItem::Known { item: left, start } = left else { return None };
        match right {
            OpenItem::Known { item: right, .. } => {
                let ReplayJoin { step, item } = self.rules.find_join(left, right)?;
                Some(ReplayJoin { step, item: OpenItem::Known { item, start } })
            }
            OpenItem::Unknown { start: end, since } => {
                let following = &self.text[end as usize..];
                let is_allowed = |step| step > since && self.rules.may_join_at(left, step);
                let step =
                    self.joins.find_first(R::token(left), following, self.spellings, is_allowed)?;
                Some(ReplayJoin { step, item: OpenItem::Unknown { start, since: step } })
            }
        }
    }

    fn find_split(&self, item: Self::Item) -> u32 {
        match item {
            OpenItem::Known { item, .. } => self.rules.find_split(item),
            OpenItem::Unknown { .. } => u32::MAX,
        }
    }

    fn for_each_part(&self, item: Self::Item, step: u32, mut each: impl FnMut(Self::Item, usize)) {
        let OpenItem::Known { item, mut start } = item else { return };
        self.rules.for_each_part(item, step, |part, positions| {
            each(OpenItem::Known { item: part, start }, positions);
            start += positions as u32;
        });
    }
}

impl<R: TokenRules> OpenRules<'_, R> {
    /// Applies the rules to items that are followed by what is not known. Calls `each` with the items
    /// that stay known, and returns where they end in the text.
    pub(crate) fn apply(
        &self,
        items: impl IntoIterator<Item = R::Item>,
        mut each: impl FnMut(R::Item),
    ) -> usize {
        let mut end = 0;
        let mut known: Vec<OpenItem<R::Item>> = Vec::new();
        for item in items {
            known.push(OpenItem::Known { item, start: end });
            end += self.spellings.get(R::token(item)).len() as u32;
        }
        let mut replay = RuleReplay::new();
        let unknown = OpenItem::Unknown { start: end, since: 0 };
        replay.apply_rules(self, known.into_iter().chain([unknown]), |_, _| ());
        for item in replay.items() {
            match item {
                OpenItem::Known { item, .. } => each(item),
                OpenItem::Unknown { start, .. } => end = start,
            }
        }
        end as usize
    }
}
