//! Compressed input.

#[cfg(feature = "compression")]
use std::io::BufReader;
use std::io::{self, Cursor, Read};

/// How input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Plain,
    Gzip,
    Zstd,
    Bzip2,
}

/// The logarithm of the largest window that `zstd --long=31` writes: 2 GiB. A frame states how much
/// it needs.
#[cfg(feature = "compression")]
const MAX_ZSTD_WINDOW_LOG: u32 = 31;

/// What the decoder of zstd says about a frame with a larger window than is allowed.
pub(super) const WINDOW_TOO_LARGE: &str = "Frame requires too much memory for decoding";

/// The size of a read of compressed input, in bytes.
#[cfg(feature = "compression")]
const CHUNK_SIZE: usize = 1 << 17;

impl Compression {
    /// Returns the name without the suffix of a compression, and the compression.
    pub(super) fn detect_by_name(name: &str) -> (&str, Compression) {
        match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            Some((stem, "bz2")) => (stem, Compression::Bzip2),
            _ => (name, Compression::Plain),
        }
    }

    /// Returns the compression of input without a name, and the input from its start.
    pub(super) fn detect_by_content(
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

    /// Decompresses the input. Compressed files may be concatenated. A window of zstd may have at most
    /// `max_window_bytes`.
    #[cfg(feature = "compression")]
    pub(super) fn decompress(
        self,
        input: Box<dyn Read + Send>,
        max_window_bytes: u64,
    ) -> io::Result<Box<dyn Read + Send>> {
        let buffered = |input| BufReader::with_capacity(CHUNK_SIZE, input);
        Ok(match self {
            Compression::Plain => input,
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(input))),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(input))),
            Compression::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(buffered(input))?;
                decoder.window_log_max(max_window_bytes.ilog2().min(MAX_ZSTD_WINDOW_LOG))?;
                Box::new(decoder)
            }
        })
    }

    /// Returns input that is not compressed.
    #[cfg(not(feature = "compression"))]
    pub(super) fn decompress(
        self,
        input: Box<dyn Read + Send>,
        _max_window_bytes: u64,
    ) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Compression::Plain => Ok(input),
            _ => Err(io::Error::other("this build of superword cannot decompress")),
        }
    }
}
