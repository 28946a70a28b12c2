//! Documents that came once, kept to be read again.

use std::borrow::Cow;
use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::decompress::Compression;
use super::files::{check, may_come_in_pieces, unreadable};
use super::format;
use super::limits::Limits;
use super::parse::{Parser, REMEMBERED, Sink};
use super::split_points::split_into_pieces;
use super::stream::{Block, Stream};
use super::workers::{self, Failure};
use super::{BLOCK, Batch, Corpus, Options, ReadOptions, Totals, Work};
use crate::Error;

/// How many bytes a spool keeps in memory before it writes a file.
pub const MEMORY: usize = 64 << 20;

/// Documents in memory and, when there are many, in a temporary file without a name.
#[derive(Debug)]
pub struct Spool {
    options: Options,
    limits: Limits,
    /// What is not yet a part.
    pending: Batch,
    parts: Vec<Part>,
    /// How many bytes may still be kept in memory.
    memory: usize,
    file: Option<Mutex<File>>,
    /// How many bytes the file has.
    written: u64,
    totals: Totals,
    skipped: Vec<String>,
}

/// A batch that was put away.
#[derive(Debug)]
enum Part {
    Kept(Batch),
    /// The ends of its documents, then its text, from `offset` on.
    Written {
        offset: u64,
        documents: usize,
        bytes: usize,
        continues: bool,
    },
}

impl Part {
    /// Whether its last document goes on in the next part.
    fn continues(&self) -> bool {
        match self {
            Part::Kept(batch) => batch.continues(),
            Part::Written { continues, .. } => *continues,
        }
    }
}

impl Spool {
    /// A spool for what these options let in. It writes a file when there are more than `memory`
    /// bytes; [`MEMORY`] is usual.
    ///
    /// # Errors
    /// When the separator is empty.
    pub fn new(options: Options, memory: usize) -> Result<Spool, Error> {
        check(&options)?;
        Ok(Spool {
            limits: Limits::new(&options),
            options,
            pending: Batch::default(),
            parts: Vec::new(),
            memory,
            file: None,
            written: 0,
            totals: Totals::default(),
            skipped: Vec::new(),
        })
    }

    /// How it reads.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether it takes no more, because of `max_bytes` or `max_documents`.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.limits.reached()
    }

    /// How many documents and bytes it has, and how many items were skipped.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds the documents of a batch, as far as the limits go.
    ///
    /// # Errors
    /// When the temporary file cannot be written: a full disk, for one.
    pub fn extend(&mut self, batch: &Batch) -> Result<(), Error> {
        for document in batch.documents() {
            if !self.limits.admit(document.len()) {
                break;
            }
            self.keep(document)?;
        }
        Ok(())
    }

    /// Adds the documents of another corpus, in order.
    ///
    /// # Errors
    /// What reading it gives, and what [`Spool::extend`] does; when it is interrupted.
    pub fn extend_from(
        &mut self,
        corpus: &dyn Corpus,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let spool = Mutex::new(self);
        let work = |_: usize, batch: &Batch| {
            if is_interrupted() {
                return Err(Error::Interrupted);
            }
            spool.lock().unwrap_or_else(PoisonError::into_inner).extend(batch)
        };
        let totals = corpus.read(ReadOptions::whole_documents(1), &work, &|_| ())?;
        let spool = spool.into_inner().unwrap_or_else(PoisonError::into_inner);
        spool.totals.skipped += totals.skipped;
        spool.remember(corpus.skipped());
        Ok(())
    }

    /// Adds the documents of a stream. Its name says what it holds, as with files; if the name
    /// says nothing, its first bytes do.
    ///
    /// # Errors
    /// When something is wrong with the input, and what [`Spool::extend`] does.
    pub fn extend_stream(&mut self, name: &str, input: Box<dyn Read + Send>) -> Result<(), Error> {
        let path = Path::new(name);
        let mut compression = Compression::Plain;
        let open = || {
            if let Some((format, named)) = format::of_name(name) {
                compression = named;
                return Ok((format, named.unpack(input)?));
            }
            let (found, input) = Compression::of_content(input)?;
            compression = found;
            let (format, input) = format::of_content(found.unpack(input)?)?;
            // Whoever names a separator means text.
            let text = self.options.separator.is_some();
            Ok((if text { format::Format::Text } else { format }, input))
        };
        let opened: io::Result<_> = open();
        let options = self.options.clone();
        let mut sink = Sink::default();
        let read = opened.and_then(|(format, input)| {
            let mut stream = Stream::new(
                input,
                format,
                options.separator.as_deref(),
                may_come_in_pieces(&options),
                None,
            );
            let mut block = Block::default();
            while !self.limits.reached() && stream.next(&mut block)? {
                let parser = Parser { name, format, options: &options, number: 0 };
                let parsed = parser.parse(&mut block, &mut self.limits, &mut sink);
                if let Err(error) = parsed.and_then(|()| self.keep_all(&mut sink.batch)) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        match read {
            Ok(parsed) => parsed?,
            Err(source) => match unreadable(path, name, compression, source) {
                error @ Error::Corpus { .. } => sink.refuse(error, options.on_error, 0)?,
                error => return Err(error),
            },
        }
        self.totals.skipped += sink.skipped;
        self.remember(sink.refused.into_iter().map(|(_, message)| message).collect());
        Ok(())
    }

    /// Counts an item that the caller has skipped.
    pub fn skip(&mut self, message: String) {
        self.totals.skipped += 1;
        self.remember(vec![message]);
    }

    fn remember(&mut self, messages: Vec<String>) {
        let room = REMEMBERED.saturating_sub(self.skipped.len());
        self.skipped.extend(messages.into_iter().take(room));
    }

    /// Keeps documents that the limits have admitted.
    fn keep_all(&mut self, batch: &mut Batch) -> Result<(), Error> {
        if batch.continues() || self.pending.is_empty() && batch.bytes() >= BLOCK {
            if !self.pending.is_empty() {
                self.put_away()?;
            }
            self.totals.count(batch);
            mem::swap(&mut self.pending, batch);
            return self.put_away();
        }
        for document in batch.documents() {
            self.keep(document)?;
        }
        batch.clear();
        Ok(())
    }

    fn keep(&mut self, document: &str) -> Result<(), Error> {
        if !self.pending.is_empty() && self.pending.bytes() + document.len() > BLOCK {
            self.put_away()?;
        }
        self.totals.documents += 1;
        self.totals.bytes += document.len() as u64;
        for piece in split_into_pieces(document.as_bytes(), 2 * BLOCK) {
            if piece.start > 0 {
                self.pending.set_continues();
                self.put_away()?;
            }
            self.pending.push(&document[piece]);
        }
        Ok(())
    }

    /// Makes a part of what is pending.
    fn put_away(&mut self) -> Result<(), Error> {
        if self.pending.bytes() <= self.memory {
            self.memory -= self.pending.bytes();
            self.parts.push(Part::Kept(mem::take(&mut self.pending)));
            return Ok(());
        }
        // Nothing after the first part that is written is kept: what is read is in order.
        self.memory = 0;
        let part = self.write().map_err(|source| Error::Io {
            path: env::temp_dir(),
            doing: "cannot write the temporary copy of the corpus; make room there, or name \
                    another folder with TMPDIR",
            source,
        })?;
        self.parts.push(part);
        self.pending.clear();
        Ok(())
    }

    fn write(&mut self) -> io::Result<Part> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Mutex::new(tempfile::tempfile()?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (text, ends) = (self.pending.text(), self.pending.ends());
        let header: Vec<u8> = ends.iter().flat_map(|&end| (end as u64).to_le_bytes()).collect();
        file.write_all(&header)?;
        file.write_all(text.as_bytes())?;
        let offset = self.written;
        self.written += (header.len() + text.len()) as u64;
        let (documents, bytes) = (ends.len(), text.len());
        Ok(Part::Written { offset, documents, bytes, continues: self.pending.continues() })
    }

    /// A part; what is pending is the one past the last.
    fn part(&self, index: usize) -> io::Result<Cow<'_, Batch>> {
        let (offset, documents, bytes, continues) = match self.parts.get(index) {
            None => return Ok(Cow::Borrowed(&self.pending)),
            Some(Part::Kept(batch)) => return Ok(Cow::Borrowed(batch)),
            Some(&Part::Written { offset, documents, bytes, continues }) => {
                (offset, documents, bytes, continues)
            }
        };
        let mut header = vec![0; documents * 8];
        let mut text = Vec::with_capacity(bytes);
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut header)?;
            Read::take(&mut *file, bytes as u64).read_to_end(&mut text)?;
        }
        let (ends, _) = header.as_chunks::<8>();
        let ends = ends.iter().map(|end| u64::from_le_bytes(*end) as usize).collect();
        let text = String::from_utf8(text).ok();
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        let batch = text.and_then(|text| Batch::from_parts(text, ends, continues));
        batch.map(Cow::Owned).ok_or_else(damaged)
    }

    /// Parts as one batch.
    fn joined(&self, mut parts: Range<usize>) -> io::Result<Cow<'_, Batch>> {
        let mut batch =
            parts.next().map_or_else(|| Ok(Cow::default()), |first| self.part(first))?;
        for part in parts {
            batch.to_mut().append(&*self.part(part)?);
        }
        Ok(batch)
    }
}

impl Corpus for Spool {
    fn read(
        &self,
        reading: ReadOptions,
        work: &Work<'_>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Totals, Error> {
        let begins = |&part: &usize| {
            reading.split_documents || part == 0 || !self.parts[part - 1].continues()
        };
        let parts = self.parts.len() + 1;
        let starts: Vec<usize> = (0..parts).filter(begins).chain([parts]).collect();
        let next = AtomicUsize::new(0);
        let consumed = AtomicU64::new(0);
        let start = |worker| (worker, Totals::default());
        let states = workers::run(reading.threads, start, |(worker, totals)| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let failure = |error| Failure { number: number as u64, error };
            let Some(&[start, end]) = starts.get(number..).and_then(<[_]>::first_chunk) else {
                return Ok(false);
            };
            let batch = self.joined(start..end).map_err(|source| {
                let doing = "cannot read the temporary copy of the corpus";
                failure(Error::Io { path: env::temp_dir(), doing, source })
            })?;
            if batch.is_empty() {
                return Ok(true);
            }
            work(*worker, &batch).map_err(failure)?;
            totals.count(&batch);
            let bytes = batch.bytes() as u64;
            progress(consumed.fetch_add(bytes, Ordering::Relaxed) + bytes);
            Ok(true)
        })?;
        let read: Totals = states.into_iter().map(|(_, totals)| totals).sum();
        Ok(Totals { skipped: self.totals.skipped, ..read })
    }

    fn size(&self) -> Option<u64> {
        Some(self.totals.bytes)
    }

    fn skipped(&self) -> Vec<String> {
        self.skipped.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(corpus: &dyn Corpus) -> Vec<String> {
        let read = Mutex::new(Vec::new());
        let work = |_: usize, batch: &Batch| {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            read.extend(batch.documents().map(str::to_owned));
            Ok(())
        };
        corpus.read(ReadOptions::whole_documents(1), &work, &|_| ()).expect("nothing is wrong");
        read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn what_was_written_is_read_again_in_order() {
        let texts: Vec<String> =
            (0..50).map(|number| format!("é{number}").repeat(20_000)).collect();
        for memory in [0, 1 << 21, MEMORY] {
            let mut spool = Spool::new(Options::default(), memory).expect("good options");
            spool.extend(&texts.iter().collect()).expect("room on the disk");
            assert_eq!(spool.file.is_some(), memory < MEMORY);
            assert_eq!(documents(&spool), texts);
            assert_eq!(
                spool.totals(),
                spool
                    .read(ReadOptions::whole_documents(2), &|_, _| Ok(()), &|_| ())
                    .expect("readable")
            );
        }
    }

    #[test]
    fn limits_hold_over_everything_that_is_added() {
        let options = Options { max_bytes: Some(5), ..Options::default() };
        let mut spool = Spool::new(options, MEMORY).expect("good options");
        spool.extend(&["ab", "c"].into_iter().collect()).expect("room");
        assert!(!spool.is_full());
        spool.extend(&["def", "g"].into_iter().collect()).expect("room");
        assert!(spool.is_full());
        spool.extend(&["h"].into_iter().collect()).expect("room");
        assert_eq!(documents(&spool), ["ab", "c"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_says_what_to_do() {
        let mut spool = Spool::new(Options::default(), 0).expect("good options");
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        spool.file = Some(Mutex::new(full));
        let batch: Batch = (0..3).map(|_| "a".repeat(BLOCK)).collect();
        let error = spool.extend(&batch).expect_err("nothing can be written");
        let Error::Io { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("TMPDIR"), "{error}");
    }
}
