//! The core for a browser: what `engine.js` calls.
//!
//! JavaScript passes numbers alone. It writes the input of a call to buffers that [`reserve_input`]
//! returns, and reads the results, buffers too, before the next call. A call returns 1 if it
//! succeeded; if not, its result is a sentence that says what is wrong.
//!
//! In reading order:
//!
//! 1. `session`: the inputs and results of a call, and the open models;
//! 2. `open_model`: a model with its encoder;
//! 3. `tokens`: where tokens come from, `steps`: a text after each rule, `summary` and `inspection`:
//!    what a model is;
//! 4. `training`: training on texts;
//! 5. `importing`: models from files of all kinds.

mod importing;
mod inspection;
mod open_model;
mod session;
mod steps;
mod summary;
mod tokens;
mod training;

use superword_core::encode::EncodeStream;

use crate::session::{Buffer, answer, with_session};
use crate::steps::TextReplay;

/// Reserves an input buffer of this many bytes, and returns its address; 0 if there is no memory.
///
/// There are as many buffers as the call with the most inputs has.
#[unsafe(no_mangle)]
pub extern "C" fn reserve_input(number: usize, length: usize) -> *mut u8 {
    with_session(|session| session.reserve_input(number, length))
}

/// Returns the number of results of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn result_count() -> usize {
    with_session(|session| session.results.len())
}

/// Returns the address of a result of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn result_start(number: usize) -> *const u8 {
    with_session(|session| session.results.get(number).map_or(std::ptr::null(), Buffer::start))
}

/// Returns the number of bytes of a result of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn result_length(number: usize) -> usize {
    with_session(|session| session.results.get(number).map_or(0, Buffer::byte_len))
}

/// Opens a file: input 0 is its content, input 1 its name. The result is a summary in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn load_model() -> u32 {
    answer(|session| {
        let name = session.read_text(1)?.to_owned();
        let imported = importing::import_file(&session.inputs[0], &name)?;
        session.add_model(imported, &name)
    })
}

/// Closes a model.
#[unsafe(no_mangle)]
pub extern "C" fn free_model(handle: u32) -> u32 {
    answer(|session| {
        session.models.remove(&handle);
        Ok(Vec::new())
    })
}

/// Encodes input 0. The results are the ids, and the end of each token in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn encode_text(handle: u32) -> u32 {
    answer(|session| {
        let (model, text) = (session.model(handle)?, session.read_text(0)?);
        let ids = model.encoder.encode(text)?;
        let ends = model.find_ends(&ids)?;
        Ok(vec![ids.into(), ends.into()])
    })
}

/// Splits input 0 into pretokens; those of the first stage, if the model has two. The result is the
/// end of each in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn split_text(handle: u32) -> u32 {
    answer(|session| {
        let (model, text) = (session.model(handle)?, session.read_text(0)?);
        Ok(vec![model.split(text)?.into()])
    })
}

/// Decodes input 0, ids in four bytes each. The result is their bytes.
#[unsafe(no_mangle)]
pub extern "C" fn decode_ids(handle: u32) -> u32 {
    answer(|session| {
        let (model, ids) = (session.model(handle)?, session.read_numbers(0));
        Ok(vec![model.model.decode(&ids)?.into()])
    })
}

/// Encodes input 0, which may go on. The results are the ids that no continuation changes, and then
/// the others; the end of each token in bytes; and the number of the former.
#[unsafe(no_mangle)]
pub extern "C" fn encode_open_text(handle: u32) -> u32 {
    answer(|session| {
        let (model, text) = (session.model(handle)?, session.read_text(0)?);
        let mut stream = EncodeStream::new(model.open_texts(), None);
        let mut ids = stream.feed(text.as_bytes(), &|| false)?;
        let stable_count = ids.len() as u32;
        ids.append(&mut stream.finish(&|| false)?);
        let ends = model.find_ends(&ids)?;
        Ok(vec![ids.into(), ends.into(), vec![stable_count].into()])
    })
}

/// Describes a token. The results are JSON and its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn describe_token(handle: u32, id: u32) -> u32 {
    answer(|session| tokens::describe(session.model(handle)?, id))
}

/// Returns how rules make a token: JSON and its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn derive_token(handle: u32, id: u32) -> u32 {
    answer(|session| tokens::derive(session.model(handle)?, id))
}

/// Applies the rules to input 0 one by one. The results are the rules that change it, -1 for the
/// replacement of removed tokens, and their kinds. The steps are kept with the model.
#[unsafe(no_mangle)]
pub extern "C" fn replay_text(handle: u32) -> u32 {
    answer(|session| {
        let replay = TextReplay::new(&session.model(handle)?.model, session.read_text(0)?)?;
        let results = replay.list_rules();
        session.model_mut(handle)?.replay = Some(replay);
        Ok(results)
    })
}

/// Returns the last text that a model replayed after this many steps: the ends of tokens and of
/// units, and whether the last step made each token.
#[unsafe(no_mangle)]
pub extern "C" fn show_step(handle: u32, step: usize) -> u32 {
    answer(|session| {
        let replay = session.model_mut(handle)?.replay.as_mut();
        replay.ok_or("the model has replayed no text")?.show(step)
    })
}

/// Summarizes a model, with up to `top` superwords and deleted tokens, and the kinds of its rules
/// along training. The result is JSON.
#[unsafe(no_mangle)]
pub extern "C" fn inspect_model(handle: u32, top: usize, rules_per_stretch: usize) -> u32 {
    answer(|session| {
        let found = inspection::inspect(session.model(handle)?, top, rules_per_stretch.max(1));
        Ok(vec![found.into()])
    })
}

/// Trains on the documents of input 0, whose ends in bytes are in input 1, by the settings of input 2,
/// in JSON. The result is a summary in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn train_model() -> u32 {
    answer(|session| {
        let ends = session.read_numbers(1);
        let settings = session.read_text(2)?;
        let trained = training::train(session.read_text(0)?, &ends, settings)?;
        session.add_model(trained, "trained")
    })
}

/// Returns the content of a model's file.
#[unsafe(no_mangle)]
pub extern "C" fn save_model(handle: u32) -> u32 {
    answer(|session| Ok(vec![session.model(handle)?.model.to_json().into()]))
}

/// Makes panics keep their message. A panic ends the instance, but its memory can still be read.
#[unsafe(no_mangle)]
pub extern "C" fn keep_panic_message() {
    session::keep_panic_message();
}

/// Returns the address of the message of a panic.
#[unsafe(no_mangle)]
pub extern "C" fn panic_start() -> *const u8 {
    session::with_panic_message(str::as_ptr)
}

/// Returns the number of bytes of the message of a panic; 0 if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn panic_length() -> usize {
    session::with_panic_message(str::len)
}
