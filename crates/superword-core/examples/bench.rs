//! Scratch.
use std::time::Instant;
use superword_core::{Encoder, Model};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let model = Model::from_json(&std::fs::read(&args[1]).unwrap()).unwrap();
    println!("model {:?}", t.elapsed());
    let t = Instant::now();
    let enc = Encoder::new(&model).unwrap();
    println!("encoder {:?}", t.elapsed());
    let texts = std::fs::read(&args[2]).unwrap();
    let docs: Vec<&[u8]> = texts.split(|b| *b == 0).collect();
    let half = docs.len() / 2;
    for (name, part) in [
        ("first", &docs[..half]),
        ("seen", &docs[..half]),
        ("seen", &docs[..half]),
        ("unseen", &docs[half..]),
        ("seen2", &docs[half..]),
        ("seen", &docs[..half]),
    ] {
        let bytes: usize = part.iter().map(|d| d.len()).sum();
        let t = Instant::now();
        let out = enc.encode_all(part, 1, &|| false).unwrap().ids;
        let s = t.elapsed().as_secs_f64();
        let h = out.iter().fold(0u64, |h, &x| (h ^ x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        println!(
            "{name} {:.1} MB/s {} tokens {:.3} bytes/token {h:x}",
            bytes as f64 / s / 1e6,
            out.len(),
            bytes as f64 / out.len() as f64
        );
    }
    let pattern = model.pattern();
    let t = Instant::now();
    let mut n = 0;
    for d in &docs {
        pattern.spans(std::str::from_utf8(d).unwrap()).for_each(|_| n += 1);
    }
    println!(
        "pretokens {n} {:?} {:.1} MB/s",
        t.elapsed(),
        texts.len() as f64 / t.elapsed().as_secs_f64() / 1e6
    );
}
