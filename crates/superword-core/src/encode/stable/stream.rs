//! A text that arrives in pieces.

use std::str;
use std::sync::Arc;

use crate::Error;
use crate::encode::batch::BYTES_PER_TOKEN;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::stable::open_text::{OpenTextEncoder, StablePart};
use crate::model::{AddedTokenFinder, Segment};

/// Longer pieces are encoded in parts, so that interrupts are noticed in between.
const MAX_PART_BYTES: usize = 1 << 18;

/// Up to this many held-back bytes are encoded anew with every piece. More are encoded anew when they
/// have grown by an eighth. So the time is linear in the text, however it is cut.
const MAX_TRIED_ALWAYS: usize = 256;

/// Encodes a text that arrives in pieces. The ids of all pieces, put together, are those of the text.
#[derive(Clone)]
pub struct EncodeStream {
    encoder: Arc<OpenTextEncoder>,
    special_tokens: Option<Arc<AddedTokenFinder>>,
    /// The end of the text so far.
    held: Vec<u8>,
    /// The number of its first ids that were returned, and of their bytes.
    returned_ids: usize,
    returned_bytes: usize,
    /// The length that `held` must have to be encoded anew.
    next_len: usize,
}

impl EncodeStream {
    /// Starts a text. The special tokens are encoded wherever the text spells them.
    #[must_use]
    pub fn new(
        encoder: Arc<OpenTextEncoder>,
        special_tokens: Option<Arc<AddedTokenFinder>>,
    ) -> EncodeStream {
        EncodeStream {
            encoder,
            special_tokens,
            held: Vec::new(),
            returned_ids: 0,
            returned_bytes: 0,
            next_len: 0,
        }
    }

    /// Adds a piece, which may end inside a character, and returns the ids that are stable now: no
    /// continuation can change them.
    ///
    /// # Errors
    /// As [`Encoder::encode_all`](crate::encode::Encoder::encode_all). What is returned after an error
    /// means nothing.
    pub fn feed(
        &mut self,
        piece: &[u8],
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<u32>, Error> {
        let mut parts = piece.chunks(MAX_PART_BYTES);
        let mut ids = self.feed_part(parts.next().unwrap_or_default(), is_interrupted)?;
        for part in parts {
            if is_interrupted() {
                return Err(Error::Interrupted);
            }
            ids.append(&mut self.feed_part(part, is_interrupted)?);
        }
        Ok(ids)
    }

    fn feed_part(
        &mut self,
        part: &[u8],
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<u32>, Error> {
        self.held.extend_from_slice(part);
        if self.held.len() < self.next_len {
            return Ok(Vec::new());
        }
        let mut ids = Vec::with_capacity(self.held.len() / BYTES_PER_TOKEN);
        let part = self.with_cache(|cache| self.append_stable(cache, &mut ids, is_interrupted))?;
        let before_restart = ids.len() - part.after_restart;
        // More text may show less to be stable, since not all is taken into account.
        let known = ids.len().max(self.returned_ids);
        let known_bytes = if ids.len() < known { self.returned_bytes } else { part.len };
        let new = ids.split_off(self.returned_ids.min(ids.len()));
        self.held.drain(..part.restart);
        self.returned_ids = known - before_restart;
        self.returned_bytes = known_bytes - part.restart;
        let length = self.held.len();
        self.next_len = if length > MAX_TRIED_ALWAYS { length + length / 8 } else { 0 };
        Ok(new)
    }

    /// Returns the ids of the text that is held back, as if the text ended here.
    ///
    /// # Errors
    /// As [`EncodeStream::feed`].
    pub fn peek(&self, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u32>, Error> {
        let mut ids = Vec::new();
        self.with_cache(|cache| self.append_ended(&self.held, cache, &mut ids, is_interrupted))?;
        Ok(ids.split_off(self.returned_ids))
    }

    /// Ends the text, and returns the rest of its ids. The next piece starts another text.
    ///
    /// # Errors
    /// As [`EncodeStream::feed`].
    pub fn finish(
        &mut self,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<u32>, Error> {
        let rest = self.peek(is_interrupted)?;
        *self = EncodeStream::new(self.encoder.clone(), self.special_tokens.take());
        Ok(rest)
    }

    /// Whether a regex makes the pretokens, as [`Encoder::has_regex`](crate::Encoder::has_regex).
    #[must_use]
    pub fn has_regex(&self) -> bool {
        self.encoder.encoder.has_regex()
    }

    /// The bytes whose ids were not returned yet.
    #[must_use]
    pub fn held_back(&self) -> &[u8] {
        &self.held[self.returned_bytes..]
    }

    fn with_cache<R>(
        &self,
        run: impl FnOnce(&mut EncoderCache) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut cache = self.encoder.encoder.take_cache();
        let result = run(&mut cache)?;
        self.encoder.encoder.return_cache(cache);
        Ok(result)
    }

    /// Appends the stable ids of the text.
    fn append_stable(
        &self,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<StablePart, Error> {
        let added = self.encoder.encoder.added_tokens.as_ref();
        let finders: Vec<_> = self.special_tokens.as_deref().into_iter().chain(added).collect();
        let mut start = 0;
        loop {
            let rest = &self.held[start..];
            let (text, invalid) = match simdutf8::compat::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => {
                    let (text, _) = rest.split_at(error.valid_up_to());
                    (str::from_utf8(text).unwrap_or_default(), error.error_len())
                }
            };
            // Bytes that are not UTF-8 end a text. Those of a character that is not complete do not.
            let Some(invalid) = invalid else {
                let part = self.append_open(text, &finders, cache, ids, is_interrupted)?;
                return Ok(part.after(start));
            };
            let end = start + text.len() + invalid;
            self.append_ended(&self.held[start..end], cache, ids, is_interrupted)?;
            start = end;
        }
    }

    /// Appends the stable ids of a text that goes on, in which these tokens are looked for.
    fn append_open(
        &self,
        text: &str,
        finders: &[&AddedTokenFinder],
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<StablePart, Error> {
        let [finder, inner @ ..] = finders else {
            return self.encoder.append_stable(text, cache, ids);
        };
        let stable_len = finder.find_stable_len(text);
        let mut last = None;
        for segment in finder.split(&text[..stable_len]) {
            match segment {
                Segment::Text(text) => last = Some(text),
                Segment::Added { id, .. } => {
                    if let Some(text) = last.take() {
                        self.append_closed(text, inner, cache, ids, is_interrupted)?;
                    }
                    ids.push(id.0);
                }
            }
        }
        let open = last.unwrap_or_default();
        let part = self.append_open(open, inner, cache, ids, is_interrupted)?;
        Ok(part.after(stable_len - open.len()))
    }

    /// Appends the ids of a text that ends, in which these tokens are looked for.
    fn append_closed(
        &self,
        text: &str,
        finders: &[&AddedTokenFinder],
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let encoder = &self.encoder.encoder;
        if finders.is_empty() {
            encoder.encode_between(text, cache, ids, is_interrupted)
        } else {
            encoder.encode_text(text, cache, ids, is_interrupted)
        }
    }

    /// Appends the ids of bytes after which a text ends.
    fn append_ended(
        &self,
        bytes: &[u8],
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let encoder = &self.encoder.encoder;
        for chunk in bytes.utf8_chunks() {
            match &self.special_tokens {
                None => encoder.encode_text(chunk.valid(), cache, ids, is_interrupted)?,
                Some(special_tokens) => {
                    for segment in special_tokens.split(chunk.valid()) {
                        match segment {
                            Segment::Text(text) => {
                                encoder.encode_text(text, cache, ids, is_interrupted)?;
                            }
                            Segment::Added { id, .. } => ids.push(id.0),
                        }
                    }
                }
            }
            encoder.append_bytes(chunk.invalid(), ids)?;
        }
        Ok(())
    }
}
