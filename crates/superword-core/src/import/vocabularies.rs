//! Published vocabularies by name: how they split text, and their special tokens.
//!
//! One table serves training (`pattern="cl100k_base"`), importing and evaluation, so that a name means
//! the same split everywhere.

use crate::model::TokenId;

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

/// What a vocabulary file of tiktoken does not hold.
#[derive(Debug)]
pub struct PublishedVocabulary {
    /// The name.
    pub name: &'static str,
    /// The pattern that splits text: a named one, or a regex that has a scanner.
    pub pattern: &'static str,
    /// The special tokens with their ids; `None` if the name stands for the split alone.
    special_tokens: Option<&'static [(u32, &'static str)]>,
    /// The range of ids that are special tokens too, where no other special token has them.
    reserved: std::ops::Range<u32>,
}

const GPT2_SPECIAL: &[(u32, &str)] = &[(50256, "<|endoftext|>")];

/// All published vocabularies.
pub const PUBLISHED: [PublishedVocabulary; 12] = [
    list("gpt2", "gpt2", GPT2_SPECIAL),
    list("r50k_base", "gpt2", GPT2_SPECIAL),
    list("p50k_base", "gpt2", GPT2_SPECIAL),
    list(
        "p50k_edit",
        "gpt2",
        &[
            (50256, "<|endoftext|>"),
            (50281, "<|fim_prefix|>"),
            (50282, "<|fim_middle|>"),
            (50283, "<|fim_suffix|>"),
        ],
    ),
    list(
        "cl100k_base",
        CL100K,
        &[
            (100_257, "<|endoftext|>"),
            (100_258, "<|fim_prefix|>"),
            (100_259, "<|fim_middle|>"),
            (100_260, "<|fim_suffix|>"),
            (100_276, "<|endofprompt|>"),
        ],
    ),
    list("o200k_base", "gpt4o", &[(199_999, "<|endoftext|>"), (200_018, "<|endofprompt|>")]),
    PublishedVocabulary {
        // The other ids are reserved. tiktoken also reserves that of `<|endofprompt|>`.
        reserved: 200_000..201_088,
        ..list(
            "o200k_harmony",
            "gpt4o",
            &[
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
            ],
        )
    },
    list_pattern("llama3", LLAMA3),
    list_pattern("llama4", "gpt4o"),
    list_pattern("qwen2", QWEN2),
    list_pattern("qwen2.5", QWEN2),
    list_pattern("qwen3", QWEN2),
];

const fn list(
    name: &'static str,
    pattern: &'static str,
    special_tokens: &'static [(u32, &'static str)],
) -> PublishedVocabulary {
    PublishedVocabulary { name, pattern, special_tokens: Some(special_tokens), reserved: 0..0 }
}

const fn list_pattern(name: &'static str, pattern: &'static str) -> PublishedVocabulary {
    PublishedVocabulary { name, pattern, special_tokens: None, reserved: 0..0 }
}

impl PublishedVocabulary {
    /// Returns the published vocabulary with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static PublishedVocabulary> {
        const { &PUBLISHED }.iter().find(|known| known.name == name)
    }

    /// The special tokens with their ids; `None` if the name stands for the split alone.
    #[must_use]
    pub fn special_tokens(&self) -> Option<Vec<(TokenId, String)>> {
        let listed = self.special_tokens?;
        let is_free = |id: &u32| listed.iter().all(|(known, _)| known != id);
        let reserved = self.reserved.clone().filter(is_free);
        let reserved = reserved.map(|id| (TokenId(id), format!("<|reserved_{id}|>")));
        let named = listed.iter().map(|&(id, text)| (TokenId(id), text.to_owned()));
        Some(named.chain(reserved).collect())
    }
}
