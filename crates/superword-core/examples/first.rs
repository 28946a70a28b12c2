//! Scratch.
use std::time::Instant;
use superword_core::{Encoder, Model};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let model = Model::from_json(&std::fs::read(&args[1]).unwrap()).unwrap();
    let texts = std::fs::read(&args[2]).unwrap();
    let docs: Vec<&[u8]> = texts.split(|b| *b == 0).collect();
    let half = docs.len() / 2;
    let part = &docs[..half];
    let bytes: usize = part.iter().map(|d| d.len()).sum();
    for _ in 0..6 {
        let enc = Encoder::new(&model).unwrap();
        let t = Instant::now();
        let out = enc.encode_all(part, 1, &|| false).unwrap().ids;
        let s = t.elapsed().as_secs_f64();
        println!("{:.1} MB/s {}", bytes as f64 / s / 1e6, out.len());
    }
}
