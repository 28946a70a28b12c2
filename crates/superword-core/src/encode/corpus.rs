//! A corpus as ids, in the order of its documents.

use std::mem;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::corpus::{Batch, Corpus, Reading, Totals};
use crate::encode::{Encoded, Encoder};
use crate::{Control, Error, Stage};

/// How much text is encoded at once, for each thread; and how much in all.
const SHARE: usize = 4 << 20;
const MOST: usize = 64 << 20;

/// Encodes the documents of a corpus on so many threads, while another one reads, and hands their
/// ids to `write` in the order of the input.
///
/// There are at most three portions of text at a time: one that is read, one that waits, one that
/// is encoded. A document larger than a portion is one of its own.
///
/// # Errors
/// What `write` returns; what is wrong with the corpus; what encoding gives, or that the job is to
/// stop. The first of them in the order of the input.
pub fn encode_corpus(
    encoder: &Encoder,
    corpus: &dyn Corpus,
    threads: usize,
    write: &mut dyn FnMut(Encoded) -> Result<(), Error>,
    control: &Control<'_>,
) -> Result<Totals, Error> {
    thread::scope(|scope| {
        let (portions, read) = mpsc::sync_channel(1);
        let size = threads.saturating_mul(SHARE).min(MOST);
        let reader = scope.spawn(move || read_portions(corpus, size, &portions, control));
        // By this the channel is closed when encoding ends early, which ends the reading.
        let written = read.into_iter().try_for_each(|portion: Batch| {
            let texts: Vec<&str> = portion.documents().collect();
            write(encoder.encode_all(&texts, threads, control.is_interrupted)?)
        });
        let totals = reader.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload));
        written.and(totals)
    })
}

/// Reads a corpus on this thread, and sends it on in portions of about this size.
fn read_portions(
    corpus: &dyn Corpus,
    size: usize,
    to: &SyncSender<Batch>,
    control: &Control<'_>,
) -> Result<Totals, Error> {
    // Whoever encodes has failed, and says why.
    let send = |portion: Batch| to.send(portion).map_err(|_| Error::Interrupted);
    let collected = Mutex::new(Batch::default());
    let collect = |_: usize, batch: &Batch| {
        if (control.is_interrupted)() {
            return Err(Error::Interrupted);
        }
        let mut portion = collected.lock().unwrap_or_else(PoisonError::into_inner);
        if !portion.is_empty() && portion.bytes() + batch.bytes() > size {
            send(mem::take(&mut *portion))?;
        }
        portion.append(batch);
        Ok(())
    };
    let progress = |done| (control.progress)(Stage::Encode, done);
    // One thread: so the documents come in order.
    let totals = corpus.read(Reading::whole(1), &collect, &progress)?;
    send(collected.into_inner().unwrap_or_else(PoisonError::into_inner))?;
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Memory;
    use crate::model::{Model, Parameters, Rule, TokenIndex, Training};
    use crate::pretokenize::ELIGIBLE;

    const QUIET: Control<'_> = Control { progress: &|_, _| (), is_interrupted: &|| false };

    /// The encoder of a model with `10` as its only merge.
    fn encoder() -> Encoder {
        let parameters = Parameters {
            pattern: "gpt2".to_owned(),
            eligible: ELIGIBLE.to_owned(),
            supermerges: true,
            deletion: None,
            tau: 0.9,
            min_count: 2,
            vocab_size: 257,
            second_stage: None,
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
    fn documents_keep_their_order_whatever_the_threads() {
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
            let totals = encode_corpus(&encoder, &corpus, threads, &mut write, &QUIET);
            assert_eq!(totals.expect("nothing is wrong").documents, 201);
            assert!(written == expected);
            assert!(portions > 1);
        }
    }

    #[test]
    fn what_cannot_be_written_ends_the_job() {
        let corpus: Memory = documents().into_iter().collect();
        let mut calls = 0;
        let mut write = |_: Encoded| {
            calls += 1;
            Err(Error::CorpusChanged)
        };
        let ended = encode_corpus(&encoder(), &corpus, 1, &mut write, &QUIET);
        assert!(matches!(ended, Err(Error::CorpusChanged)), "{ended:?}");
        assert_eq!(calls, 1);
    }

    #[test]
    fn an_interrupt_ends_the_job() {
        let corpus: Memory = documents().into_iter().collect();
        let control = Control { is_interrupted: &|| true, ..QUIET };
        let ended = encode_corpus(&encoder(), &corpus, 2, &mut |_| Ok(()), &control);
        assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
    }
}
