//! A corpus encoded in the order of its documents.

use std::mem;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::corpus::{Batch, Corpus, MAX_DOCUMENT_BYTES, ReadOptions, Totals};
use crate::encode::{Encoded, Encoder, MAX_CACHE_BYTES};
use crate::platform::memory_budget::MemoryBudget;
use crate::{Control, Error, Stage};

/// The bytes of text that are encoded at once, per thread.
const BYTES_PER_THREAD: usize = 4 << 20;

/// The most bytes of text that are encoded at once.
const MAX_PORTION_BYTES: usize = 64 << 20;

/// Encodes the documents of a corpus on `threads` threads while another thread reads, and calls
/// `write` with their ids in the order of the input.
///
/// At most three portions of text are in memory: one that is read, one that waits, and one that is
/// encoded. A document larger than a portion is a portion alone. With a memory limit, portions are
/// smaller, and there are no more threads than fit.
///
/// # Errors
/// The first of these in the order of the input: an error of `write`, an error of the corpus, an error
/// of encoding, or an interrupt. Also if a document needs more than the memory limit, or the system
/// refuses to start the thread that reads.
pub fn encode_corpus(
    encoder: &Encoder,
    corpus: &dyn Corpus,
    threads: usize,
    memory_limit: Option<u64>,
    write: &mut dyn FnMut(Encoded) -> Result<(), Error>,
    control: &Control<'_>,
) -> Result<Totals, Error> {
    let budget = MemoryBudget::new(memory_limit);
    budget.start();
    let threads = budget.threads(threads, MAX_CACHE_BYTES);
    let max_document_bytes = budget.encoded_document_size().unwrap_or(MAX_DOCUMENT_BYTES);
    let reading = ReadOptions { max_document_bytes, ..ReadOptions::whole_documents(1) };
    thread::scope(|scope| {
        let (portions, read) = mpsc::sync_channel(1);
        let size = threads.saturating_mul(BYTES_PER_THREAD).min(MAX_PORTION_BYTES);
        let size = size.min(max_document_bytes as usize);
        let read_all = move || read_portions(corpus, reading, size, &portions, control);
        let reader = thread::Builder::new().spawn_scoped(scope, read_all);
        let reader = reader.map_err(|source| Error::Thread { source })?;
        // If encoding ends early, this closes the channel, which ends the reader.
        let written = read.into_iter().try_for_each(|portion: Batch| {
            let texts: Vec<&str> = portion.documents().collect();
            texts.iter().try_for_each(|text| {
                encoder.check_memory(text, budget, threads, control.is_interrupted)
            })?;
            write(encoder.encode_all(&texts, threads, control.is_interrupted)?)
        });
        let totals = reader.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload));
        written.and(totals)
    })
}

/// Reads a corpus on this thread, and sends it in portions of at most `size` bytes, or of one
/// document.
fn read_portions(
    corpus: &dyn Corpus,
    reading: ReadOptions,
    size: usize,
    to: &SyncSender<Batch>,
    control: &Control<'_>,
) -> Result<Totals, Error> {
    // If the channel is closed, encoding has failed, and its error is the one that is returned.
    let send = |portion: Batch| to.send(portion).map_err(|_| Error::Interrupted);
    let collected = Mutex::new(Batch::default());
    let collect = |_: usize, batch: &Batch| {
        if (control.is_interrupted)() {
            return Err(Error::Interrupted);
        }
        let mut portion = collected.lock().unwrap_or_else(PoisonError::into_inner);
        if !portion.is_empty() && portion.byte_len() + batch.byte_len() > size {
            send(mem::take(&mut *portion))?;
        }
        portion.append(batch);
        Ok(())
    };
    let progress = |done| (control.progress)(Stage::Encode, done);
    // With one thread, the documents come in order.
    let totals = corpus.read(reading, &collect, &progress)?;
    send(collected.into_inner().unwrap_or_else(PoisonError::into_inner))?;
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Memory;
    use crate::model::{Model, Parameters, Rule, TokenIndex, Training};

    const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };

    /// Creates the encoder of a model whose only merge makes `10`.
    fn encoder() -> Encoder {
        let parameters = Parameters {
            pattern: "gpt2".to_owned(),
            deletion: None,
            vocab_size: 257,
            ..Parameters::default()
        };
        let bytes = (0..=u8::MAX).map(|byte| Box::from([byte]));
        let tokens = bytes.chain([Box::from(b"10".as_slice())]).collect();
        let [left, right] = [b'1', b'0'].map(TokenIndex::from);
        let rules = vec![Rule::Merge { left, right, token: TokenIndex(256), count: 2 }];
        let model = Model::new(parameters, tokens, rules, Vec::new(), Training::default());
        Encoder::new(&model.expect("a model")).expect("an encoder")
    }

    fn documents() -> Vec<String> {
        let mut documents: Vec<_> = (0..200).map(|n| format!("{n} ").repeat(13_000)).collect();
        documents.insert(7, String::new());
        documents
    }

    #[test]
    fn documents_keep_their_order_on_any_number_of_threads() {
        let (encoder, documents) = (encoder(), documents());
        let corpus: Memory = documents.iter().collect();
        let expected: Vec<_> =
            documents.iter().map(|text| encoder.encode(text).expect("a text")).collect();
        for threads in [1, 2] {
            let mut portions = 0;
            let mut written: Vec<Vec<u32>> = Vec::new();
            let mut write = |portion: Encoded| {
                portions += 1;
                let ends =
                    portion.offsets.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
                written.extend(ends.map(|ends| portion.ids[ends].to_vec()));
                Ok(())
            };
            let totals = encode_corpus(&encoder, &corpus, threads, None, &mut write, &QUIET);
            assert_eq!(totals.expect("nothing is wrong").documents, 201);
            assert!(written == expected);
            assert!(portions > 1);
        }
    }

    #[test]
    fn a_write_error_ends_the_job() {
        let corpus: Memory = documents().into_iter().collect();
        let mut calls = 0;
        let mut write = |_: Encoded| {
            calls += 1;
            Err(Error::CorpusChanged)
        };
        let ended = encode_corpus(&encoder(), &corpus, 1, None, &mut write, &QUIET);
        assert!(matches!(ended, Err(Error::CorpusChanged)), "{ended:?}");
        assert_eq!(calls, 1);
    }

    #[test]
    fn an_interrupt_ends_the_job() {
        let corpus: Memory = documents().into_iter().collect();
        let control = Control { is_interrupted: &|| true, ..QUIET };
        let ended = encode_corpus(&encoder(), &corpus, 2, None, &mut |_| Ok(()), &control);
        assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
    }
}
