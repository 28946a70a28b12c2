//! A corpus in files of JSON lines or text, plain or compressed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::decompress::{Compression, WINDOW_TOO_LARGE};
use super::format::{self, Format};
use super::limits::Limits;
use super::parse::{Parser, Sink, collect_first_skipped};
use super::stream::{InputBlock, Stream, StreamError};
use super::workers::{Failure, run_workers};
use super::{BLOCK_SIZE, Batch, BatchHandler, Corpus, CorpusOptions, ReadOptions, Totals};
use crate::Error;

/// Documents in files: `.txt` or `.jsonl`, plain or with `.gz`, `.zst` or `.bz2`.
#[derive(Debug)]
pub struct Files {
    inputs: Vec<InputFile>,
    options: CorpusOptions,
    skipped: Mutex<Vec<String>>,
}

/// One file of the corpus.
#[derive(Debug)]
struct InputFile {
    path: PathBuf,
    /// The path, for messages.
    name: String,
    format: Format,
    compression: Compression,
    /// The weight of its documents, unless a column has it.
    weight: u64,
}

impl Files {
    /// Creates the corpus of these files, in this order.
    ///
    /// # Errors
    /// When the name of a file has no known suffix, or the separator is empty.
    pub fn new(paths: Vec<PathBuf>, options: CorpusOptions) -> Result<Files, Error> {
        options.check()?;
        let inputs = paths.into_iter().map(|path| InputFile::new(path, &options));
        let inputs = inputs.collect::<Result<_, _>>()?;
        Ok(Files { inputs, options, skipped: Mutex::default() })
    }

    fn open(&self, input: &InputFile, pass: &Pass<'_>) -> Result<Stream, Error> {
        let open = || {
            let file = File::open(&input.path)?;
            let is_plain = input.compression == Compression::Plain;
            let size = if is_plain { Some(file.metadata()?.len()) } else { None };
            let counting = Box::new(CountingReader { file, consumed: Arc::clone(&pass.consumed) });
            let window = pass.options.max_document_bytes;
            let decompressed = input.compression.decompress(counting, window)?;
            let separator = self.options.separator.as_deref();
            Ok(Stream::new(decompressed, input.format, separator, pass.options, size))
        };
        open().map_err(|source| Error::Io {
            path: input.path.clone(),
            doing: "cannot open the file",
            source,
        })
    }
}

impl InputFile {
    fn new(path: PathBuf, options: &CorpusOptions) -> Result<InputFile, Error> {
        let name = path.display().to_string();
        let Some((format, compression)) = format::detect_by_name(&name) else {
            let message = "cannot tell from its name what the file contains; rename it to .txt \
                           or .jsonl, with .gz, .zst or .bz2 if it is compressed, or pass it on \
                           standard input"
                .to_owned();
            return Err(Error::Corpus { file: Some(name), line: None, column: None, message });
        };
        let weight = options.find_file_weight(&name, format)?;
        Ok(InputFile { path, name, format, compression, weight })
    }
}

/// A file that counts the bytes read from it.
struct CountingReader {
    file: File,
    consumed: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Returns the error of input that could not be read to its end: it is damaged, or the system
/// refused.
pub(super) fn explain_read_error(
    path: &Path,
    name: &str,
    compression: Compression,
    max_window_bytes: u64,
    source: io::Error,
) -> Error {
    if source.kind() == io::ErrorKind::OutOfMemory {
        return Error::Memory { file: name.to_owned() };
    }
    if source.raw_os_error().is_some() || compression == Compression::Plain {
        return Error::Io { path: path.to_owned(), doing: "cannot read the file", source };
    }
    let what = match source.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed file is truncated".to_owned(),
        _ => format!("the file cannot be decompressed ({source})"),
    };
    let what = if source.to_string() == WINDOW_TOO_LARGE {
        format!(
            "a frame of zstd asks for a window above {max_window_bytes} bytes, the largest document \
             that is read with this memory_limit; raise the limit, compress the file again without \
             --long"
        )
    } else {
        format!("{what}; download or compress it again")
    };
    let message = format!("{what}, or pass on_error='skip' (--on-error skip)");
    Error::Corpus { file: Some(name.to_owned()), line: None, column: None, message }
}

/// The state of one pass: all workers read through it.
struct Pass<'f> {
    files: &'f Files,
    next: usize,
    /// The current file, and the rest of its input.
    open: Option<(&'f InputFile, Stream)>,
    /// The number of blocks read so far.
    blocks: u64,
    limits: Limits,
    /// Whether a file that is one document may be split, and how large a document may be.
    options: ReadOptions,
    consumed: Arc<AtomicU64>,
}

impl<'f> Pass<'f> {
    /// Reads the next block and returns its file; `None` at the end. If a file that cannot be
    /// decompressed is to be skipped, the sink records it.
    fn read_block(
        &mut self,
        block: &mut InputBlock,
        sink: &mut Sink,
    ) -> Result<Option<&'f InputFile>, Error> {
        loop {
            if self.limits.are_reached() {
                return Ok(None);
            }
            self.blocks += 1;
            if self.open.is_none() {
                let Some(input) = self.files.inputs.get(self.next) else { return Ok(None) };
                self.next += 1;
                self.open = Some((input, self.files.open(input, self)?));
            }
            let Some((input, stream)) = self.open.as_mut() else { continue };
            let (input, read) = (*input, stream.read_block(block));
            match read {
                Ok(true) => return Ok(Some(input)),
                Ok(false) => self.open = None,
                Err(StreamError::TooLarge(document)) => {
                    let error = document.explain(&input.name);
                    sink.skip_or_fail(error, self.files.options.on_error, self.blocks)?;
                }
                Err(StreamError::Io(source)) => {
                    self.open = None;
                    let window = self.options.max_document_bytes;
                    let (path, name) = (&input.path, &input.name);
                    let error = explain_read_error(path, name, input.compression, window, source);
                    if !matches!(error, Error::Corpus { .. }) {
                        return Err(error);
                    }
                    sink.skip_or_fail(error, self.files.options.on_error, self.blocks)?;
                }
            }
        }
    }
}

/// The state of one worker.
struct Worker {
    index: usize,
    block: InputBlock,
    sink: Sink,
    totals: Totals,
}

impl Worker {
    /// Passes the collected documents to the handler.
    fn flush(&mut self, handle: &BatchHandler<'_>) -> Result<(), Error> {
        if !self.sink.batch.is_empty() {
            self.totals.add_weighted(&self.sink.batch)?;
            handle(self.index, &self.sink.batch)?;
            self.sink.batch.clear();
        }
        Ok(())
    }
}

impl Corpus for Files {
    fn read(
        &self,
        options: ReadOptions,
        handle: &BatchHandler<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let limits = Limits::new(&self.options);
        let consumed = Arc::default();
        let split_documents = options.split_documents && self.options.may_split_documents();
        let options = ReadOptions { split_documents, ..options };
        let (next, open, blocks) = (0, None, 0);
        let pass = Pass { files: self, next, open, blocks, limits, options, consumed };
        let pass = Mutex::new(pass);
        let start = |index| {
            let (block, sink, totals) = Default::default();
            Worker { index, block, sink, totals }
        };
        let workers = run_workers(options.threads, start, |worker| {
            let mut pass = pass.lock().unwrap_or_else(PoisonError::into_inner);
            let read = pass.read_block(&mut worker.block, &mut worker.sink);
            let number = pass.blocks;
            let failure = |error| Failure { block: number, error };
            progress(pass.consumed.load(Ordering::Relaxed));
            let Some(input) = read.map_err(failure)? else {
                drop(pass);
                worker.flush(handle).map_err(failure)?;
                return Ok(false);
            };
            if worker.block.bytes.is_empty() {
                // A part of a document was skipped. The handler may stop.
                drop(pass);
                handle(worker.index, &Batch::default()).map_err(failure)?;
                return Ok(true);
            }
            // While one worker has a large document, no other reads one.
            let is_large = options.is_large(worker.block.bytes.len());
            let mut parse = |limits: &mut Limits| {
                let (name, format, sink) = (&input.name, input.format, &mut worker.sink);
                let (options, weight) = (&self.options, input.weight);
                Parser { name, format, options, weight, block: number, limits, sink }
                    .parse(&mut worker.block)
                    .map_err(failure)
            };
            let pass = if limits.are_set() {
                // Where to stop depends on all earlier blocks, so only one worker parses.
                parse(&mut pass.limits)?;
                is_large.then_some(pass)
            } else {
                let pass = is_large.then_some(pass);
                parse(&mut limits.clone())?;
                pass
            };
            worker.block.shrink();
            let batch = &worker.sink.batch;
            if batch.byte_len() >= BLOCK_SIZE / 2 || batch.continues() {
                worker.flush(handle).map_err(failure)?;
            }
            drop(pass);
            Ok(true)
        })?;
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        *skipped = collect_first_skipped(workers.iter().map(|worker| &worker.sink));
        let totals = |worker: &Worker| Totals { skipped: worker.sink.skipped, ..worker.totals };
        Totals::sum(workers.iter().map(totals))
    }

    fn size(&self) -> Option<u64> {
        let sizes = self.inputs.iter().map(|input| {
            fs::metadata(&input.path).ok().filter(fs::Metadata::is_file).map(|file| file.len())
        });
        sizes.sum()
    }

    fn skipped(&self) -> Vec<String> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn unused_weight(&self) -> Option<&str> {
        self.options.find_unused_weight()
    }
}
