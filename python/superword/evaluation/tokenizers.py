"""One interface to tokenizers of superword, Hugging Face and tiktoken."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.evaluation.alignment import find_pretoken_ends
from superword.evaluation.extras import import_extra
from superword.evaluation.token_spelling import make_token_reader
from superword.patterns import (
    DEFAULT_PATTERN,
    find_known_pattern,
    find_regex,
    resolve_pattern,
)
from superword.tokenizer import Tokenizer
from superword.tokenizer.encoding import list_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # All ids in one array, and the offset of each text in it, with the end of the last.
    EncodedBatch = tuple[NDArray[np.uint32], NDArray[np.uint64]]

__all__ = ["AnyTokenizer", "HuggingFace", "Ours", "Tiktoken", "flatten_ids"]


class AnyTokenizer(ABC):
    """A tokenizer to measure. For one of another library, implement what is listed here.

    Attributes:
        name: Its name in tables and figures.
        pattern: The pattern whose pretokens its tokens are compared with; `gpt4o` by default.
        vocabulary: The bytes of each id, without special tokens.
    """

    name: str
    pattern: str = DEFAULT_PATTERN
    vocabulary: dict[int, bytes]

    @abstractmethod
    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts to one array of ids and the offset of each text in it.

        It is called from several threads at once. `flatten_ids` makes the arrays from lists.
        """

    def tokenize(self, text: str) -> list[bytes]:
        """Return the bytes of each token of a text."""
        ids, _ = self.encode_batch([text])
        return [self.vocabulary.get(int(id), b"") for id in ids]

    @property
    def vocab_size(self) -> int:
        """The number of tokens, without special tokens."""
        return len(self.vocabulary)

    @property
    def id_limit(self) -> int:
        """One more than the largest id."""
        return max(self.vocabulary, default=-1) + 1

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of special tokens; none by default."""
        return {}

    def token_bytes(self, id: int) -> bytes:
        """Return the bytes of a token."""
        return self.vocabulary[id]

    @cached_property
    def superwords(self) -> frozenset[int]:
        """The ids of superwords: tokens with letters of more than one pretoken."""
        ids, tokens = list(self.vocabulary), self.vocabulary.values()
        texts = [token.decode("utf-8", "ignore") for token in tokens]
        ends, words = find_pretoken_ends(texts, self.pattern)
        lengths = [len(text.encode()) for text in texts]
        owners = np.searchsorted(np.cumsum(lengths), ends[words])
        return frozenset(ids[at] for at in np.flatnonzero(np.bincount(owners) > 1))


class Ours(AnyTokenizer):
    """A superword model.

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
        self.pattern = choose_pattern(pattern, model.pattern)
        self.vocabulary = dict(list_tokens(model._model))

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts; special tokens in them are ordinary text."""
        return self.model.encode_batch_to_numpy(texts, threads)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of the model's special tokens."""
        return self.model.special_tokens

    @cached_property
    def superwords(self) -> frozenset[int]:
        """The ids that a supermerge made; without supermerges, as for other tokenizers."""
        if not self.model.parameters.supermerges:
            return super().superwords
        return frozenset(filter(self.model.is_superword, self.vocabulary))


class HuggingFace(AnyTokenizer):
    """A `tokenizer.json` of Hugging Face `tokenizers`."""

    def __init__(self, tokenizer: Any, name: str, pattern: str | None = None) -> None:
        described = json.loads(tokenizer.to_str())
        if described["truncation"] or described["padding"]:
            tokenizer = type(tokenizer).from_str(tokenizer.to_str())
            tokenizer.no_truncation()
            tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.name = name
        self.pattern = choose_pattern(pattern, find_named_pattern(described["pre_tokenizer"]))
        read = make_token_reader(described)
        added = [token for token in described["added_tokens"] if token["special"]]
        self._special_tokens = {token["content"]: token["id"] for token in added}
        special = set(self._special_tokens.values())
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        ordered = sorted((id, token) for token, id in vocabulary.items() if id not in special)
        self.vocabulary = {id: read(token) for id, token in ordered}
        self._id_limit = max(vocabulary.values(), default=-1) + 1

    @property
    def id_limit(self) -> int:
        """One more than the largest id, special tokens included."""
        return self._id_limit

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of the special tokens in the file."""
        return self._special_tokens

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts, without the special tokens that some models put around them."""
        encoded = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return flatten_ids([encoding.ids for encoding in encoded])


class Tiktoken(AnyTokenizer):
    """A vocabulary file of `tiktoken`. It splits text by `split`, its own pattern."""

    def __init__(
        self, ranks: dict[bytes, int], name: str, split: str, pattern: str | None = None
    ) -> None:
        tiktoken = import_extra("tiktoken")
        self.name = name
        self.pattern = choose_pattern(pattern, split)
        self.vocabulary = {rank: token for token, rank in ranks.items()}
        self._encoding = tiktoken.Encoding(
            name, pat_str=find_regex(split), mergeable_ranks=ranks, special_tokens={}
        )

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts; special tokens in them are ordinary text."""
        return flatten_ids(self._encoding.encode_ordinary_batch(list(texts), num_threads=threads))

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of an encoding's special tokens; a vocabulary file has none."""
        return {
            text: self._encoding.encode_single_token(text)
            for text in self._encoding.special_tokens_set
        }

    @classmethod
    def from_encoding(
        cls, encoding: Any, name: str | None = None, pattern: str | None = None
    ) -> Tiktoken:
        """Return the tokenizer of a `tiktoken.Encoding`, which splits as it does."""
        tok = cls.__new__(cls)
        tok.name = name or encoding.name
        tok.pattern = choose_pattern(pattern, encoding._pat_str)
        tokens = encoding.token_byte_values()
        tok.vocabulary = dict(sorted((encoding.encode_single_token(each), each) for each in tokens))
        tok._encoding = encoding
        return tok


def choose_pattern(given: str | None, own: str | None) -> str:
    """Return the pattern to measure by: the given one, or the tokenizer's own if it has a name."""
    if given is not None:
        return resolve_pattern(given)
    return (own and find_known_pattern(own)) or DEFAULT_PATTERN


def flatten_ids(lists: Sequence[Sequence[int]]) -> EncodedBatch:
    """Concatenate lists of ids, and return the offset of each, with the end of the last.

    Example:
        >>> [array.tolist() for array in flatten_ids([[7, 8], [], [9]])]
        [[7, 8, 9], [0, 2, 2, 3]]
    """
    ids = np.fromiter(chain.from_iterable(lists), np.uint32)
    return ids, np.cumsum([0, *map(len, lists)], dtype=np.uint64)


def find_named_pattern(described: object) -> str | None:
    """Return the pattern of a Hugging Face pre-tokenizer, if it has a name."""
    if isinstance(described, dict):
        regex = described.get("Regex")
        known = find_known_pattern(regex) if isinstance(regex, str) else None
        return known or find_named_pattern(list(described.values()))
    if isinstance(described, list):
        found = filter(None, map(find_named_pattern, described))
        return next(found, None)
    return None
