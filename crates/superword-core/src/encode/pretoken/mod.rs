//! From a pretoken to its tokens, by merges and deletes.
//!
//! In reading order:
//!
//! 1. [`encoding`]: what is known of a pretoken, in 16 bytes;
//! 2. [`table`]: the hash table from pretokens to encodings;
//! 3. [`cache`]: the table of one thread, with its working memory;
//! 4. [`model_pretokens`]: the pretokens that each cache starts with;
//! 5. [`merger`]: the merges and deletes of a model, and their effect on any pretoken;
//! 6. [`merge_index`]: the hash table of merges by the pair that they join;
//! 7. [`interleaved`]: up to 32 new pretokens of at most 255 bytes, merged in turns;
//! 8. [`whole_chars`]: the characters that these start with as one token;
//! 9. [`rule_replay`]: the general replay of rules, for longer pretokens and for supermerges.

pub(super) mod cache;
pub(super) mod encoding;
pub(super) mod interleaved;
pub(super) mod merge_index;
pub(super) mod merger;
pub(super) mod model_pretokens;
pub(super) mod rule_replay;
pub(super) mod table;
pub(super) mod whole_chars;
