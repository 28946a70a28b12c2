//! Files of JSON lines or text, plain or compressed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::decompress::Compression;
use super::format::{self, Format};
use super::limits::Limits;
use super::parse::{Parser, Sink, first_refused};
use super::stream::{Block, Stream};
use super::workers::{self, Failure};
use super::{BLOCK, Corpus, OnError, Options, ReadOptions, Totals, Work};
use crate::Error;

/// A corpus in files: `.txt` or `.jsonl`, plain or as `.gz`, `.zst`, `.bz2`.
#[derive(Debug)]
pub struct Files {
    inputs: Vec<Input>,
    options: Options,
    skipped: Mutex<Vec<String>>,
}

/// One file.
#[derive(Debug)]
struct Input {
    path: PathBuf,
    /// The path, for messages.
    name: String,
    format: Format,
    compression: Compression,
}

impl Files {
    /// The documents of these files, in this order.
    ///
    /// # Errors
    /// When a name does not say what the file holds, or the separator is empty.
    pub fn new(paths: Vec<PathBuf>, options: Options) -> Result<Files, Error> {
        check(&options)?;
        let inputs = paths.into_iter().map(Input::new).collect::<Result<_, _>>()?;
        Ok(Files { inputs, options, skipped: Mutex::default() })
    }

    fn open(&self, input: &Input, pass: &Pass<'_>) -> Result<Stream, Error> {
        let open = || {
            let file = File::open(&input.path)?;
            let plain = input.compression == Compression::Plain;
            let size = if plain { Some(file.metadata()?.len()) } else { None };
            let counted = Box::new(Counted { file, consumed: Arc::clone(&pass.consumed) });
            let unpacked = input.compression.unpack(counted)?;
            let separator = self.options.separator.as_deref();
            Ok(Stream::new(unpacked, input.format, separator, pass.in_pieces, size))
        };
        open().map_err(|source| Error::Io {
            path: input.path.clone(),
            doing: "cannot open it",
            source,
        })
    }
}

/// Refuses options that make no sense.
pub(super) fn check(options: &Options) -> Result<(), Error> {
    if options.separator.as_deref() == Some("") {
        let message = "an empty separator separates nothing; leave it out".to_owned();
        return Err(Error::Corpus { file: None, line: None, column: None, message });
    }
    Ok(())
}

/// Whether a document may come before the whole of it is read: not if it may turn out to be too
/// large, or is to be skipped for what comes at its end.
pub(super) fn may_come_in_pieces(options: &Options) -> bool {
    !Limits::new(options).any() && options.on_error == OnError::Raise
}

impl Input {
    fn new(path: PathBuf) -> Result<Input, Error> {
        let name = path.display().to_string();
        let Some((format, compression)) = format::of_name(&name) else {
            let message = "cannot tell from its name what the file holds; .txt and .jsonl are \
                           read, also as .gz, .zst and .bz2: rename it, or pass it on standard \
                           input"
                .to_owned();
            return Err(Error::Corpus { file: Some(name), line: None, column: None, message });
        };
        Ok(Input { path, name, format, compression })
    }
}

/// A file whose bytes are counted as they are read.
struct Counted {
    file: File,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// What is wrong with input that could not be read to its end: damage, or the system's refusal.
pub(super) fn unreadable(
    path: &Path,
    name: &str,
    compression: Compression,
    source: io::Error,
) -> Error {
    if source.raw_os_error().is_some() || compression == Compression::Plain {
        return Error::Io { path: path.to_owned(), doing: "cannot read it", source };
    }
    let what = match source.kind() {
        io::ErrorKind::UnexpectedEof => "breaks off: the archive is truncated".to_owned(),
        _ => format!("cannot be unpacked ({source})"),
    };
    let message =
        format!("{what}; fetch or pack the file again, or pass on_error='skip' (--on-error skip)");
    Error::Corpus { file: Some(name.to_owned()), line: None, column: None, message }
}

/// How far a pass has come: one reader for all workers.
struct Pass<'f> {
    files: &'f Files,
    next: usize,
    /// The file that is being read and what is left of it.
    open: Option<(&'f Input, Stream)>,
    /// How many blocks there have been.
    blocks: u64,
    limits: Limits,
    /// Whether a text that is one document may come in pieces.
    in_pieces: bool,
    consumed: Arc<AtomicU64>,
}

impl<'f> Pass<'f> {
    /// The next block and where it comes from; `None` at the end. What cannot be unpacked goes to
    /// the sink if it is to be skipped.
    fn next(&mut self, block: &mut Block, sink: &mut Sink) -> Result<Option<&'f Input>, Error> {
        loop {
            if self.limits.reached() {
                return Ok(None);
            }
            self.blocks += 1;
            if self.open.is_none() {
                let Some(input) = self.files.inputs.get(self.next) else { return Ok(None) };
                self.next += 1;
                self.open = Some((input, self.files.open(input, self)?));
            }
            let Some((input, stream)) = self.open.as_mut() else { continue };
            let (input, read) = (*input, stream.next(block));
            match read {
                Ok(true) => return Ok(Some(input)),
                Ok(false) => self.open = None,
                Err(source) => {
                    self.open = None;
                    let error = unreadable(&input.path, &input.name, input.compression, source);
                    if matches!(error, Error::Io { .. }) {
                        return Err(error);
                    }
                    sink.refuse(error, self.files.options.on_error, self.blocks)?;
                }
            }
        }
    }
}

/// What one worker has.
struct Worker {
    number: usize,
    block: Block,
    sink: Sink,
    totals: Totals,
}

impl Worker {
    /// Hands over what has come together.
    fn flush(&mut self, work: &Work<'_>) -> Result<(), Error> {
        if !self.sink.batch.is_empty() {
            work(self.number, &self.sink.batch)?;
            self.totals.count(&self.sink.batch);
            self.sink.batch.clear();
        }
        Ok(())
    }
}

impl Corpus for Files {
    fn read(
        &self,
        reading: ReadOptions,
        work: &Work<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let limits = Limits::new(&self.options);
        let consumed = Arc::default();
        let in_pieces = reading.split_documents && may_come_in_pieces(&self.options);
        let pass =
            Pass { files: self, next: 0, open: None, blocks: 0, limits, in_pieces, consumed };
        let pass = Mutex::new(pass);
        let start = |number| {
            let (block, sink, totals) = Default::default();
            Worker { number, block, sink, totals }
        };
        let workers = workers::run(reading.threads, start, |worker| {
            let mut turn = pass.lock().unwrap_or_else(PoisonError::into_inner);
            let next = turn.next(&mut worker.block, &mut worker.sink);
            let number = turn.blocks;
            let failure = |error| Failure { number, error };
            progress(turn.consumed.load(Ordering::Relaxed));
            let Some(input) = next.map_err(failure)? else {
                drop(turn);
                worker.flush(work).map_err(failure)?;
                return Ok(false);
            };
            let (name, format) = (input.name.as_str(), input.format);
            let parser = Parser { name, format, options: &self.options, number };
            let (block, sink) = (&mut worker.block, &mut worker.sink);
            if limits.any() {
                // Where to stop depends on all that came before, so it is one block at a time.
                parser.parse(block, &mut turn.limits, sink).map_err(failure)?;
                drop(turn);
            } else {
                drop(turn);
                parser.parse(block, &mut limits.clone(), sink).map_err(failure)?;
            }
            worker.block.release();
            let batch = &worker.sink.batch;
            if batch.bytes() >= BLOCK / 2 || batch.continues() {
                worker.flush(work).map_err(failure)?;
            }
            Ok(true)
        })?;
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        *skipped = first_refused(workers.iter().map(|worker| &worker.sink));
        let totals = |worker: &Worker| Totals { skipped: worker.sink.skipped, ..worker.totals };
        Ok(workers.iter().map(totals).sum())
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
}
