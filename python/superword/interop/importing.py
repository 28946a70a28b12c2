"""Importing tokenizers of other libraries: their merges become rules, their ids stay.

docs/extending.md lists the features that are kept, and those that are rejected.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

from superword import _core
from superword.errors import ModelFormatError
from superword.interop.byte_spelling import read_spelling
from superword.interop.export_checks import NEVER_IN_UTF8
from superword.interop.folders import find_tokenizer_file
from superword.interop.tiktoken_file import find_vocabulary, read_ranks
from superword.patterns import compile_pattern, find_known_pattern, quote_regex, resolve_pattern
from superword.tokenizer import Tokenizer, TrainingConfig, load
from superword.vocabularies import VOCABULARIES, Vocabulary

__all__ = ["import_tokenizer"]

Json = dict[str, Any]
Pair = tuple[bytes, bytes]
RejectOrWarn = Callable[[str], None]


def import_tokenizer(
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
) -> Tokenizer:
    """Import a tokenizer as a model that gives the same ids.

    Args:
        path: A superword model, a `tokenizer.json`, a folder with one of them, or a tiktoken file.
        pattern: The pattern of a tiktoken file, a name or a regex.
        special_tokens: The special tokens of a tiktoken file, with their ids.
        approximate: Warn of features that cannot be reproduced, instead of rejecting them.

    Raises:
        ModelFormatError: If the file is not a tokenizer, or cannot be reproduced.
        OSError: If the file cannot be read.
    """
    path = find_tokenizer_file(Path(path))
    with path.open("rb") as file:
        start = file.read(4096)

    def reject_or_warn(reason: str) -> None:
        if not approximate:
            hint = "approximate=True (--approximate) ignores this"
            raise ModelFormatError(f"{path}: {reason}; {hint}")
        warnings.warn(f"{path}: {reason}; ignored", stacklevel=4)

    is_ours = b'"format":"superword"' in start or not start.lstrip().startswith(b"{")
    ranks = read_ranks(path)
    if ranks is None and (pattern is not None or special_tokens is not None):
        raise ValueError("pattern and special_tokens are for tiktoken files; this file has its own")
    try:
        if ranks is not None:
            return from_tiktoken(path, ranks, pattern, special_tokens, reject_or_warn)
        if is_ours:
            return load(path)
        return from_tokenizer_json(json.loads(path.read_bytes()), reject_or_warn)
    except json.JSONDecodeError as error:
        raise ModelFormatError(
            f"{path}: neither a superword model, a tokenizer.json nor a tiktoken file: {error}"
        ) from None
    except (AttributeError, KeyError, TypeError) as error:
        raise ModelFormatError(
            f"{path}: not a tokenizer.json as Hugging Face tokenizers writes it: {error!r}"
        ) from None
    except ModelFormatError as error:
        prefix = "" if str(error).startswith(str(path)) else f"{path}: "
        raise ModelFormatError(f"{prefix}{error}") from None


def from_tiktoken(
    path: Path,
    ranks: Mapping[bytes, int],
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    reject_or_warn: RejectOrWarn,
) -> Tokenizer:
    """Import a tiktoken file. Its pattern is given, in the file beside it, or known by its name."""
    if pattern is None:
        known = find_vocabulary(path)
    else:
        own = VOCABULARIES.get(path.stem)
        known = Vocabulary(resolve_pattern(pattern), own and own.special_tokens)
    return build_model(
        {rank: token for token, rank in ranks.items()},
        None,
        known.pattern,
        (known.special_tokens or {}) if special_tokens is None else special_tokens,
        True,
        reject_or_warn,
    )


def from_tokenizer_json(described: Json, reject_or_warn: RejectOrWarn) -> Tokenizer:
    """Import a `tokenizer.json`."""
    model = described["model"]
    if model.get("type", "BPE") != "BPE":
        raise ModelFormatError(f"its model is {model['type']}, not byte-level BPE")
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        if model.get(name):
            raise ModelFormatError(f"it is not byte-level BPE: its model has {name}")
    if model.get("dropout"):
        reject_or_warn("its model has dropout, which makes ids random")
    normalizer = described.get("normalizer")
    if normalizer is not None and normalizer.get("normalizers") != []:
        reject_or_warn(f"its normalizer {normalizer['type']} changes texts")
    pattern = read_pattern(described["pre_tokenizer"])
    special_tokens, added_tokens = read_added_tokens(described["added_tokens"], reject_or_warn)
    without_rules = special_tokens | added_tokens
    merges = [
        (decode_spelling(left), decode_spelling(right))
        for left, right in (m.split(" ") if isinstance(m, str) else m for m in model["merges"])
    ]
    made = {left + right for left, right in merges}
    vocabulary: dict[int, bytes] = {}
    for text, id in model["vocab"].items():
        if text in without_rules and read_spelling(text) not in made:
            continue
        vocabulary[id] = decode_spelling(text)
    return build_model(
        vocabulary,
        merges,
        pattern,
        special_tokens,
        bool(model.get("ignore_merges")),
        reject_or_warn,
        added_tokens=added_tokens,
    )


def decode_spelling(text: str) -> bytes:
    """Return the bytes of a token, which must be spelled as GPT-2 spells them."""
    token = read_spelling(text)
    if token is None:
        raise ModelFormatError(f"it is not byte-level BPE: {text!r} does not spell bytes")
    return token


def read_pattern(described: Json | None) -> str:
    """Return the pattern of a pre-tokenizer.

    Example:
        >>> read_pattern({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
        'gpt2'
    """
    if described is None:
        raise ModelFormatError("it is not byte-level BPE: it has no pre-tokenizer")
    is_sequence = described["type"] == "Sequence"
    steps = described["pretokenizers"] if is_sequence else [described]
    kinds = [step["type"] for step in steps]
    if kinds not in (["ByteLevel"], ["Split", "ByteLevel"]):
        raise ModelFormatError(
            f"its pre-tokenizer is {' and '.join(kinds) or 'empty'}; supported are ByteLevel, and "
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
    # Removing unmatched text removes nothing if the regex matches everything.
    keeps_all = behavior == "Removed" and is_inverted and compile_pattern(regex).covers_all
    if (behavior, is_inverted) != ("Isolated", False) and not keeps_all:
        how = f"{behavior}, inverted" if is_inverted else behavior
        raise ModelFormatError(f"its pre-tokenizer splits with the behavior {how}, not Isolated")
    return quote_regex(regex)


def read_added_tokens(
    added: list[Json], reject_or_warn: RejectOrWarn
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the special tokens and the other added tokens, with their ids."""
    for token in added:
        for name in ("single_word", "lstrip", "rstrip"):
            if token.get(name):
                reject_or_warn(f"its added token {token['content']!r} is matched with {name}")
    special: dict[str, int] = {}
    others: dict[str, int] = {}
    for token in sorted(added, key=lambda token: int(token["id"])):
        (special if token.get("special") else others)[token["content"]] = token["id"]
    for first, second in combinations(added, 2):
        if has_other_order(first, second) and may_overlap(first["content"], second["content"]):
            reject_or_warn(
                f"its added tokens {first['content']!r} and {second['content']!r} may overlap, and "
                "are searched for in another order (normalized)"
            )
    return special, others


def has_other_order(first: Json, second: Json) -> bool:
    """Return whether two added tokens, one not special, are searched for in another order here.

    Hugging Face searches first for those that are not normalized, superword for special ones.
    """
    special = bool(first.get("special")), bool(second.get("special"))
    normalized = bool(first.get("normalized")), bool(second.get("normalized"))
    theirs = normalized[0] - normalized[1]
    return not all(special) and theirs != special[1] - special[0]


def may_overlap(first: str, second: str) -> bool:
    """Return whether a text may have both strings in overlapping positions.

    Example:
        >>> may_overlap("<a>", "><"), may_overlap("<a>", "a"), may_overlap("<a>", " ")
        (True, True, False)
    """
    lengths = range(1, min(len(first), len(second)))
    return (
        first in second
        or second in first
        or any(first[-n:] == second[:n] or second[-n:] == first[:n] for n in lengths)
    )


def build_model(
    vocabulary: Mapping[int, bytes],
    merges: Sequence[Pair] | None,
    pattern: str,
    special_tokens: Mapping[str, int],
    ignores_merges: bool,
    reject_or_warn: RejectOrWarn,
    *,
    added_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Build the model of a tokenizer that merges by rank.

    Args:
        vocabulary: The tokens by id.
        merges: The merges by rank; without them, a pair has the rank of the token that it spells,
            which is its id.
        pattern: The pattern, a name or a regex.
        special_tokens: The special tokens with their ids.
        ignores_merges: Whether a pretoken that is a token becomes that token without merges.
        reject_or_warn: Called with each feature that cannot be reproduced.
        added_tokens: The added tokens that are not special, with their ids.
    """
    tokens = set(vocabulary.values())
    for byte in set(range(256)) - NEVER_IN_UTF8:
        if bytes([byte]) not in tokens:
            raise ModelFormatError(f"the byte {byte:#04x} has no token")
    config = TrainingConfig(
        pattern=find_known_pattern(pattern) or pattern,
        supermerges=False,
        deletion=None,
        min_count=1,
        vocab_size=max(256, len(vocabulary)),
    )
    specials = [(id, text) for text, id in special_tokens.items()]
    added = [(id, text) for text, id in (added_tokens or {}).items()]
    ids = sorted(vocabulary.items())
    made = _core.Model.with_ranks(config, ids, merges, specials, added)
    texts = [token for token in made["unreachable"] if is_text(token)] if ignores_merges else []
    if texts:
        reject_or_warn(
            f"{len(texts)} tokens, such as {texts[0].decode()!r}, are made by no merge, but only "
            "where they are whole pretokens (ignore_merges)"
        )
    if made["early"]:
        left, right = made["early"][0]
        reject_or_warn(
            f"{len(made['early'])} merges, such as that of {left!r} and {right!r}, join "
            "tokens that only later merges make, so they are applied out of order"
        )
    return Tokenizer._of(made["model"])


def is_text(token: bytes) -> bool:
    """Return whether bytes are UTF-8, and so may be a pretoken."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
