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
from superword.patterns import NAMED_PATTERNS
from superword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # All ids in one array, and the offset of each text in it, with the end of the last.
    EncodedBatch = tuple[NDArray[np.uint32], NDArray[np.uint64]]

__all__ = ["AnyTokenizer", "HuggingFace", "Ours", "Tiktoken", "flatten_ids"]

# The pattern of a tokenizer whose file names none.
DEFAULT_PATTERN = "gpt4o"
# The patterns of the vocabularies that OpenAI publishes as tiktoken files.
TIKTOKEN_PATTERNS = {
    "cl100k_base": "gpt4",
    "o200k_base": "gpt4o",
    "o200k_harmony": "gpt4o",
    "p50k_base": "gpt2",
    "p50k_edit": "gpt2",
    "r50k_base": "gpt2",
}


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
        own = model.pattern if model.pattern in NAMED_PATTERNS else DEFAULT_PATTERN
        self.pattern = pattern or own
        self.vocabulary = dict(model._model.vocabulary())

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts; special tokens in them are ordinary text."""
        return self.model.encode_batch_to_numpy(texts, threads)

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
        own = find_named_pattern(described["pre_tokenizer"])
        self.pattern = pattern or own or DEFAULT_PATTERN
        read = make_token_reader(described)
        special = {added["id"] for added in described["added_tokens"] if added["special"]}
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        ordered = sorted((id, token) for token, id in vocabulary.items() if id not in special)
        self.vocabulary = {id: read(token) for id, token in ordered}
        self._id_limit = max(vocabulary.values(), default=-1) + 1

    @property
    def id_limit(self) -> int:
        """One more than the largest id, special tokens included."""
        return self._id_limit

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts, without the special tokens that some models put around them."""
        encoded = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return flatten_ids([encoding.ids for encoding in encoded])


class Tiktoken(AnyTokenizer):
    """A vocabulary file of `tiktoken`."""

    def __init__(self, ranks: dict[bytes, int], name: str, pattern: str | None = None) -> None:
        tiktoken = import_extra("tiktoken")
        self.name = name
        self.pattern = pattern or TIKTOKEN_PATTERNS.get(name, DEFAULT_PATTERN)
        self.vocabulary = {rank: token for token, rank in ranks.items()}
        regex = NAMED_PATTERNS.get(self.pattern, self.pattern)
        self._encoding = tiktoken.Encoding(
            name, pat_str=regex, mergeable_ranks=ranks, special_tokens={}
        )

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts; special tokens in them are ordinary text."""
        return flatten_ids(self._encoding.encode_ordinary_batch(list(texts), num_threads=threads))

    @classmethod
    def from_encoding(
        cls, encoding: Any, name: str | None = None, pattern: str | None = None
    ) -> Tiktoken:
        """Return the tokenizer of a `tiktoken.Encoding`, which splits as it does."""
        tok = cls.__new__(cls)
        tok.name = name or encoding.name
        own = find_named_pattern({"Regex": encoding._pat_str})
        tok.pattern = pattern or own or TIKTOKEN_PATTERNS.get(encoding.name, DEFAULT_PATTERN)
        tokens = encoding.token_byte_values()
        tok.vocabulary = dict(sorted((encoding.encode_single_token(each), each) for each in tokens))
        tok._encoding = encoding
        return tok


def flatten_ids(lists: Sequence[Sequence[int]]) -> EncodedBatch:
    """Concatenate lists of ids, and return the offset of each, with the end of the last.

    Example:
        >>> [array.tolist() for array in flatten_ids([[7, 8], [], [9]])]
        [[7, 8, 9], [0, 2, 2, 3]]
    """
    ids = np.fromiter(chain.from_iterable(lists), np.uint32)
    return ids, np.cumsum([0, *map(len, lists)], dtype=np.uint64)


def find_named_pattern(described: object) -> str | None:
    """Return the name of a Hugging Face pre-tokenizer's pattern, if it is a named one."""
    if isinstance(described, dict):
        regex = described.get("Regex")
        names = [name for name, known in NAMED_PATTERNS.items() if known == regex]
        return names[0] if names else find_named_pattern(list(described.values()))
    if isinstance(described, list):
        found = filter(None, map(find_named_pattern, described))
        return next(found, None)
    return None
