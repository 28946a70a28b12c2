//! A model with its encoder, and what is computed from it when needed.

use std::cell::OnceCell;
use std::sync::Arc;

use superword_core::encode::OpenTextEncoder;
use superword_core::model::{Model, Segment, TokenId};
use superword_core::{Encoder, Error, Pattern};

use crate::steps::TextReplay;
use crate::tokens::TokenOrigins;

/// An open model.
pub(crate) struct OpenModel {
    pub(crate) model: Model,
    pub(crate) encoder: Arc<Encoder>,
    open_texts: OnceCell<Arc<OpenTextEncoder>>,
    origins: OnceCell<TokenOrigins>,
    /// The last text of which steps are shown.
    pub(crate) replay: Option<TextReplay>,
    /// The pattern of the first of two stages.
    pub(crate) first_pattern: Option<Pattern>,
}

/// A text with most kinds of characters.
const WARM_UP: &str = "The 1st naïve \u{6771}\u{4eac}, isn't it?\n  \u{1f600}";

impl OpenModel {
    /// Opens a model.
    pub(crate) fn new(model: Model) -> Result<OpenModel, Error> {
        let encoder = Arc::new(Encoder::new(&model)?);
        // The first text takes longer: the encoder creates a cache, and a browser compiles what is
        // called. A vocabulary may lack some byte, which is no error yet.
        let _ = encoder.encode(WARM_UP);
        let has_second_stage = model.parameters().second_stage.is_some();
        let first_pattern = has_second_stage.then(|| Pattern::new(&model.parameters().pattern));
        Ok(OpenModel {
            first_pattern: first_pattern.transpose()?,
            model,
            encoder,
            open_texts: OnceCell::new(),
            origins: OnceCell::new(),
            replay: None,
        })
    }

    /// Returns the encoder of texts that go on.
    pub(crate) fn open_texts(&self) -> Arc<OpenTextEncoder> {
        let create = || Arc::new(OpenTextEncoder::new(&self.model, Arc::clone(&self.encoder)));
        Arc::clone(self.open_texts.get_or_init(create))
    }

    /// Returns where the tokens come from.
    pub(crate) fn origins(&self) -> &TokenOrigins {
        self.origins.get_or_init(|| TokenOrigins::new(&self.model))
    }

    /// Returns the end of each token in bytes.
    pub(crate) fn find_ends(&self, ids: &[u32]) -> Result<Vec<u32>, Error> {
        let mut end = 0;
        let ends = ids.iter().enumerate().map(|(position, &id)| {
            let token = self.model.token_bytes(TokenId(id));
            end += token.ok_or_else(|| self.model.unknown_id(&id, position))?.len() as u32;
            Ok(end)
        });
        ends.collect()
    }

    /// Returns the end of each pretoken in bytes; of the first stage, if there are two. An added token
    /// is a pretoken.
    pub(crate) fn split(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ends = Vec::new();
        let Some(added_tokens) = self.model.added_token_finder() else {
            self.push_pretokens(text, 0, &mut ends)?;
            return Ok(ends);
        };
        let mut start = 0;
        for segment in added_tokens.split(text) {
            match segment {
                Segment::Text(text) => {
                    self.push_pretokens(text, start, &mut ends)?;
                    start += text.len();
                }
                Segment::Added { position, .. } => {
                    start += self.model.added_tokens()[position].1.len();
                    ends.push(start as u32);
                }
            }
        }
        Ok(ends)
    }

    /// Appends the ends of the pretokens of a text that starts at a byte of another.
    fn push_pretokens(&self, text: &str, start: usize, ends: &mut Vec<u32>) -> Result<(), Error> {
        let pattern = self.first_pattern.as_ref().unwrap_or(self.model.pattern());
        for span in pattern.spans(text) {
            ends.push((start + span?.end) as u32);
        }
        Ok(())
    }
}
