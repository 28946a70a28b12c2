//! Many texts, or a huge one, on several threads.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::Encoder;
use super::cache::Cache;
use crate::Error;
use crate::memory;
use crate::pretokenize::pieces;

/// Larger texts are cut at seams, so that threads can share them, and stop in between.
const LARGE: usize = 1 << 18;

/// How many ids there is room for between batches, for each thread.
const ROOM: usize = 1 << 22;

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

/// What one thread has encoded: the numbers of the jobs with how many ids each has, and the ids.
#[derive(Default)]
struct Share {
    jobs: Vec<(usize, usize)>,
    ids: Vec<u32>,
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
        if threads.min(jobs.len()) <= 1 {
            return self.encode_on_this_thread(jobs, is_interrupted);
        }
        let room = room(bytes(jobs) / TOKEN / threads);
        let take = |number: usize, part: Part<'_>, cache: &mut Cache, share: &mut Share| {
            if share.jobs.is_empty() {
                share.ids = mem::take(&mut cache.ids);
                if share.ids.capacity() < room {
                    share.ids = memory::with_capacity(room);
                }
            }
            let start = share.ids.len();
            self.encode_part(part, cache, &mut share.ids)?;
            share.jobs.push((number, share.ids.len() - start));
            Ok(())
        };
        let shares = self.on_threads(jobs, threads, is_interrupted, take)?;
        let encoded = joined(jobs, &shares, threads);
        self.keep(shares);
        Ok(encoded)
    }

    /// Keeps the room that shares had for ids, if it is not too much, with the caches of whoever
    /// comes next.
    fn keep(&self, shares: Vec<Share>) {
        let Ok(mut caches) = self.caches.try_lock() else { return };
        let rooms = shares.into_iter().map(|share| share.ids).filter(|ids| ids.capacity() <= ROOM);
        for (cache, mut ids) in caches.iter_mut().zip(rooms) {
            ids.clear();
            cache.ids = ids;
        }
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
        let take = |_, part: Part<'_>, cache: &mut Cache, (count, ids): &mut (usize, Vec<u32>)| {
            ids.clear();
            self.encode_part(part, cache, ids)?;
            *count += ids.len();
            Ok(())
        };
        let counts = self.on_threads(&jobs, threads, is_interrupted, take)?;
        Ok(counts.iter().map(|(count, _)| count).sum())
    }

    /// Lets threads take jobs by turns; gives what each has put together of those that it took.
    fn on_threads<S: Default + Send>(
        &self,
        jobs: &[Job<'_>],
        threads: usize,
        is_interrupted: &(dyn Fn() -> bool + Sync),
        take: impl Fn(usize, Part<'_>, &mut Cache, &mut S) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut share = S::default();
            let mut cache = self.take_cache();
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(number) else { break };
                let taken = if is_interrupted() {
                    Err(Error::Interrupted)
                } else {
                    take(number, job.part, &mut cache, &mut share)
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
            let others = 1..threads.min(jobs.len());
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
        let room = room(bytes(jobs) / TOKEN);
        let mut encoded = Encoded { ids: memory::with_capacity(room), offsets: vec![0] };
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

/// Room for so many ids, and some more: then the next batch of about the same size fits into the
/// memory of this one, when that is given back, and the system need not look for other.
fn room(ids: usize) -> usize {
    ids.next_multiple_of((ids.next_power_of_two() / 16).max(1))
}

/// How many bytes jobs have.
fn bytes(jobs: &[Job<'_>]) -> usize {
    let bytes = jobs.iter().map(|job| match job.part {
        Part::Text(text) => text.len(),
        Part::Bytes(bytes) => bytes.len(),
    });
    bytes.sum()
}

/// The shares put together in the order of the jobs, on so many threads.
fn joined(jobs: &[Job<'_>], shares: &[Share], threads: usize) -> Encoded {
    let mut parts: Vec<&[u32]> = vec![&[]; jobs.len()];
    for share in shares {
        let mut start = 0;
        for &(number, length) in &share.jobs {
            parts[number] = &share.ids[start..start + length];
            start += length;
        }
    }
    let mut offsets = vec![0];
    let mut total = 0;
    for (job, part) in jobs.iter().zip(&parts) {
        total += part.len();
        if job.is_last {
            offsets.push(total as u64);
        }
    }
    let mut ids: Vec<u32> = memory::with_capacity(room(total));
    let mut places = ids.spare_capacity_mut();
    thread::scope(|scope| {
        for parts in parts.chunks(parts.len().div_ceil(threads)) {
            let length = parts.iter().map(|part| part.len()).sum();
            let (mut here, rest) = mem::take(&mut places).split_at_mut(length);
            places = rest;
            scope.spawn(move || {
                for part in parts {
                    let (now, later) = here.split_at_mut(part.len());
                    for (place, &id) in now.iter_mut().zip(*part) {
                        place.write(id);
                    }
                    here = later;
                }
            });
        }
    });
    // SAFETY: the parts have that many ids together, and each was written to its place.
    unsafe { ids.set_len(total) };
    Encoded { ids, offsets }
}
