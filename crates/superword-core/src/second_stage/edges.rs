//! With what tokens begin and end.

use crate::count::Bigrams;
use crate::hash::{fold, secret};
use crate::token::TokenId;

/// For a token that no rule has made.
const NONE: TokenId = TokenId::MAX;

/// For each token, with which class of tokens of the first stage it begins, and with which it ends.
/// At first each token of the first stage is a class of its own. If rules make the same token of
/// others, the classes are united.
pub(super) struct Edges {
    firsts: Classes,
    lasts: Classes,
}

impl Edges {
    /// The edges of the tokens of the first stage, which are so many.
    pub(super) fn of_first(size: usize) -> Edges {
        Edges { firsts: Classes::new(size), lasts: Classes::new(size) }
    }

    /// Takes note of a rule that makes a token of two.
    pub(super) fn join(&mut self, left: TokenId, right: TokenId, token: TokenId) {
        self.firsts.equate(token, left);
        self.lasts.equate(token, right);
    }

    /// Whether classes have been united since the start.
    pub(super) fn is_united(&self) -> bool {
        self.firsts.is_united || self.lasts.is_united
    }

    /// Forgets all tokens but those of the first stage, whose classes stay.
    pub(super) fn restart(&mut self, size: usize) {
        for classes in [&mut self.firsts, &mut self.lasts] {
            classes.of.truncate(size);
            classes.is_united = false;
        }
    }

    /// Where it is counted how often the classes of two tokens stand side by side.
    #[inline]
    pub(super) fn place(&self, left: TokenId, right: TokenId, bigrams: &Bigrams) -> usize {
        let hash = |class: TokenId| fold(u64::from(class) ^ secret(), 0x9E37_79B9_7F4A_7C15);
        bigrams.place(hash(self.lasts.of[left as usize]), hash(self.firsts.of[right as usize]))
    }
}

/// The classes on one side.
struct Classes {
    /// By token: the smallest token of its class, or `NONE`.
    of: Vec<TokenId>,
    is_united: bool,
}

impl Classes {
    fn new(size: usize) -> Classes {
        Classes { of: (0..size as TokenId).collect(), is_united: false }
    }

    /// Gives a token the class of another one, or unites both classes.
    fn equate(&mut self, token: TokenId, other: TokenId) {
        if token as usize >= self.of.len() {
            self.of.resize(token as usize + 1, NONE);
        }
        let class = self.of[other as usize];
        match self.of[token as usize] {
            NONE => self.of[token as usize] = class,
            same if same == class => {}
            another => {
                let (kept, lost) = (class.min(another), class.max(another));
                self.of.iter_mut().filter(|class| **class == lost).for_each(|class| *class = kept);
                self.is_united = true;
            }
        }
    }
}
