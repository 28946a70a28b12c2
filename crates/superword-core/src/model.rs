//! Temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Deletion { Bytes, Pair }
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Parameters {
    pub pattern: String, pub eligible: String, pub supermerges: bool, pub deletion: Option<Deletion>,
    pub tau: f64, pub min_count: u64, pub vocab_size: u32 }
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rule {
    Merge { left: u32, right: u32, token: u32, count: u64 },
    Supermerge { left: u32, right: u32, token: u32, count: u64 },
    Delete { token: u32, parts: Box<[u32]> } }
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Training { pub documents: u64, pub bytes: u64, pub pretokens: u64, pub distinct_pretokens: u64 }
