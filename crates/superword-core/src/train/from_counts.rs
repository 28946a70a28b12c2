//! Training on sums that were made elsewhere: first on pretokens, then on fragments.

use crate::control::Control;
use crate::count::fragments::Fragments;
use crate::count::pretoken_map::Table;
use crate::count::spill::Writer;
use crate::count::{self, Counted, value};
use crate::error::Error;
use crate::model::{Model, Parameters, Training};
use crate::platform::huge_pages;
use crate::platform::memory_budget::Budget;
use crate::pretokenize::Eligibility;
use crate::train::engine::token::TokenId;
use crate::train::merges::{self, Merges, Step};
use crate::train::shard_counts::Seen;
use crate::train::supermerges::{Learned, Openable, learn_on};
use crate::train::{Effort, index_tokens};

/// Distinct pretokens with their counts, as they come in.
pub struct Pretokens {
    eligibility: Eligibility,
    table: Table<u64>,
    budget: Budget,
    bytes: usize,
}

impl Pretokens {
    /// None yet.
    ///
    /// # Errors
    /// When the regex of eligible pretokens is malformed.
    pub fn new(eligible: &str, memory_limit: Option<u64>) -> Result<Pretokens, Error> {
        let (eligibility, budget) = (Eligibility::new(eligible)?, Budget::new(memory_limit));
        Ok(Pretokens { eligibility, table: Table::new(), budget, bytes: 0 })
    }

    /// Takes a pretoken, which has not come before, with its count.
    ///
    /// # Errors
    /// When it is not UTF-8, or came before; when a regex fails on it; when there are too many for
    /// the limit of memory.
    pub fn add(&mut self, pretoken: &[u8], count: u64) -> Result<(), Error> {
        let refused = |what| {
            let reason = format!("the pretoken b\"{}\" {what}", pretoken.escape_ascii());
            Error::Counts { reason }
        };
        let text = std::str::from_utf8(pretoken).map_err(|_| refused("is not UTF-8"))?;
        if text.is_empty() || count == 0 || count > i64::MAX as u64 {
            return Err(refused("is empty, or its count is out of range"));
        }
        let before = self.table.len();
        self.table.set(pretoken, value(count, self.eligibility.has(text)?));
        if self.table.len() == before {
            return Err(refused("is there twice; sum the counts first"));
        }
        self.bytes += pretoken.len();
        if self.table.len().is_multiple_of(1 << 20) {
            let needed = merges::memory(self.bytes, self.table.len());
            self.budget.allow(count::PRETOKENS, needed)?;
        }
        Ok(())
    }

    /// Learns the merges.
    ///
    /// # Errors
    /// When there is to be a second stage; when the memory does not suffice, or the job is
    /// interrupted.
    pub fn learn(
        self,
        parameters: Parameters,
        seen: Seen,
        effort: Effort,
        control: &Control,
    ) -> Result<Merged, Error> {
        if parameters.second_stage.is_some() {
            let reason = "a second stage (transition) is learned on documents, not on counts";
            return Err(Error::Counts { reason: reason.to_owned() });
        }
        let counted = Counted::elsewhere(self.table, seen.pretokens, seen.totals);
        let needed = merges::memory(counted.bytes(), counted.distinct()) + counted.memory() as u64;
        self.budget.allow(count::PRETOKENS, needed)?;
        let merges = merges::learn(&counted, &parameters, effort, control)?;
        huge_pages::release();
        let openable = Openable::new(&counted, &merges.tokens, &merges.steps);
        let training = counted.training();
        Ok(Merged { parameters, training, merges, openable })
    }
}

/// Merges that are learned, for supermerges to compete with.
pub struct Merged {
    parameters: Parameters,
    training: Training,
    merges: Merges,
    openable: Openable,
}

impl Merged {
    /// The pretokens that are open at some time; fragments name them by their places here.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.openable.words.iter().map(|&token| self.merges.tokens.bytes(token))
    }

    /// The count below which no pair of neighbours matters.
    #[must_use]
    pub fn bound(&self) -> u64 {
        self.merges.bound
    }

    /// No fragments yet.
    ///
    /// # Errors
    /// When no temporary file can be written.
    pub fn fragments(&self) -> Result<FragmentSums, Error> {
        Ok(FragmentSums { words: self.openable.words.clone(), writer: Writer::new()? })
    }

    /// Learns supermerges on fragments, unless they turn out to be cut at rare neighbours where they
    /// must not be: then there is no model, and the fragments have to be counted again without.
    ///
    /// Without fragments, the model has no supermerges. `thresholds` are the counts below which
    /// pretokens and fragments were left out, if any.
    ///
    /// # Errors
    /// When the memory does not suffice, the job is interrupted, or the special tokens contradict
    /// each other.
    pub fn finish(
        &mut self,
        fragments: Option<(FragmentSums, bool)>,
        special_tokens: Vec<String>,
        thresholds: [Option<u64>; 2],
        effort: Effort,
        control: &Control,
    ) -> Result<Option<Model>, Error> {
        let Merges { tokens, steps, bound } = &mut self.merges;
        let rules = if let Some((fragments, is_cut)) = fragments {
            let fragments = Fragments::Written(fragments.writer.finish()?);
            let merges = (&mut *tokens, steps.as_slice(), *bound);
            learn_on(fragments, is_cut, merges, &self.openable, &self.parameters, effort, control)?
        } else {
            Some(steps.iter().flat_map(Step::rules).collect())
        };
        let Some(rules) = rules else { return Ok(None) };
        let (tokens, rules) = index_tokens(Learned { tokens: tokens.clone(), rules });
        let [min_pretoken_count, min_fragment_count] = thresholds;
        let training = Training { min_pretoken_count, min_fragment_count, ..self.training };
        Model::new(self.parameters.clone(), tokens, rules, special_tokens, training).map(Some)
    }
}

/// Distinct fragments with their counts, as they come in.
pub struct FragmentSums {
    words: Vec<TokenId>,
    writer: Writer,
}

impl FragmentSums {
    /// Takes a fragment, which has not come before, with its count: the numbers of its words, four
    /// bytes each, the lowest first.
    ///
    /// # Errors
    /// When it is none; when the temporary file cannot be written.
    pub fn add(&mut self, fragment: &[u8], count: u64) -> Result<(), Error> {
        let (numbers, rest) = fragment.as_chunks::<4>();
        let token = |&number| self.words.get(u32::from_le_bytes(number) as usize);
        let tokens: Option<Vec<_>> = numbers.iter().map(token).collect();
        let known = tokens.filter(|tokens| rest.is_empty() && tokens.len() > 1 && count > 0);
        let Some(tokens) = known else {
            let reason = "a fragment names words that are not among those that open".to_owned();
            return Err(Error::Counts { reason });
        };
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
        self.writer.push(&bytes, count)
    }
}
