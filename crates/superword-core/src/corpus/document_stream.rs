//! Documents of a stream that can be read only once.

use std::io::{self, Read};
use std::path::Path;

use super::decompress::Compression;
use super::files::explain_read_error;
use super::format::{self, Format};
use super::parse::{Parser, Sink};
use super::stream::{InputBlock, Stream, StreamError};
use super::{BatchBuilder, ReadOptions};
use crate::Error;

/// A stream of JSON lines or text, plain or compressed.
pub struct DocumentStream {
    name: String,
    format: Format,
    compression: Compression,
    /// The weight of its documents, unless a column has it.
    weight: u64,
    stream: Stream,
    block: InputBlock,
}

impl DocumentStream {
    /// Opens a stream whose documents a builder will gather. Its name determines the format, as with
    /// files; a name without a known suffix leaves it to the first bytes. Returns `None` if the
    /// stream is skipped.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn open(
        name: &str,
        input: Box<dyn Read + Send>,
        builder: &mut BatchBuilder,
    ) -> Result<Option<DocumentStream>, Error> {
        let mut compression = Compression::Plain;
        let max_document_bytes = builder.max_document_bytes;
        let options = &builder.options;
        let open = || {
            if let Some((format, named)) = format::detect_by_name(name) {
                compression = named;
                return Ok((format, named.decompress(input, max_document_bytes)?));
            }
            let (found, input) = Compression::detect_by_content(input)?;
            compression = found;
            let (format, input) =
                format::detect_by_content(found.decompress(input, max_document_bytes)?)?;
            // Only text has separators.
            let is_text = options.separator.is_some();
            Ok((if is_text { Format::Text } else { format }, input))
        };
        let opened: io::Result<_> = open();
        let (format, input) = match opened {
            Ok(opened) => opened,
            Err(source) => {
                let path = Path::new(name);
                let error = explain_read_error(path, name, compression, max_document_bytes, source);
                return builder.skip_or_fail(error).map(|()| None);
            }
        };
        let weight = options.find_file_weight(name, format)?;
        let split_documents = options.may_split_documents();
        let reading = ReadOptions { threads: 1, split_documents, max_document_bytes };
        let stream = Stream::new(input, format, options.separator.as_deref(), reading, None);
        let (name, block) = (name.to_owned(), InputBlock::default());
        Ok(Some(DocumentStream { name, format, compression, weight, stream, block }))
    }

    /// Adds the next documents to the builder; returns false at the end.
    ///
    /// # Errors
    /// When the input cannot be read, or is malformed.
    pub fn read_into(&mut self, builder: &mut BatchBuilder) -> Result<bool, Error> {
        match self.stream.read_block(&mut self.block) {
            Ok(true) if self.block.bytes.is_empty() => return Ok(true),
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(StreamError::TooLarge(document)) => {
                return builder.skip_or_fail(document.explain(&self.name)).map(|()| true);
            }
            Err(StreamError::Io(source)) => {
                let (path, compression) = (Path::new(&self.name), self.compression);
                let window = builder.max_document_bytes;
                let error = explain_read_error(path, &self.name, compression, window, source);
                return builder.skip_or_fail(error).map(|()| false);
            }
        }
        let mut sink = Sink::default();
        let BatchBuilder { options, limits, .. } = builder;
        let (name, sink_of_block) = (&self.name, &mut sink);
        let (format, weight) = (self.format, self.weight);
        Parser { name, format, options, weight, block: 0, limits, sink: sink_of_block }
            .parse(&mut self.block)?;
        builder.append(sink);
        Ok(true)
    }
}
