"""Opening tokenizers of other libraries: their merges become rules, their ids stay.

docs/extending.md lists the features that are kept, and those that are rejected.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from os import PathLike
from pathlib import Path
from typing import Any

from superword import _core
from superword.errors import ModelFormatError
from superword.interop.byte_spelling import read_spelling
from superword.interop.export_checks import NEVER_IN_UTF8
from superword.interop.folders import find_tokenizer_file
from superword.interop.merges_file import find_pair, read_merges, read_vocabulary
from superword.interop.pre_tokenizer import read_pattern
from superword.interop.tekken_file import is_tekken, read_tekken
from superword.interop.tiktoken_file import find_vocabulary, read_ranks
from superword.patterns import find_known_pattern, resolve_pattern
from superword.tokenizer import Tokenizer, TrainingConfig, load
from superword.vocabularies import VOCABULARIES, Vocabulary

__all__ = ["import_tokenizer", "open_base"]

Json = dict[str, Any]
Pair = tuple[bytes, bytes]
RejectOrWarn = Callable[[str], None]


def open_base(
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
) -> Tokenizer:
    """Open a tokenizer of any supported kind, as a model that gives the same ids.

    Args:
        path: A superword model, a `tokenizer.json`, a `tekken.json`, a tiktoken file, a
            `vocab.json` with its `merges.txt`, or a folder with one of them.
        pattern: The pattern of a tiktoken file or of `merges.txt`, a name or a regex.
        special_tokens: The special tokens of such files, with their ids.
        approximate: Warn of features that cannot be reproduced, instead of rejecting them.

    Raises:
        ModelFormatError: If the file is not a tokenizer, or cannot be reproduced.
        OSError: If the file cannot be read.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258, supermerges=False, deletion=None)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     superword.export(tok, f"{folder}/tokenizer.json", "tokenizer.json")
        ...     open_base(folder).fingerprint == tok.fingerprint
        True
        True
    """
    path = find_tokenizer_file(Path(path))

    def reject_or_warn(reason: str) -> None:
        if not approximate:
            hint = "approximate=True (--approximate) ignores this"
            raise ModelFormatError(f"{path}: {reason}; {hint}")
        warnings.warn(f"{path}: {reason}; ignored", stacklevel=4)

    try:
        return open_file(path, pattern, special_tokens, reject_or_warn)
    except json.JSONDecodeError as error:
        raise ModelFormatError(
            f"{path}: neither a superword model, a tokenizer.json nor a tiktoken file: {error}"
        ) from None
    except RecursionError:
        raise ModelFormatError(f"{path}: damaged: it is nested too deeply") from None
    except OverflowError:
        raise ModelFormatError(f"{path}: an id must be from 0 to 4294967295") from None
    except UnicodeEncodeError as error:
        surrogate = ascii(error.object[error.start])
        raise ModelFormatError(f"{path}: damaged: a lone surrogate, {surrogate}") from None
    except (AttributeError, KeyError, TypeError) as error:
        raise ModelFormatError(
            f"{path}: not a tokenizer.json as Hugging Face tokenizers writes it: {error!r}"
        ) from None
    except ModelFormatError as error:
        prefix = "" if str(error).startswith(str(path)) else f"{path}: "
        raise ModelFormatError(f"{prefix}{error}") from None


import_tokenizer = open_base  # Its name before it was public.


def open_file(
    path: Path,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    reject_or_warn: RejectOrWarn,
) -> Tokenizer:
    """Open a file by its kind."""
    ranks = read_ranks(path)
    if ranks is not None:
        return from_tiktoken(path, ranks, pattern, special_tokens, reject_or_warn)
    pair = find_pair(path)
    if pair is not None:
        return from_merges(*pair, pattern, special_tokens, reject_or_warn)
    if pattern is not None or special_tokens is not None:
        raise ValueError("pattern and special_tokens are for tiktoken files; this file has its own")
    with path.open("rb") as file:
        start = file.read(4096)
    if b'"format":"superword"' in start or not start.lstrip().startswith(b"{"):
        return load(path)
    described = json.loads(path.read_bytes())
    if is_tekken(described):
        vocabulary, regex, specials = read_tekken(described)
        return build_model(vocabulary, None, regex, specials, True, reject_or_warn)
    return from_tokenizer_json(described, reject_or_warn)


def from_merges(
    vocabulary_file: Path,
    merges_file: Path,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    reject_or_warn: RejectOrWarn,
) -> Tokenizer:
    """Import `vocab.json` and `merges.txt`, or GPT-2's `encoder.json` and `vocab.bpe`."""
    if pattern is None and merges_file.name == "vocab.bpe":
        pattern = "gpt2"
    if pattern is None:
        raise ModelFormatError(
            f"{merges_file}: it does not hold its pattern; pass it (pattern=, --pattern)"
        )
    known = VOCABULARIES["gpt2"].special_tokens or {}
    texts = read_vocabulary(vocabulary_file)
    if special_tokens is None:
        special_tokens = {text: id for text, id in known.items() if texts.get(text) == id}
    merges = read_spelled_merges(read_merges(merges_file))
    vocabulary = read_spelled_vocabulary(texts, merges, special_tokens)
    resolved = resolve_pattern(pattern)
    return build_model(vocabulary, merges, resolved, special_tokens, False, reject_or_warn)


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
    if normalizer is not None and (names := list_normalizers(normalizer)):
        exception = ", except those that are in NFC already" if {*names} == {"NFC"} else ""
        reject_or_warn(f"its normalizer {', '.join(names)} changes texts{exception}")
    pattern = read_pattern(described["pre_tokenizer"])
    special_tokens, added_tokens = read_added_tokens(described["added_tokens"], reject_or_warn)
    without_rules = special_tokens | added_tokens
    merges = read_spelled_merges(model["merges"])
    vocabulary = read_spelled_vocabulary(model["vocab"], merges, without_rules)
    return build_model(
        vocabulary,
        merges,
        pattern,
        special_tokens,
        bool(model.get("ignore_merges")),
        reject_or_warn,
        added_tokens=added_tokens,
    )


def list_normalizers(normalizer: Json) -> list[str]:
    """Return the names of the normalizers in a normalizer, one after the other.

    Example:
        >>> list_normalizers({"type": "Sequence", "normalizers": [{"type": "NFC"}]})
        ['NFC']
    """
    if normalizer["type"] != "Sequence":
        return [normalizer["type"]]
    return [name for each in normalizer["normalizers"] for name in list_normalizers(each)]


def read_spelled_merges(merges: Sequence[str | Sequence[str]]) -> list[Pair]:
    """Return merges in bytes: each is two spelled tokens, or a string of both."""
    pairs = (merge.split(" ") if isinstance(merge, str) else merge for merge in merges)
    return [(decode_spelling(left), decode_spelling(right)) for left, right in pairs]


def read_spelled_vocabulary(
    spelled: Mapping[str, int], merges: Sequence[Pair], without_rules: Mapping[str, int]
) -> dict[int, bytes]:
    """Return the tokens by id, without those that are special or added and that no merge makes."""
    made = {left + right for left, right in merges}
    vocabulary: dict[int, bytes] = {}
    for text, id in spelled.items():
        if text in without_rules and read_spelling(text) not in made:
            continue
        vocabulary[id] = decode_spelling(text)
    return vocabulary


def decode_spelling(text: str) -> bytes:
    """Return the bytes of a token, which must be spelled as GPT-2 spells them."""
    token = read_spelling(text)
    if token is None:
        raise ModelFormatError(f"it is not byte-level BPE: {text!r} does not spell bytes")
    return token


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
    orders: dict[tuple[bool, bool], list[str]] = {}
    for token in added:
        kind = (bool(token.get("special")), bool(token.get("normalized")))
        orders.setdefault(kind, []).append(token["content"])
    for first, second in combinations(orders, 2):
        for pair in (
            product(orders[first], orders[second]) if has_other_order(first, second) else ()
        ):
            # Without special tokens, all are searched for at once: the leftmost is found.
            theirs_first = sorted(
                zip((first, second), pair, strict=True), key=lambda kind: kind[0][1]
            )
            is_leftmost = not (first[0] or second[0])
            if may_overlap(*(text for _, text in theirs_first), is_leftmost=is_leftmost):
                reject_or_warn(
                    f"its added tokens {pair[0]!r} and {pair[1]!r} may overlap, and are searched "
                    "for in another order (normalized)"
                )
    return special, others


def has_other_order(first: tuple[bool, bool], second: tuple[bool, bool]) -> bool:
    """Return whether two kinds of added tokens, one not special, are searched for in another order.

    A kind is whether they are special, and whether they are normalized. Hugging Face searches first
    for those that are not normalized, superword for special ones.
    """
    theirs = first[1] - second[1]
    return not (first[0] and second[0]) and theirs != second[0] - first[0]


def may_overlap(first: str, second: str, *, is_leftmost: bool = False) -> bool:
    """Return whether a text may have both strings in overlapping positions.

    Args:
        first: The string that Hugging Face searches for first.
        second: The other one.
        is_leftmost: Whether the leftmost is found here, so that `first` may start first.

    Example:
        >>> may_overlap("<a>", "><"), may_overlap("<a>", "a"), may_overlap("<a>", " ")
        (True, True, False)
        >>> may_overlap("<a>", ">b", is_leftmost=True), may_overlap(">b", "<a>", is_leftmost=True)
        (False, True)
    """
    lengths = range(1, min(len(first), len(second)))
    return (
        first in second
        or second in first
        or any(second[-n:] == first[:n] for n in lengths)
        or (not is_leftmost and any(first[-n:] == second[:n] for n in lengths))
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
    made = _core.Model.with_ranks(config, ids, merges, specials, added, ignores_merges)
    if made["early"]:
        left, right = made["early"][0]
        reject_or_warn(
            f"{len(made['early'])} merges, such as that of {left!r} and {right!r}, join "
            "tokens that only later merges make, so they are applied out of order"
        )
    return Tokenizer._of(made["model"])
