//! Trains a tokenizer on a few sentences, saves it, loads it, and encodes a text:
//! `cargo run --example train_and_encode`.

#![expect(clippy::print_stdout, reason = "it shows what it does")]

use superword_core::corpus::Memory;
use superword_core::model::{Parameters, TokenId};
use superword_core::{Control, Encoder, Error, Model, Resources, train};

const DOCUMENTS: [&str; 4] = [
    "At the end of the day, the end of the story is the end of the book.",
    "It was the best of times, it was the worst of times.",
    "One of the best of the books of the day was the story of the times.",
    "The worst of it was at the end of the book.",
];
const TEXT: &str = "It was the end of the times.";

fn main() -> Result<(), Error> {
    let corpus: Memory = DOCUMENTS.into_iter().collect();
    let parameters = Parameters { vocab_size: 300, ..Parameters::default() };
    let special_tokens = vec!["<|endoftext|>".to_owned()];
    let control =
        Control { progress: &|stage, done| println!("{stage:?}: {done}"), ..Control::default() };
    let trained = train(&corpus, parameters, special_tokens, Resources::default(), &control)?;

    let file = trained.to_json();
    let model = Model::from_json(&file)?;
    println!(
        "{} tokens from {} rules in {} bytes",
        model.vocab_size(),
        model.rules().len(),
        file.len()
    );

    let ids = Encoder::new(&model)?.encode(TEXT)?;
    for &id in &ids {
        let token = model.token_bytes(TokenId(id)).unwrap_or_default();
        let kind =
            if model.is_superword(TokenId(id)) == Some(true) { "superword" } else { "token" };
        println!("{id:>5}  {kind:9}  {:?}", String::from_utf8_lossy(token));
    }
    assert_eq!(model.decode(&ids)?, TEXT.as_bytes());
    Ok(())
}
