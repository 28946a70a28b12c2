"""Tokenizers of other libraries as models: their merges as rules, with their ids.

docs/extending.md says what is kept, and what is refused.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from superword import _core
from superword.errors import ModelFormatError
from superword.interop.byte_spelling import read_spelling
from superword.interop.export_checks import NEVER
from superword.interop.exporting import about_path
from superword.interop.ranked_merges import RankOf, in_order, recovered
from superword.interop.tiktoken_file import read_ranks
from superword.patterns import ELIGIBLE, NAMED_PATTERNS, compiled
from superword.tokenizer.rules import Rule
from superword.tokenizer.tokenizer import Parameters, Tokenizer, load

__all__ = ["open_base"]

Json = dict[str, Any]
Depart = Callable[[str], None]

END_OF_TEXT = "<|endoftext|>"
GPT2 = {END_OF_TEXT: 50256}
CL100K = {
    END_OF_TEXT: 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
O200K = {END_OF_TEXT: 199999, "<|endofprompt|>": 200018}
# As tiktoken 0.14 spells it; `gpt4` leaves white space at the end of a text in two pretokens.
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# What tiktoken's own files do not say, by their names.
TIKTOKEN: dict[str, tuple[str, dict[str, int]]] = {
    "r50k_base": ("gpt2", GPT2),
    "p50k_base": ("gpt2", GPT2),
    "cl100k_base": (CL100K_PATTERN, CL100K),
    "o200k_base": ("gpt4o", O200K),
}


def open_base(
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
) -> Tokenizer:
    """Open a tokenizer to extend, as a model that encodes as it does.

    Args:
        path: One of our models, a `tokenizer.json` or the folder that has one, or a tiktoken file.
        pattern: What a tiktoken file splits texts by, a name or a regex.
        special_tokens: The special tokens of a tiktoken file, with their ids.
        approximate: Whether what cannot be honoured is left out, with a warning, rather than
            refused.

    Raises:
        ModelFormatError: If it is no tokenizer, or one that cannot be honoured.
        OSError: If it cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        path /= "tokenizer.json"
    with path.open("rb") as file:
        start = file.read(4096)

    def depart(reason: str) -> None:
        if not approximate:
            hint = "approximate=True (--approximate) goes on without it"
            raise ModelFormatError(f"{path}: {reason}; {hint}")
        warnings.warn(f"{path}: {reason}; left out", stacklevel=4)

    is_ours = b'"format":"superword"' in start or not start.lstrip().startswith(b"{")
    ranks = read_ranks(path)
    if ranks is None and (pattern is not None or special_tokens is not None):
        raise ValueError("pattern and special_tokens are for tiktoken files; this one says its own")
    try:
        if ranks is not None:
            return from_tiktoken(path, ranks, pattern, special_tokens, depart)
        if is_ours:
            return load(path)
        return from_tokenizer_json(json.loads(path.read_bytes()), depart)
    except json.JSONDecodeError as refused:
        raise ModelFormatError(
            f"{path}: neither a superword model, a tokenizer.json nor a tiktoken file: {refused}"
        ) from None
    except (AttributeError, KeyError, TypeError) as refused:
        raise ModelFormatError(
            f"{path}: not a tokenizer.json as Hugging Face tokenizers writes it: {refused!r}"
        ) from None
    except ModelFormatError as refused:
        place = "" if str(refused).startswith(str(path)) else f"{path}: "
        raise ModelFormatError(f"{place}{refused}") from None


def from_tiktoken(
    path: Path,
    ranks: Mapping[bytes, int],
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    depart: Depart,
) -> Tokenizer:
    """The model of a tiktoken file. The rest is given, or in a file beside it, or known."""
    beside = about_path(path)
    if pattern is None and beside.exists():
        about = json.loads(beside.read_text(encoding="utf-8"))
        known: tuple[str, Mapping[str, int]] = (about["pat_str"], about["special_tokens"])
    elif pattern is None and path.stem not in TIKTOKEN:
        raise ModelFormatError(
            "a tiktoken file does not say how it splits texts: give its pattern "
            f"(pattern=, --pattern), or {beside.name} beside it"
        )
    else:
        known = TIKTOKEN.get(path.stem, ("", {}))
    return model_of(
        {rank: token for token, rank in ranks.items()},
        lambda left, right: ranks.get(left + right),
        known[0] if pattern is None else pattern,
        known[1] if special_tokens is None else special_tokens,
        True,
        depart,
    )


def from_tokenizer_json(described: Json, depart: Depart) -> Tokenizer:
    """Read a `tokenizer.json`."""
    model = described["model"]
    if model.get("type", "BPE") != "BPE":
        raise ModelFormatError(f"its model is {model['type']}, not byte-level BPE")
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        if model.get(name):
            raise ModelFormatError(f"it is not byte-level BPE: its model has {name}")
    if model.get("dropout"):
        depart("its model has dropout, so that it encodes at random")
    normalizer = described.get("normalizer")
    if normalizer is not None and normalizer.get("normalizers") != []:
        depart(f"it changes texts with the normalizer {normalizer['type']} first")
    pattern = pattern_of(described["pre_tokenizer"])
    special_tokens = special_tokens_of(described["added_tokens"], depart)
    merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in model["merges"]]
    ranks = {(spelled(left), spelled(right)): rank for rank, (left, right) in enumerate(merges)}
    made = {left + right for left, right in ranks}
    vocabulary: dict[int, bytes] = {}
    for text, id in model["vocab"].items():
        token = read_spelling(text)
        if text in special_tokens and token not in made:
            continue
        vocabulary[id] = spelled(text)
    by_pair: RankOf = lambda left, right: ranks.get((left, right))  # noqa: E731
    looks_up = bool(model.get("ignore_merges"))
    return model_of(vocabulary, by_pair, pattern, special_tokens, looks_up, depart)


def spelled(text: str) -> bytes:
    """The bytes of a token that must be spelled in the characters of GPT-2."""
    token = read_spelling(text)
    if token is None:
        raise ModelFormatError(f"it is not byte-level BPE: {text!r} spells no bytes")
    return token


def pattern_of(described: Json | None) -> str:
    """The pattern that a pre-tokenizer splits by.

    Example:
        >>> pattern_of({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
        'gpt2'
    """
    if described is None:
        raise ModelFormatError("it has no pre-tokenizer, so that it is not byte-level BPE")
    is_sequence = described["type"] == "Sequence"
    steps = described["pretokenizers"] if is_sequence else [described]
    kinds = [step["type"] for step in steps]
    if kinds not in (["ByteLevel"], ["Split", "ByteLevel"]):
        raise ModelFormatError(
            f"its pre-tokenizer is {' and '.join(kinds) or 'empty'}; known are ByteLevel, and "
            "Split and ByteLevel"
        )
    if steps[-1].get("add_prefix_space", True):
        raise ModelFormatError("its pre-tokenizer puts a space before texts (add_prefix_space)")
    uses_regex = steps[-1].get("use_regex", True)
    if kinds == ["ByteLevel"]:
        return "gpt2" if uses_regex else r"(?s).+"
    if uses_regex:
        raise ModelFormatError("its pre-tokenizer splits twice, by Split and by ByteLevel")
    regex = steps[0]["pattern"].get("Regex")
    if not isinstance(regex, str):
        raise ModelFormatError("its pre-tokenizer splits by a string, not by a regex")
    behavior, is_inverted = steps[0]["behavior"], steps[0].get("invert", False)
    # To remove what is not matched removes nothing, if everything is.
    keeps_all = behavior == "Removed" and is_inverted and compiled(regex).covers_all
    if (behavior, is_inverted) != ("Isolated", False) and not keeps_all:
        how = f"{behavior}, inverted" if is_inverted else behavior
        raise ModelFormatError(f"its pre-tokenizer splits in the way {how}, not Isolated")
    return regex


def special_tokens_of(added: list[Json], depart: Depart) -> dict[str, int]:
    """The added tokens, special or not."""
    for token in added:
        for name in ("single_word", "lstrip", "rstrip"):
            if token.get(name):
                depart(f"its added token {token['content']!r} is found in a way of its own: {name}")
    return {token["content"]: token["id"] for token in sorted(added, key=lambda t: int(t["id"]))}


def model_of(
    vocabulary: Mapping[int, bytes],
    rank_of: RankOf,
    pattern: str,
    special_tokens: Mapping[str, int],
    looks_up: bool,
    depart: Depart,
) -> Tokenizer:
    """The model of a tokenizer that merges by rank.

    Args:
        vocabulary: The tokens by id.
        rank_of: The rank of two tokens side by side.
        pattern: What splits texts, a name or a regex.
        special_tokens: The special tokens with their ids.
        looks_up: Whether a pretoken that is a token becomes that, whatever the merges say.
        depart: Called with what cannot be honoured.
    """
    tokens = set(vocabulary.values())
    for byte in set(range(256)) - NEVER:
        if bytes([byte]) not in tokens:
            raise ModelFormatError(f"the byte {byte:#04x} has no token")
    try:
        found = recovered(tokens, rank_of)
    except ValueError as refused:
        raise ModelFormatError(f"{refused}, so that rules cannot lead to it") from None
    texts = [token for token in found.idle if is_text(token)] if looks_up else []
    if texts:
        depart(
            f"{len(texts)} tokens, {texts[0].decode()!r} one of them, are made by no merge, but "
            "looked up where they are whole pretokens (ignore_merges)"
        )
    if found.early:
        merge = found.early[0]
        depart(
            f"{len(found.early)} merges join tokens that later merges make, as that of "
            f"{merge.left!r} and {merge.right!r}, and are performed out of order"
        )
    merges = in_order(found.merges)
    rules = [
        Rule(index, "merge", merge.left, merge.right, (), 0) for index, merge in enumerate(merges)
    ]
    names = {regex: name for name, regex in NAMED_PATTERNS.items()}
    parameters = Parameters(
        pattern=names.get(pattern, pattern),
        eligible=ELIGIBLE,
        supermerges=False,
        deletion=None,
        min_count=1,
        vocab_size=max(256, len(vocabulary)),
    )
    specials = [(id, text) for text, id in special_tokens.items()]
    listed = sorted(vocabulary.items())
    return Tokenizer._of(_core.Model.with_ids(parameters, rules, listed, specials))


def is_text(token: bytes) -> bool:
    """Whether bytes are UTF-8, so that they may be a pretoken."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
