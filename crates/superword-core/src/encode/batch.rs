//! Many texts, or a huge one, on several threads.
//!
//! Each text is a job, or several if it is large and may be split. A thread takes a chunk of jobs at a
//! time, and the ids of the chunks are put together in the order of the texts.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Error;
use crate::corpus::split_into_pieces;
use crate::encode::Encoder;
use crate::encode::pipeline::group::GROUP_SIZE;
use crate::encode::pretoken::cache::EncoderCache;
use crate::encode::pretoken::encoding::WORDS;
use crate::platform::allocation;
use crate::platform::huge_pages;
use crate::platform::threads::call_on_threads;

/// Larger texts are split, so that threads can share them and interrupts are noticed in between.
const MAX_JOB_BYTES: usize = 1 << 18;

/// The bytes of a chunk, unless its last job makes it larger.
const CHUNK_BYTES: usize = 1 << 16;

/// The bytes of an average token, or fewer.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// The ids of larger inputs grow by allocations that may fail.
const LARGE_BYTES: usize = 1 << 24;

/// What needs memory, in errors.
const IDS: &str = "the ids of the text";

/// The ids of texts, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The ids of all texts.
    pub ids: Vec<u32>,
    /// The offset in `ids` at which each text starts, and the end of the last.
    pub offsets: Vec<u64>,
}

impl Encoded {
    /// Creates an empty result with room for the ids of this many bytes. The capacity is rounded up,
    /// so that the next batch of about the same size can reuse the memory after it is freed.
    fn with_capacity(bytes: usize) -> Result<Encoded, Error> {
        let ids = bytes / BYTES_PER_TOKEN;
        let capacity = ids.next_multiple_of((ids.next_power_of_two() / 16).max(1));
        let ids = huge_pages::try_with_capacity(capacity, IDS)?;
        Ok(Encoded { ids, offsets: vec![0] })
    }
}

/// A text to encode, or a part of one.
struct EncodeJob<'t> {
    input: JobInput<'t>,
    /// Whether a text ends with it.
    ends_text: bool,
}

/// The input of a job.
#[derive(Clone, Copy)]
enum JobInput<'t> {
    Text(&'t str),
    /// Bytes that need not be UTF-8.
    Bytes(&'t [u8]),
}

impl JobInput<'_> {
    fn byte_len(self) -> usize {
        match self {
            JobInput::Text(text) => text.len(),
            JobInput::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The ids of a chunk of jobs, and the offsets among them at which texts end.
#[derive(Default)]
struct ChunkIds {
    ids: Vec<u32>,
    text_ends: Vec<usize>,
}

/// Puts the ids of chunks together in the order of the chunks.
struct ChunkJoiner {
    encoded: Encoded,
    /// The number of the next chunk to append, and the chunks that were done before it.
    next: usize,
    early: BTreeMap<usize, ChunkIds>,
    /// Buffers for reuse.
    spare: Vec<ChunkIds>,
}

impl ChunkJoiner {
    /// Takes the ids of a chunk, and leaves an empty buffer.
    fn add(&mut self, number: usize, chunk: &mut ChunkIds) -> Result<(), Error> {
        if number != self.next {
            let spare = self.spare.pop().unwrap_or_default();
            self.early.insert(number, mem::replace(chunk, spare));
            return Ok(());
        }
        self.append(chunk)?;
        while let Some(mut chunk) = self.early.remove(&self.next) {
            self.append(&mut chunk)?;
            self.spare.push(chunk);
        }
        Ok(())
    }

    fn append(&mut self, chunk: &mut ChunkIds) -> Result<(), Error> {
        let Encoded { ids, offsets } = &mut self.encoded;
        allocation::reserve(ids, chunk.ids.len(), IDS)?;
        offsets.extend(chunk.text_ends.drain(..).map(|end| (ids.len() + end) as u64));
        ids.append(&mut chunk.ids);
        self.next += 1;
        Ok(())
    }
}

/// The number of ids that a thread has counted.
#[derive(Default)]
struct IdCount {
    count: usize,
    /// A buffer for reuse.
    ids: Vec<u32>,
}

impl Encoder {
    /// Whether a regex makes the pretokens. It may take more than linear time, so that even short
    /// texts should be encoded where they can be interrupted.
    #[must_use]
    pub fn has_regex(&self) -> bool {
        self.pattern.is_regex()
    }

    /// Returns the ids of texts, encoded on up to `threads` threads.
    ///
    /// # Errors
    /// When a regex exceeds its backtracking limit, when the model has no id for a byte, or when
    /// `is_interrupted` returns `true`. It is called many times a second.
    pub fn encode_all(
        &self,
        texts: &[&str],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        self.encode_jobs(&self.split_into_jobs(texts), threads, is_interrupted)
    }

    /// Returns the ids of bytes, which need not be UTF-8, encoded on up to `threads` threads.
    ///
    /// # Errors
    /// As [`Encoder::encode_all`].
    pub fn encode_bytes(
        &self,
        bytes: &[u8],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            return self.encode_all(&[text], threads, is_interrupted);
        }
        let parts = split_into_pieces(bytes, self.max_job_bytes());
        let jobs: Vec<_> = parts
            .map(|part| EncodeJob {
                ends_text: part.end == bytes.len(),
                input: JobInput::Bytes(&bytes[part]),
            })
            .collect();
        self.encode_jobs(&jobs, threads, is_interrupted)
    }

    fn encode_jobs(
        &self,
        jobs: &[EncodeJob<'_>],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        let chunks = split_into_chunks(jobs);
        if threads.min(chunks.len()) <= 1 {
            return self.encode_on_this_thread(jobs, is_interrupted);
        }
        let joiner = Mutex::new(ChunkJoiner {
            encoded: Encoded::with_capacity(sum_bytes(jobs))?,
            next: 0,
            early: BTreeMap::new(),
            spare: Vec::new(),
        });
        let encode_chunk = |number: usize, cache: &mut EncoderCache, chunk: &mut ChunkIds| {
            for job in &jobs[chunks[number].clone()] {
                self.check_job(job, is_interrupted)?;
                if job.input.byte_len() >= LARGE_BYTES {
                    reserve_ids(&mut chunk.ids, job)?;
                }
                self.encode_input(job.input, cache, &mut chunk.ids, is_interrupted)?;
                if job.ends_text {
                    chunk.text_ends.push(chunk.ids.len());
                }
            }
            joiner.lock().expect("no thread panics with the lock").add(number, chunk)
        };
        self.run_on_threads(chunks.len(), threads, is_interrupted, encode_chunk)?;
        Ok(joiner.into_inner().expect("no thread panics with the lock").encoded)
    }

    /// Returns the number of ids of a text, encoded on up to `threads` threads. The ids are not kept.
    ///
    /// # Errors
    /// As [`Encoder::encode_all`].
    pub fn count(
        &self,
        text: &str,
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<usize, Error> {
        let jobs = self.split_into_jobs(&[text]);
        let count_job = |number: usize, cache: &mut EncoderCache, counted: &mut IdCount| {
            counted.ids.clear();
            self.check_job(&jobs[number], is_interrupted)?;
            self.encode_input(jobs[number].input, cache, &mut counted.ids, is_interrupted)?;
            counted.count += counted.ids.len();
            Ok(())
        };
        let counts = self.run_on_threads(jobs.len(), threads, is_interrupted, count_job)?;
        Ok(counts.iter().map(|counted| counted.count).sum())
    }

    /// Calls `run` with the number of each task, on up to `threads` threads. Each thread has a state,
    /// which its calls share. Returns the states.
    fn run_on_threads<S: Default + Send>(
        &self,
        tasks: usize,
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
        run: impl Fn(usize, &mut EncoderCache, &mut S) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let has_failed = AtomicBool::new(false);
        let work = |_| {
            let mut state = S::default();
            let mut cache = self.take_cache();
            while !has_failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= tasks {
                    break;
                }
                let result = if is_interrupted() {
                    Err(Error::Interrupted)
                } else {
                    run(number, &mut cache, &mut state)
                };
                if let Err(error) = result {
                    has_failed.store(true, Ordering::Relaxed);
                    return Err((number, error));
                }
            }
            self.return_cache(cache);
            Ok(state)
        };
        let results = call_on_threads(threads.min(tasks), work);
        let mut states = Vec::with_capacity(results.len());
        let mut first_failure: Option<(usize, Error)> = None;
        for result in results {
            match result {
                Ok(state) => states.push(state),
                Err(failure) if first_failure.as_ref().is_none_or(|first| failure.0 < first.0) => {
                    first_failure = Some(failure);
                }
                Err(_) => {}
            }
        }
        first_failure.map_or(Ok(states), |(_, error)| Err(error))
    }

    fn encode_on_this_thread(
        &self,
        jobs: &[EncodeJob<'_>],
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        let mut cache = self.take_cache();
        let bytes = sum_bytes(jobs);
        let mut encoded = Encoded::with_capacity(bytes)?;
        for job in jobs {
            if is_interrupted() {
                return Err(Error::Interrupted);
            }
            self.check_job(job, is_interrupted)?;
            if bytes >= LARGE_BYTES {
                reserve_ids(&mut encoded.ids, job)?;
            }
            self.encode_input(job.input, &mut cache, &mut encoded.ids, is_interrupted)?;
            if job.ends_text {
                encoded.offsets.push(encoded.ids.len() as u64);
            }
        }
        self.return_cache(cache);
        Ok(encoded)
    }

    /// Appends the ids of an input. Each byte that is not UTF-8 is a pretoken, and the bytes between
    /// such bytes are separate texts.
    fn encode_input(
        &self,
        input: JobInput<'_>,
        cache: &mut EncoderCache,
        ids: &mut Vec<u32>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let bytes = match input {
            JobInput::Text(text) => return self.encode_text(text, cache, ids, is_interrupted),
            JobInput::Bytes(bytes) => bytes,
        };
        for chunk in bytes.utf8_chunks() {
            self.encode_text(chunk.valid(), cache, ids, is_interrupted)?;
            self.append_bytes(chunk.invalid(), ids)?;
        }
        Ok(())
    }

    /// Checks that the system has memory for a job that could not be split.
    fn check_job(
        &self,
        job: &EncodeJob<'_>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        match job.input {
            input if input.byte_len() < LARGE_BYTES => Ok(()),
            JobInput::Text(text) => self.check_available(text, is_interrupted),
            JobInput::Bytes(bytes) => bytes
                .utf8_chunks()
                .filter(|chunk| chunk.valid().len() >= LARGE_BYTES)
                .try_for_each(|chunk| self.check_available(chunk.valid(), is_interrupted)),
        }
    }

    /// Makes jobs of texts. Large texts are split if they may be.
    fn split_into_jobs<'t>(&self, texts: &[&'t str]) -> Vec<EncodeJob<'t>> {
        let parts = texts.iter().flat_map(|&text| {
            let parts = split_into_pieces(text.as_bytes(), self.max_job_bytes());
            parts.map(|part| EncodeJob {
                ends_text: part.end == text.len(),
                input: JobInput::Text(&text[part]),
            })
        });
        parts.collect()
    }

    pub(super) fn max_job_bytes(&self) -> usize {
        if self.may_split_texts { MAX_JOB_BYTES } else { usize::MAX }
    }
}

/// Makes room for the ids of a job: at most one for each byte, and those that are written ahead.
fn reserve_ids(ids: &mut Vec<u32>, job: &EncodeJob<'_>) -> Result<(), Error> {
    allocation::reserve(ids, job.input.byte_len() + GROUP_SIZE * WORDS, IDS)
}

fn sum_bytes(jobs: &[EncodeJob<'_>]) -> usize {
    jobs.iter().map(|job| job.input.byte_len()).sum()
}

/// Splits jobs into chunks, and returns their ranges.
fn split_into_chunks(jobs: &[EncodeJob<'_>]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (end, job) in (1..).zip(jobs) {
        size += job.input.byte_len();
        if size >= CHUNK_BYTES || end == jobs.len() {
            chunks.push(start..end);
            (start, size) = (end, 0);
        }
    }
    chunks
}
