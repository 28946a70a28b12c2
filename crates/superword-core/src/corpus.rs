//! Temporary.
#![allow(missing_docs)]
use crate::Error;
#[derive(Default)]
pub struct Batch { text: String, ends: Vec<usize> }
impl Batch {
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.ends.iter().enumerate().map(|(i, &end)| &self.text[if i == 0 { 0 } else { self.ends[i - 1] }..end])
    }
    pub fn bytes(&self) -> usize { self.text.len() }
    pub fn push(&mut self, document: &str) { self.text.push_str(document); self.ends.push(self.text.len()); }
}
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals { pub documents: u64, pub bytes: u64, pub skipped: u64 }
pub trait Corpus: Sync {
    fn read(&self, threads: usize, work: &(dyn Fn(usize, &Batch) -> Result<(), Error> + Sync), progress: &(dyn Fn(u64) + Sync)) -> Result<Totals, Error>;
    fn size(&self) -> Option<u64>;
}
pub struct Memory(pub Vec<Batch>);
impl Corpus for Memory {
    fn read(&self, threads: usize, work: &(dyn Fn(usize, &Batch) -> Result<(), Error> + Sync), progress: &(dyn Fn(u64) + Sync)) -> Result<Totals, Error> {
        let next = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|s| {
            let hs: Vec<_> = (0..threads).map(|w| { let next = &next; s.spawn(move || -> Result<(), Error> {
                loop { let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(b) = self.0.get(i) else { return Ok(()) };
                    progress(i as u64); work(w, b)?; } }) }).collect();
            for h in hs { h.join().unwrap()?; }
            Ok::<_, Error>(())
        })?;
        Ok(Totals { documents: self.0.iter().map(|b| b.ends.len() as u64).sum(), bytes: self.0.iter().map(|b| b.bytes() as u64).sum(), skipped: 0 })
    }
    fn size(&self) -> Option<u64> { Some(self.0.iter().map(|b| b.bytes() as u64).sum()) }
}
