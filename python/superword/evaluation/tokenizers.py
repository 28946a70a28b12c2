"""Tokenizers of several makes, seen alike: texts to ids, and the bytes of each id."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.errors import ModelFormatError
from superword.evaluation.alignment import pretoken_ends
from superword.evaluation.byte_level import token_reader
from superword.evaluation.extra import needs
from superword.interop.tiktoken_file import read_ranks
from superword.patterns import NAMED_PATTERNS
from superword.tokenizer.tokenizer import Tokenizer, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AnyTokenizer", "HuggingFace", "Ours", "Tiktoken", "open_tokenizer"]

# What a tokenizer is measured by, and split by, if its file does not say which pattern is its own.
PATTERN = "gpt4o"
# The patterns of the vocabularies that are published as tiktoken files.
TIKTOKEN_PATTERNS = {
    "cl100k_base": "gpt4",
    "o200k_base": "gpt4o",
    "o200k_harmony": "gpt4o",
    "p50k_base": "gpt2",
    "p50k_edit": "gpt2",
    "r50k_base": "gpt2",
}


class AnyTokenizer(ABC):
    """A tokenizer to be measured.

    Attributes:
        name: What tables and figures call it.
        pattern: The pattern whose pretokens it is measured by.
        vocabulary: The bytes of each id.
    """

    name: str
    pattern: str

    @property
    @abstractmethod
    def vocabulary(self) -> dict[int, bytes]:
        """The bytes of each id."""

    @abstractmethod
    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts: all ids in a row, and where each text starts, and the last ends."""

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special tokens apart."""
        return len(self.vocabulary)

    @property
    def id_limit(self) -> int:
        """The number from which on there are no ids."""
        return max(self.vocabulary, default=-1) + 1

    def token_bytes(self, id: int) -> bytes:
        """The bytes of a token."""
        return self.vocabulary[id]

    @cached_property
    def superwords(self) -> frozenset[int]:
        """The ids of superwords: tokens with letters of more than one pretoken."""
        ids, tokens = list(self.vocabulary), self.vocabulary.values()
        texts = [token.decode("utf-8", "ignore") for token in tokens]
        ends, words = pretoken_ends(texts, self.pattern)
        lengths = [len(text.encode()) for text in texts]
        owners = np.searchsorted(np.cumsum(lengths), ends[words])
        return frozenset(ids[at] for at in np.flatnonzero(np.bincount(owners) > 1))


class Ours(AnyTokenizer):
    """A model of superword's own.

    Example:
        >>> import superword
        >>> tok = Ours(superword.train(["to be or to be", "to be"], 259))
        >>> ids, offsets = tok.encode_batch(["to be", "or"])
        >>> [tok.token_bytes(int(id)) for id in ids], offsets.tolist()
        ([b'to be', b'o', b'r'], [0, 1, 3])
    """

    def __init__(self, model: Tokenizer, name: str = "superword", pattern: str | None = None):
        self.model = model
        self.name = name
        own = model.pattern if model.pattern in NAMED_PATTERNS else PATTERN
        self.pattern = pattern or own

    @cached_property
    def vocabulary(self) -> dict[int, bytes]:
        """The bytes of each id."""
        return dict(self.model._model.vocabulary())

    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts; special tokens are text."""
        return self.model.encode_batch_to_numpy(texts, threads)

    @cached_property
    def superwords(self) -> frozenset[int]:
        """The ids of tokens that some supermerge made; without supermerges, as for other makes."""
        if not self.model.parameters.supermerges:
            return super().superwords
        return frozenset(filter(self.model.is_superword, self.vocabulary))


class HuggingFace(AnyTokenizer):
    """A `tokenizer.json` of Hugging Face's `tokenizers`."""

    def __init__(self, tokenizer: Any, name: str, pattern: str | None = None) -> None:
        self.tokenizer = tokenizer
        self.name = name
        described = json.loads(tokenizer.to_str())
        self.pattern = pattern or named_pattern(described["pre_tokenizer"]) or PATTERN
        read = token_reader(described)
        special = {added["id"] for added in described["added_tokens"] if added["special"]}
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        ordered = sorted((id, token) for token, id in vocabulary.items() if id not in special)
        self._vocabulary = {id: read(token) for id, token in ordered}
        # Special tokens that the tokenizer puts in by itself have ids, and stand for no text.
        self._id_limit = max(vocabulary.values(), default=-1) + 1

    @property
    def id_limit(self) -> int:
        """The number from which on there are no ids, those of special tokens included."""
        return self._id_limit

    @property
    def vocabulary(self) -> dict[int, bytes]:
        """The bytes of each id."""
        return self._vocabulary

    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts, without the special tokens that some models put around them."""
        encoded = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return flat([encoding.ids for encoding in encoded])


class Tiktoken(AnyTokenizer):
    """A vocabulary file of `tiktoken`."""

    def __init__(self, ranks: dict[bytes, int], name: str, pattern: str | None = None) -> None:
        tiktoken = needs("tiktoken")
        self.name = name
        self.pattern = pattern or TIKTOKEN_PATTERNS.get(name, PATTERN)
        self._vocabulary = {rank: token for token, rank in ranks.items()}
        regex = NAMED_PATTERNS.get(self.pattern, self.pattern)
        self._encoding = tiktoken.Encoding(
            name, pat_str=regex, mergeable_ranks=ranks, special_tokens={}
        )

    @property
    def vocabulary(self) -> dict[int, bytes]:
        """The bytes of each id."""
        return self._vocabulary

    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts."""
        return flat(self._encoding.encode_ordinary_batch(list(texts), num_threads=threads))


def flat(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Lists of ids in a row, and where each starts, and the last ends.

    Example:
        >>> [array.tolist() for array in flat([[7, 8], [], [9]])]
        [[7, 8, 9], [0, 2, 2, 3]]
    """
    ids = np.fromiter(chain.from_iterable(lists), np.uint32)
    return ids, np.cumsum([0, *map(len, lists)], dtype=np.uint64)


def named_pattern(described: object) -> str | None:
    """The name of the pattern that a pre-tokenizer of Hugging Face's splits by, if it has one."""
    if isinstance(described, dict):
        regex = described.get("Regex")
        names = [name for name, known in NAMED_PATTERNS.items() if known == regex]
        return names[0] if names else named_pattern(list(described.values()))
    if isinstance(described, list):
        found = filter(None, map(named_pattern, described))
        return next(found, None)
    return None


def open_tokenizer(
    path: str | PathLike[str], *, name: str | None = None, pattern: str | None = None
) -> AnyTokenizer:
    """Open a tokenizer, whatever its make: the file says which it is.

    Args:
        path: A model of superword's or of the paper's authors, a `tokenizer.json` of Hugging
            Face's or the folder that has one, or a vocabulary file of tiktoken's.
        name: What to call it; by default as its file, or the folder of a `tokenizer.json`.
        pattern: The pattern whose pretokens it is measured by; by default its own if that is a
            named one, otherwise `gpt4o`. A tiktoken file does not say which its own is: those that
            OpenAI has published are known by their names, and others are split by this pattern.

    Raises:
        ModelFormatError: If it is none of these.
        OSError: If it cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        path /= "tokenizer.json"
    is_anonymous = path.stem in ("tokenizer", "model") and path.resolve().parent.name
    name = name or (path.resolve().parent.name if is_anonymous else path.stem)
    with path.open("rb") as file:
        start = file.read(4096)
    if start.lstrip().startswith(b"{") and b'"format":"superword"' not in start:
        return open_hugging_face(path, name, pattern)
    if ranks := read_ranks(path):
        return Tiktoken(ranks, name, pattern)
    return Ours(load(path), name, pattern)


def open_hugging_face(path: Path, name: str, pattern: str | None) -> HuggingFace:
    """Open a `tokenizer.json`."""
    tokenizers = needs("tokenizers")
    try:
        return HuggingFace(tokenizers.Tokenizer.from_file(str(path)), name, pattern)
    except Exception as refused:  # It raises nothing more specific.
        message = f"{path}: neither a superword model nor a tokenizer.json: {refused}"
        raise ModelFormatError(message) from None
