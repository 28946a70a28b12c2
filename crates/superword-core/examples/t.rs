use std::time::Instant;
use superword_core::corpus::{Batch, Memory};
use superword_core::model::*;
use superword_core::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let data = std::fs::read(&a[1]).unwrap();
    let text = String::from_utf8(data).unwrap();
    let mut batches = vec![Batch::default()];
    for d in text.split('\u{1}') { if batches.last().unwrap().bytes() > 4_000_000 { batches.push(Batch::default()); } batches.last_mut().unwrap().push(d); }
    drop(text);
    let p = Parameters { pattern: a[2].clone(), eligible: pretokenize::ELIGIBLE.into(), supermerges: a.get(5).is_none_or(|x| x != "plain"), deletion: if a.get(5).is_some_and(|x| x == "plain") { None } else { Some(Deletion::Bytes) }, tau: 0.9, min_count: 2, vocab_size: a[3].parse().unwrap() };
    let t0 = Instant::now();
    let last = std::sync::Mutex::new((None, 0.0));
    let prog = |s: Stage, _: u64| { let mut l = last.lock().unwrap(); if l.0 != Some(s) { let t = t0.elapsed().as_secs_f64(); let st = std::fs::read_to_string("/proc/self/stat").unwrap(); let f: Vec<&str> = st.split_whitespace().collect(); eprintln!("{:?} ended at wall {t:.2} user {} sys {}", l.0, f[13], f[14]); *l = (Some(s), t); } };
    let c = Control { progress: &prog, is_interrupted: &|| false };
    let r = train(&Memory::new(batches), &p, a[4].parse().unwrap(), &c).unwrap();
    println!("total {:.2}s rules {} super {} del {} last count {:?} {:?}", t0.elapsed().as_secs_f64(), r.rules.len(), r.rules.iter().filter(|r| matches!(r, Rule::Supermerge{..})).count(), r.rules.iter().filter(|r| matches!(r, Rule::Delete{..})).count(), r.rules.last(), r.training);
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", s.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
