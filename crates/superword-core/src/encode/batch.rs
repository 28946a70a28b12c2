//! Many texts, or a huge one, on several threads.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::Encoder;
use crate::Error;
use crate::encode::pretoken::cache::Cache;
use crate::platform::huge_pages;
use crate::pretokenize::pieces;

/// Larger texts are cut at seams, so that threads can share them, and stop in between.
const LARGE: usize = 1 << 18;

/// A thread takes so many bytes at once, or one part of a text.
const TURN: usize = 1 << 16;

/// Tokens have about so many bytes, or more.
const TOKEN: usize = 4;

/// Ids of texts, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The ids of all texts.
    pub ids: Vec<u32>,
    /// Where each text starts in `ids`, and where the last ends.
    pub offsets: Vec<u64>,
}

impl Encoded {
    /// No ids, with room for those of so many bytes, and some more: then the next batch of about
    /// the same size fits into the memory of this one, when that is given back, and the system need
    /// not look for other.
    fn with_room(bytes: usize) -> Encoded {
        let ids = bytes / TOKEN;
        let room = ids.next_multiple_of((ids.next_power_of_two() / 16).max(1));
        Encoded { ids: huge_pages::with_capacity(room), offsets: vec![0] }
    }
}

/// A part of a text to encode.
struct Job<'t> {
    part: Part<'t>,
    /// Whether a text ends with it.
    is_last: bool,
}

/// A text, or bytes that are none.
#[derive(Clone, Copy)]
enum Part<'t> {
    Text(&'t str),
    Bytes(&'t [u8]),
}

impl Part<'_> {
    /// How many bytes it has.
    fn size(self) -> usize {
        match self {
            Part::Text(text) => text.len(),
            Part::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The ids of some jobs, and where among them texts end.
#[derive(Default)]
struct Turn {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

/// What threads have encoded, put together in the order of the jobs.
struct Joined {
    encoded: Encoded,
    /// Which turn comes next, and those that have come before it.
    next: usize,
    early: BTreeMap<usize, Turn>,
    /// To be used again.
    spare: Vec<Turn>,
}

impl Joined {
    /// Takes what a turn has given, and leaves room for the next.
    fn add(&mut self, number: usize, turn: &mut Turn) {
        if number != self.next {
            let spare = self.spare.pop().unwrap_or_default();
            self.early.insert(number, mem::replace(turn, spare));
            return;
        }
        self.append(turn);
        while let Some(mut turn) = self.early.remove(&self.next) {
            self.append(&mut turn);
            self.spare.push(turn);
        }
    }

    fn append(&mut self, turn: &mut Turn) {
        let Encoded { ids, offsets } = &mut self.encoded;
        offsets.extend(turn.ends.drain(..).map(|end| (ids.len() + end) as u64));
        ids.append(&mut turn.ids);
        self.next += 1;
    }
}

impl Encoder {
    /// The ids of texts, on up to so many threads.
    ///
    /// # Errors
    /// When a regex gives up, when the model has no id for a byte, or when `is_interrupted` says so,
    /// which is asked many times a second.
    pub fn encode_all(
        &self,
        texts: &[&str],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        self.encode_jobs(&self.jobs(texts), threads, is_interrupted)
    }

    /// The ids of bytes, which need not be UTF-8, on up to so many threads.
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
        let parts = pieces(bytes, self.largest());
        let jobs: Vec<_> = parts
            .map(|part| Job { is_last: part.end == bytes.len(), part: Part::Bytes(&bytes[part]) })
            .collect();
        self.encode_jobs(&jobs, threads, is_interrupted)
    }

    fn encode_jobs(
        &self,
        jobs: &[Job<'_>],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        let turns = turns(jobs);
        if threads.min(turns.len()) <= 1 {
            return self.encode_on_this_thread(jobs, is_interrupted);
        }
        let encoded = Encoded::with_room(bytes(jobs));
        let joined = Joined { encoded, next: 0, early: BTreeMap::new(), spare: Vec::new() };
        let joined = Mutex::new(joined);
        let take = |number: usize, cache: &mut Cache, turn: &mut Turn| {
            for job in &jobs[turns[number].clone()] {
                self.encode_part(job.part, cache, &mut turn.ids)?;
                if job.is_last {
                    turn.ends.push(turn.ids.len());
                }
            }
            joined.lock().expect("nobody panics with it").add(number, turn);
            Ok(())
        };
        self.on_threads(turns.len(), threads, is_interrupted, take)?;
        Ok(joined.into_inner().expect("nobody panics with it").encoded)
    }

    /// How many ids a text has, on up to so many threads; they are not kept.
    ///
    /// # Errors
    /// As [`Encoder::encode_all`].
    pub fn count(
        &self,
        text: &str,
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<usize, Error> {
        let jobs = self.jobs(&[text]);
        let take = |number: usize, cache: &mut Cache, (count, ids): &mut (usize, Vec<u32>)| {
            ids.clear();
            self.encode_part(jobs[number].part, cache, ids)?;
            *count += ids.len();
            Ok(())
        };
        let counts = self.on_threads(jobs.len(), threads, is_interrupted, take)?;
        Ok(counts.iter().map(|(count, _)| count).sum())
    }

    /// Lets threads take so many turns; gives what each has put together in those that it took.
    fn on_threads<S: Default + Send>(
        &self,
        turns: usize,
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
        take: impl Fn(usize, &mut Cache, &mut S) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut share = S::default();
            let mut cache = self.take_cache();
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= turns {
                    break;
                }
                let taken = if is_interrupted() {
                    Err(Error::Interrupted)
                } else {
                    take(number, &mut cache, &mut share)
                };
                if let Err(error) = taken {
                    failed.store(true, Ordering::Relaxed);
                    return Err((number, error));
                }
            }
            self.give_back(cache);
            Ok(share)
        };
        let results: Vec<_> = thread::scope(|scope| {
            let others = 1..threads.min(turns);
            let spawned: Vec<_> = others.map(|_| scope.spawn(work)).collect();
            let first = work();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
            };
            std::iter::once(first).chain(spawned.into_iter().map(join)).collect()
        });
        let mut shares = Vec::with_capacity(results.len());
        let mut first_failure: Option<(usize, Error)> = None;
        for result in results {
            match result {
                Ok(share) => shares.push(share),
                Err(failure) if first_failure.as_ref().is_none_or(|first| failure.0 < first.0) => {
                    first_failure = Some(failure);
                }
                Err(_) => {}
            }
        }
        first_failure.map_or(Ok(shares), |(_, error)| Err(error))
    }

    fn encode_on_this_thread(
        &self,
        jobs: &[Job<'_>],
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Encoded, Error> {
        let mut cache = self.take_cache();
        let mut encoded = Encoded::with_room(bytes(jobs));
        for job in jobs {
            if is_interrupted() {
                return Err(Error::Interrupted);
            }
            self.encode_part(job.part, &mut cache, &mut encoded.ids)?;
            if job.is_last {
                encoded.offsets.push(encoded.ids.len() as u64);
            }
        }
        self.give_back(cache);
        Ok(encoded)
    }

    /// Appends the ids of a part. Bytes that are no UTF-8 are pretokens of their own, each, and what
    /// is between them are texts of their own.
    fn encode_part(
        &self,
        part: Part<'_>,
        cache: &mut Cache,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let bytes = match part {
            Part::Text(text) => return self.encode_text(text, cache, ids),
            Part::Bytes(bytes) => bytes,
        };
        for chunk in bytes.utf8_chunks() {
            self.encode_text(chunk.valid(), cache, ids)?;
            let start = ids.len();
            ids.extend(chunk.invalid().iter().map(|&byte| self.numbers.of(byte.into())));
            self.numbers.to_ids(&mut ids[start..])?;
        }
        Ok(())
    }

    /// The texts, large ones in parts if they may be cut.
    fn jobs<'t>(&self, texts: &[&'t str]) -> Vec<Job<'t>> {
        let parts = texts.iter().flat_map(|&text| {
            let parts = pieces(text.as_bytes(), self.largest());
            parts.map(|part| Job { is_last: part.end == text.len(), part: Part::Text(&text[part]) })
        });
        parts.collect()
    }

    /// How large a part may be.
    fn largest(&self) -> usize {
        if self.has_seams { LARGE } else { usize::MAX }
    }
}

/// How many bytes jobs have.
fn bytes(jobs: &[Job<'_>]) -> usize {
    jobs.iter().map(|job| job.part.size()).sum()
}

/// The jobs of which a thread takes some at once.
fn turns(jobs: &[Job<'_>]) -> Vec<Range<usize>> {
    let mut turns = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (end, job) in (1..).zip(jobs) {
        size += job.part.size();
        if size >= TURN || end == jobs.len() {
            turns.push(start..end);
            (start, size) = (end, 0);
        }
    }
    turns
}
