//! The inputs and results of a call, and the open models.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use superword_core::Error;
use superword_core::model::Model;

use crate::open_model::OpenModel;
use crate::summary::summarize;

/// The most inputs of a call.
const INPUTS: usize = 3;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    /// Beside the session, which a call that panics has borrowed.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What is kept between calls.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) inputs: [Vec<u8>; INPUTS],
    pub(crate) results: Vec<Buffer>,
    pub(crate) models: BTreeMap<u32, OpenModel>,
    last_handle: u32,
}

/// A result.
pub(crate) enum Buffer {
    Bytes(Vec<u8>),
    Numbers(Vec<u32>),
}

/// A sentence that says what is wrong.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// A new model, and sentences about what may surprise its user.
pub(crate) struct NewModel {
    pub(crate) model: Model,
    pub(crate) warnings: Vec<String>,
}

/// Runs a function on the session.
pub(crate) fn with_session<R>(run: impl FnOnce(&mut Session) -> R) -> R {
    SESSION.with_borrow_mut(run)
}

/// Runs a call, and keeps its results or its error. Returns 1 if it succeeded.
pub(crate) fn answer(call: impl FnOnce(&mut Session) -> Result<Vec<Buffer>, Failure>) -> u32 {
    with_session(|session| {
        session.results.clear();
        let (results, succeeded) = match call(session) {
            Ok(results) => (results, 1),
            Err(Failure(sentence)) => (vec![sentence.into()], 0),
        };
        session.results = results;
        succeeded
    })
}

impl Session {
    pub(crate) fn reserve_input(&mut self, number: usize, length: usize) -> *mut u8 {
        let Some(input) = self.inputs.get_mut(number) else { return std::ptr::null_mut() };
        // The memory of a large input is not kept for a small one.
        *input = Vec::new();
        if input.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        input.resize(length, 0);
        input.as_mut_ptr()
    }

    /// Returns an input as text.
    pub(crate) fn read_text(&self, number: usize) -> Result<&str, Failure> {
        std::str::from_utf8(&self.inputs[number]).map_err(|error| {
            Failure(format!("the text is not UTF-8 at byte {}", error.valid_up_to()))
        })
    }

    /// Returns an input as numbers of four bytes.
    pub(crate) fn read_numbers(&self, number: usize) -> Vec<u32> {
        let (numbers, _) = self.inputs[number].as_chunks::<4>();
        numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
    }

    /// Returns an open model.
    pub(crate) fn model(&self, handle: u32) -> Result<&OpenModel, Failure> {
        self.models.get(&handle).ok_or_else(|| Failure(format!("no model has the handle {handle}")))
    }

    /// Returns an open model, to change what is kept with it.
    pub(crate) fn model_mut(&mut self, handle: u32) -> Result<&mut OpenModel, Failure> {
        let found = self.models.get_mut(&handle);
        found.ok_or_else(|| Failure(format!("no model has the handle {handle}")))
    }

    /// Opens a model, and returns its summary.
    pub(crate) fn add_model(&mut self, new: NewModel, name: &str) -> Result<Vec<Buffer>, Failure> {
        let NewModel { model, mut warnings } = new;
        warnings.extend(model.differing_tables());
        let opened = OpenModel::new(model)?;
        self.last_handle += 1;
        let summary = summarize(&opened, self.last_handle, name, &warnings);
        self.models.insert(self.last_handle, opened);
        Ok(vec![summary.into()])
    }
}

impl Buffer {
    pub(crate) fn start(&self) -> *const u8 {
        match self {
            Buffer::Bytes(bytes) => bytes.as_ptr(),
            Buffer::Numbers(numbers) => numbers.as_ptr().cast(),
        }
    }

    pub(crate) fn byte_len(&self) -> usize {
        match self {
            Buffer::Bytes(bytes) => bytes.len(),
            Buffer::Numbers(numbers) => size_of_val(numbers.as_slice()),
        }
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Buffer {
        Buffer::Bytes(bytes)
    }
}

impl From<Vec<u32>> for Buffer {
    fn from(numbers: Vec<u32>) -> Buffer {
        Buffer::Numbers(numbers)
    }
}

impl From<String> for Buffer {
    fn from(text: String) -> Buffer {
        Buffer::Bytes(text.into_bytes())
    }
}

impl From<serde_json::Value> for Buffer {
    fn from(value: serde_json::Value) -> Buffer {
        value.to_string().into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure(error.to_string())
    }
}

impl From<&str> for Failure {
    fn from(sentence: &str) -> Failure {
        Failure(sentence.to_owned())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

/// Makes panics keep their message.
pub(crate) fn keep_panic_message() {
    std::panic::set_hook(Box::new(|panic| {
        PANIC.with_borrow_mut(|message| *message = panic.to_string());
    }));
}

/// Runs a function on the message of a panic.
pub(crate) fn with_panic_message<R>(run: impl FnOnce(&str) -> R) -> R {
    PANIC.with_borrow(|message| run(message))
}
