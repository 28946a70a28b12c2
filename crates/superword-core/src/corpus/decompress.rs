//! Compressed input.

use std::io::{self, BufReader, Cursor, Read};

/// How input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Plain,
    Gzip,
    Zstd,
    Bzip2,
}

/// Windows of up to 2 GB, what `zstd --long=31` makes: the frame says how much is needed.
const ZSTD_WINDOW_LOG: u32 = 31;

/// How much compressed input is read at a time.
const CHUNK: usize = 1 << 17;

impl Compression {
    /// The rest of a file's name, and the compression that the end of it stands for.
    pub(super) fn of_name(name: &str) -> (&str, Compression) {
        match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            Some((stem, "bz2")) => (stem, Compression::Bzip2),
            _ => (name, Compression::Plain),
        }
    }

    /// The compression of input without a name, and the input from its start.
    pub(super) fn of_content(
        mut input: Box<dyn Read + Send>,
    ) -> io::Result<(Compression, Box<dyn Read + Send>)> {
        let mut head = Vec::new();
        input.by_ref().take(4).read_to_end(&mut head)?;
        let compression = match head.as_slice() {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9'] => Compression::Bzip2,
            _ => Compression::Plain,
        };
        Ok((compression, Box::new(Cursor::new(head).chain(input))))
    }

    /// The unpacked input. Files that were packed apart and put together are unpacked in turn.
    pub(super) fn unpack(self, input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let buffered = |input| BufReader::with_capacity(CHUNK, input);
        Ok(match self {
            Compression::Plain => input,
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(input))),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(input))),
            Compression::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(buffered(input))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}
