//! Published vocabularies by name: how they split text, and their special tokens.
//!
//! The table is that of `superword.vocabularies`; a test compares them.

use superword_core::model::TokenId;

// As in tiktoken 0.14. It differs from `gpt4` in white space at the end of a text: one pretoken.
const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);
const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);

const GPT2_SPECIAL: &[(u32, &str)] = &[(50256, "<|endoftext|>")];
const P50K_EDIT_SPECIAL: &[(u32, &str)] = &[
    (50256, "<|endoftext|>"),
    (50281, "<|fim_prefix|>"),
    (50282, "<|fim_middle|>"),
    (50283, "<|fim_suffix|>"),
];
const CL100K_SPECIAL: &[(u32, &str)] = &[
    (100_257, "<|endoftext|>"),
    (100_258, "<|fim_prefix|>"),
    (100_259, "<|fim_middle|>"),
    (100_260, "<|fim_suffix|>"),
    (100_276, "<|endofprompt|>"),
];
const O200K_SPECIAL: &[(u32, &str)] = &[(199_999, "<|endoftext|>"), (200_018, "<|endofprompt|>")];
const HARMONY_SPECIAL: &[(u32, &str)] = &[
    (199_999, "<|endoftext|>"),
    (200_018, "<|endofprompt|>"),
    (199_998, "<|startoftext|>"),
    (200_002, "<|return|>"),
    (200_003, "<|constrain|>"),
    (200_005, "<|channel|>"),
    (200_006, "<|start|>"),
    (200_007, "<|end|>"),
    (200_008, "<|message|>"),
    (200_012, "<|call|>"),
];

/// What a vocabulary file of tiktoken does not hold.
pub(super) struct Vocabulary {
    pub(super) pattern: &'static str,
    pub(super) special_tokens: Vec<(TokenId, String)>,
}

/// The published vocabularies with a pattern of their own.
pub(super) const PUBLISHED: [&str; 3] = ["cl100k_base", "llama3", "qwen2"];

/// Returns the pattern of a published vocabulary.
pub(super) fn find_pattern(name: &str) -> Option<&'static str> {
    Some(match name {
        "llama3" => LLAMA3,
        "llama4" => "gpt4o",
        "qwen2" | "qwen2.5" | "qwen3" => QWEN2,
        _ => find_vocabulary(name)?.pattern,
    })
}

/// Returns a published vocabulary, unless its name stands for its pattern alone.
pub(super) fn find_vocabulary(name: &str) -> Option<Vocabulary> {
    let (pattern, special_tokens) = match name {
        "gpt2" | "r50k_base" | "p50k_base" => ("gpt2", GPT2_SPECIAL),
        "p50k_edit" => ("gpt2", P50K_EDIT_SPECIAL),
        "cl100k_base" => (CL100K, CL100K_SPECIAL),
        "o200k_base" => ("gpt4o", O200K_SPECIAL),
        "o200k_harmony" => ("gpt4o", HARMONY_SPECIAL),
        _ => return None,
    };
    let mut special_tokens: Vec<_> =
        special_tokens.iter().map(|&(id, text)| (TokenId(id), text.to_owned())).collect();
    if name == "o200k_harmony" {
        let is_free = |id: &u32| HARMONY_SPECIAL.iter().all(|(known, _)| known != id);
        let reserved = (200_000..201_088).filter(is_free);
        special_tokens.extend(reserved.map(|id| (TokenId(id), format!("<|reserved_{id}|>"))));
    }
    Some(Vocabulary { pattern, special_tokens })
}
