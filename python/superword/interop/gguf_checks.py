"""Checks whether llama.cpp can give the ids of a model."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from superword.interop.byte_spelling import spell
from superword.interop.export_checks import explain_no_ranks
from superword.patterns import find_pattern_name
from superword.tokenizer import Tokenizer
from superword.tokenizer.profiles import PORTABLE_PATTERN
from superword.tokenizer.rank_checks import find_unreachable
from superword.vocabularies import VOCABULARIES

__all__ = ["END_OF_TEXT", "explain_no_gguf", "find_split_name"]

# The names (`tokenizer.ggml.pre`) of splits in llama.cpp that are the same as these patterns. Its
# split for `gpt4o` treats marks and capitals outside ASCII differently, and it has none for `gpt4`,
# `punct` and `boundless`.
SPLIT_NAMES = {
    PORTABLE_PATTERN: "superbpe",
    "gpt2": "gpt-2",
    VOCABULARIES["llama3"].pattern: "llama-bpe",
    VOCABULARIES["qwen2"].pattern: "qwen2",
}
# With this split, llama.cpp takes a pretoken that is a token as it is, whatever the merges.
IGNORES_MERGES = "llama-bpe"

# llama.cpp looks for tokens with these texts, and makes them control tokens. The first group ends
# what a model generates.
END_OF_TEXT = (
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
    "<eos>",
    "[EOS]",
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|calls|>",
    "<|flush|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "<turn|>",
    "<|tool_response>",
    "[e~[",
)
FILL_IN = (
    *("<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<PRE>", "<|code_prefix|>", "<|prefix|>"),
    *("<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<SUF>", "<|code_suffix|>", "<|suffix|>"),
    *("<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<MID>", "<|code_middle|>", "<|middle|>"),
    *("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]", "<|file_sep|>"),
    *("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
)
# llama.cpp finds these in every text, even where special tokens are ordinary text.
ALWAYS_FOUND = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")


def find_split_name(tok: Tokenizer) -> str | None:
    """Return llama.cpp's name for the split of a model; None if it has no such split.

    Example:
        >>> import superword
        >>> find_split_name(superword.train(["to be to be"], 257, profile="portable"))
        'superbpe'
    """
    return SPLIT_NAMES.get(tok.pattern)


def explain_no_gguf(tok: Tokenizer) -> str | None:
    """Return why llama.cpp cannot give the ids of a model; None if it can."""
    reason = explain_no_ranks(tok)
    if reason is not None:
        return f"{reason}; profile='portable' (--profile portable) trains a model that fits"
    name = find_split_name(tok)
    if name is None:
        return (
            f"llama.cpp has no split like its pattern, {find_pattern_name(tok.pattern)}; train "
            "with profile='portable' (--profile portable), or plain BPE with the pattern gpt2, "
            "llama3 or qwen2"
        )
    if name != IGNORES_MERGES and (looked_up := tok._model.lookup_tokens):
        return (
            f"it looks up tokens, such as {looked_up[0]!r}, before it merges, and llama.cpp does "
            "so only with the pattern llama3"
        )
    if name == IGNORES_MERGES and (token := find_unreachable(tok)) is not None:
        return (
            f"the token {token!r} is not what its own bytes merge to, and with this split "
            "llama.cpp does not merge where a whole pretoken is a token"
        )
    return explain_no_added_tokens(tok) or explain_control_texts(tok)


def explain_no_added_tokens(tok: Tokenizer) -> str | None:
    """Return why llama.cpp finds added or special tokens differently; None if it does not."""
    if tok.added_tokens:
        return (
            f"it has added tokens, such as {next(iter(tok.added_tokens))!r}, which llama.cpp finds "
            "in another order; make them special tokens"
        )
    if not tok.special_tokens:
        return (
            "it has no special token, and llama.cpp would take token 11 for the end of a text; "
            "train with special_tokens=['<|endoftext|>'] (--special-token), or add one by "
            "with_special_tokens"
        )
    for text in tok.special_tokens:
        if text in ALWAYS_FOUND:
            return f"llama.cpp always finds {text!r} in a text, even where it is ordinary text"
        if "\0" in text:
            return f"the special token {text!r} holds a zero byte, which ends a text in llama.cpp"
    if "<|end|>" in tok.special_tokens and not {"<|call|>", "<|calls|>"}.isdisjoint(
        tok.special_tokens
    ):
        return "with '<|call|>', llama.cpp always finds '<|end|>', even where it is ordinary text"
    for first, second in find_overlaps(tok.special_tokens):
        return (
            f"the special tokens {first!r} and {second!r} may overlap in a text, where llama.cpp "
            "takes the longest and superword the first"
        )
    return None


def find_overlaps(texts: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of different texts of which the end of one is the start of the other.

    Example:
        >>> list(find_overlaps(["<a>", ">b", "<aa>"]))
        [('<a>', '>b'), ('<aa>', '>b')]
    """
    starts: dict[str, list[str]] = {}
    for text in texts:
        for size in range(1, len(text)):
            starts.setdefault(text[:size], []).append(text)
    for text in texts:
        for size in range(1, len(text)):
            for other in starts.get(text[-size:], []):
                if other != text:
                    yield text, other


def explain_control_texts(tok: Tokenizer) -> str | None:
    """Return which ordinary token llama.cpp would make a control token; None if it has none."""
    texts = {*END_OF_TEXT, *FILL_IN, *ALWAYS_FOUND}
    for id, token in tok._model.vocabulary():
        if spell(token) in texts:
            return (
                f"llama.cpp takes the token {token.decode()!r}, with the id {id}, for a control "
                "token, and shows no text for it; truncate the model before that token, or train "
                "it on text without it"
            )
    return None
