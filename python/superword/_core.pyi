from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Final, Literal, Protocol, TypedDict, final, type_check_only

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BACKTRACK_LIMIT",
    "BIGRAM_BUCKETS",
    "BYTES_PER_PRETOKEN_BYTE",
    "DEFAULT_PATTERN",
    "DEFAULT_SUPERWORD_SHARE",
    "DOCUMENTS_PER_LIMIT",
    "ELIGIBLE",
    "ENCODED_DOCUMENTS_PER_LIMIT",
    "KEPT_INTEGERS",
    "MAX_CACHE_BYTES",
    "MAX_DOCUMENT_BYTES",
    "MAX_PRETOKEN_BYTES",
    "MAX_THREADS",
    "MIN_MEMORY_LIMIT",
    "NAMED_PATTERNS",
    "PORTABLE_PATTERN",
    "PUBLISHED_VOCABULARIES",
    "SCRIPT_ELIGIBLE",
    "SCRIPT_PATTERN",
    "SECOND_PATTERN",
    "START_BYTES",
    "UNICODE_VERSION",
    "Batches",
    "Corpus",
    "Eligibility",
    "EncodeStream",
    "Encoder",
    "FragmentCounter",
    "FragmentSplitter",
    "FragmentSums",
    "LearnedMerges",
    "Model",
    "Pattern",
    "PretokenCounter",
    "PretokenSums",
    "Replay",
    "SortedCounts",
    "SpecialTokenFinder",
    "Weights",
    "count_fragments",
    "count_pretokens",
    "detect_file",
    "encode_corpus",
    "extend",
    "import_file",
    "import_merges",
    "is_supported_name",
    "panic_for_tests",
    "read_tiktoken",
    "train",
]

NAMED_PATTERNS: Final[dict[str, str]]
DEFAULT_PATTERN: Final[str]
DEFAULT_SUPERWORD_SHARE: Final[float]
ELIGIBLE: Final[str]
PORTABLE_PATTERN: Final[str]
SCRIPT_PATTERN: Final[str]
SCRIPT_ELIGIBLE: Final[str]
SECOND_PATTERN: Final[str]
MAX_THREADS: Final[int]
DOCUMENTS_PER_LIMIT: Final[int]
ENCODED_DOCUMENTS_PER_LIMIT: Final[int]
MAX_DOCUMENT_BYTES: Final[int]
MAX_PRETOKEN_BYTES: Final[int]
BYTES_PER_PRETOKEN_BYTE: Final[int]
KEPT_INTEGERS: Final[int]
MAX_CACHE_BYTES: Final[int]
MIN_MEMORY_LIMIT: Final[int]
BIGRAM_BUCKETS: Final[int]
UNICODE_VERSION: Final[str]
BACKTRACK_LIMIT: Final[int]
PUBLISHED_VOCABULARIES: Final[dict[str, tuple[str, list[tuple[str, int]] | None]]]
START_BYTES: Final[int]

@final
class Pattern:
    def __new__(cls, source: str, /) -> Pattern: ...
    def split(self, text: str, /) -> list[str]: ...
    def ends(self, texts: Sequence[str], /) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
    def digest(self, text: str, /) -> tuple[int, int]: ...
    @property
    def covers_all(self) -> bool: ...

@final
class Eligibility:
    def __new__(cls, source: str, /) -> Eligibility: ...
    def has(self, pretoken: str, /) -> bool: ...

class _CorpusOptions(Protocol):
    @property
    def column(self) -> str: ...
    @property
    def separator(self) -> str | None: ...
    @property
    def on_error(self) -> str: ...
    # An int by the time the core reads it.
    @property
    def max_bytes(self) -> int | str | None: ...
    @property
    def max_documents(self) -> int | None: ...

class _Resources(Protocol):
    @property
    def thread_count(self) -> int: ...
    @property
    def memory_bytes(self) -> int | None: ...
    @property
    def verify_every(self) -> int | None: ...

class _CorpusTotals(TypedDict):
    documents: int
    bytes: int
    skipped: int

@type_check_only
class BinaryFile(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Input(Protocol):
    @property
    def name(self) -> str | None: ...
    @property
    def documents(self) -> Iterable[Any] | None: ...
    @property
    def file(self) -> BinaryFile | None: ...

@final
class Corpus:
    @staticmethod
    def files(
        paths: Sequence[str | PathLike[str]],
        options: _CorpusOptions,
        weights: Weights | None = None,
        /,
    ) -> Corpus: ...
    @staticmethod
    def inputs(
        inputs: Iterable[_Input],
        skipped: list[str],
        options: _CorpusOptions,
        weights: Weights | None = None,
        /,
        *,
        once: bool,
        memory: int | None = None,
        memory_limit: int | None = None,
    ) -> Corpus: ...
    def documents(self) -> list[str]: ...
    def batches(self) -> Batches: ...
    def count(self, threads: int = 1) -> _CorpusTotals: ...
    def skipped(self) -> list[str]: ...
    @property
    def unused_weight(self) -> str | None: ...
    @property
    def size(self) -> int | None: ...

@final
class Weights:
    def __new__(cls, named: Sequence[tuple[str, int]], column: str | None, /) -> Weights: ...
    def find_source(self, source: str, /) -> int: ...
    def find_file(self, path: str, /) -> int: ...

@final
class Batches:
    def __iter__(self) -> Batches: ...
    def __next__(self) -> list[str]: ...
    @property
    def consumed(self) -> int: ...

def is_supported_name(name: str, /) -> bool: ...
def panic_for_tests(message: str, /, *, detached: bool) -> None: ...

class _Limits(Protocol):
    @property
    def max_superwords(self) -> int | float | None: ...
    @property
    def max_words(self) -> int | None: ...
    @property
    def max_token_bytes(self) -> int | None: ...
    @property
    def forbid(self) -> str | None: ...

class _Config(_Limits, Protocol):
    @property
    def pattern(self) -> str: ...
    @property
    def eligible(self) -> str: ...
    @property
    def supermerges(self) -> bool: ...
    @property
    def deletion(self) -> str | None: ...
    @property
    def tau(self) -> float: ...
    @property
    def min_count(self) -> int: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def transition(self) -> int | None: ...
    @property
    def second_pattern(self) -> str | None: ...

class _Rule(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def left(self) -> bytes: ...
    @property
    def right(self) -> bytes | None: ...
    @property
    def parts(self) -> tuple[bytes, ...]: ...
    @property
    def count(self) -> int | None: ...

class _Training(Protocol):
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def pretokens(self) -> int: ...
    @property
    def distinct_pretokens(self) -> int: ...
    @property
    def min_pretoken_count(self) -> int | None: ...
    @property
    def min_fragment_count(self) -> int | None: ...

class _ConfigRecord(TypedDict):
    pattern: str
    eligible: str
    supermerges: bool
    deletion: Literal["bytes", "pair"] | None
    tau: float
    min_count: int
    vocab_size: int
    transition: int | None
    second_pattern: str | None
    max_superwords: int | float | None
    max_words: int | None
    max_token_bytes: int | None
    forbid: str | None

class _TrainingRecord(TypedDict):
    documents: int
    bytes: int
    pretokens: int
    distinct_pretokens: int
    min_pretoken_count: int | None
    min_fragment_count: int | None

class _RuleRecord(TypedDict):
    kind: Literal["merge", "supermerge", "delete"]
    left: bytes
    right: bytes | None
    parts: tuple[bytes, ...]
    count: int | None

class _StepRecord(TypedDict):
    rule: int | None
    units: list[list[bytes]]
    changes: list[tuple[int, int]]

class _RankedModelRecord(TypedDict):
    model: Model
    early: list[tuple[bytes, bytes]]

class _ImportedRecord(TypedDict):
    model: Model
    warnings: list[str]

class _Extension(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def add(self) -> int: ...
    @property
    def min_count(self) -> int: ...
    @property
    def limits(self) -> _Limits: ...

@final
class Model:
    @staticmethod
    def from_rules(
        config: _Config,
        rules: Sequence[_Rule],
        special_tokens: Sequence[str],
        training: _Training,
        /,
    ) -> Model: ...
    @staticmethod
    def with_ids(
        config: _Config,
        rules: Sequence[_Rule],
        vocabulary: Sequence[tuple[int, bytes]],
        special_tokens: Sequence[tuple[int, str]],
        added_tokens: Sequence[tuple[int, str]],
        lookup_tokens: Sequence[bytes],
        /,
    ) -> Model: ...
    @staticmethod
    def with_ranks(
        config: _Config,
        vocabulary: Sequence[tuple[int, bytes]],
        merges: Sequence[tuple[bytes, bytes]] | None,
        special_tokens: Sequence[tuple[int, str]],
        added_tokens: Sequence[tuple[int, str]],
        looks_up: bool,
        /,
    ) -> _RankedModelRecord: ...
    @staticmethod
    def read(path: str | PathLike[str], /) -> Model: ...
    @staticmethod
    def from_json(text: bytes, /) -> Model: ...
    @staticmethod
    def from_authors(text: bytes, deletion: str, /) -> Model: ...
    def to_json(self) -> bytes: ...
    def truncate(self, vocab_size: int, /) -> Model: ...
    def with_special_tokens(self, texts: Sequence[str], multiple: int | None, /) -> Model: ...
    def prune(self, removed: Sequence[int], /) -> Model: ...
    @property
    def removed_count(self) -> int: ...
    def fingerprint(self) -> str: ...
    def differing_tables(self) -> list[str]: ...
    def vocabulary(self) -> list[tuple[int, bytes]]: ...
    def token_bytes(self, id: int, /) -> bytes | None: ...
    def token_id(self, token: bytes, /) -> int | None: ...
    def is_superword(self, id: int, /) -> bool | None: ...
    def rule(self, index: int, /) -> _RuleRecord: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def special_tokens(self) -> list[tuple[str, int]]: ...
    @property
    def added_tokens(self) -> list[tuple[str, int]]: ...
    @property
    def lookup_tokens(self) -> list[bytes]: ...
    def unreachable_tokens(self) -> list[bytes]: ...
    @property
    def config(self) -> _ConfigRecord: ...
    @property
    def training(self) -> _TrainingRecord: ...
    @property
    def rule_count(self) -> int: ...

@final
class Encoder:
    def __new__(cls, model: Model, /) -> Encoder: ...
    def encode(self, text: str, /) -> list[int]: ...
    def encode_to_array(self, text: str, /) -> NDArray[np.uint32]: ...
    def encode_bytes(self, bytes: bytes | bytearray, threads: int, /) -> list[int]: ...
    def encode_batch(self, texts: Sequence[str], threads: int, /) -> list[list[int]]: ...
    def encode_to_arrays(
        self, texts: Sequence[str], threads: int, /
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...
    def encode_prompt(self, text: str, /) -> tuple[list[int], bytes]: ...
    def count(self, text: str, threads: int, /) -> int: ...
    def offsets(self, text: str, ids: Sequence[int], /) -> list[list[tuple[int, int]]]: ...
    def decode(self, ids: Iterable[int], /) -> bytes: ...
    def replay(self, text: str, /) -> list[bytes]: ...
    def explain(self, text: str, /) -> Replay: ...

@final
class SpecialTokenFinder:
    def __new__(cls, tokens: Sequence[tuple[str, int]], /) -> SpecialTokenFinder: ...

@final
class EncodeStream:
    def __new__(cls, encoder: Encoder, special_tokens: SpecialTokenFinder, /) -> EncodeStream: ...
    def feed(self, piece: str | bytes | bytearray, /) -> list[int]: ...
    def peek(self) -> list[int]: ...
    def finish(self) -> list[int]: ...
    def copy(self) -> EncodeStream: ...
    @property
    def held_back(self) -> bytes: ...

@final
class Replay:
    def __iter__(self) -> Replay: ...
    def __next__(self) -> _StepRecord: ...

def detect_file(
    start: bytes, /
) -> Literal["superword", "authors", "tiktoken", "json", "unknown"]: ...
def import_file(
    content: bytes,
    pattern: str | None,
    special_tokens: Sequence[tuple[int, str]] | None,
    is_approximate: bool,
    /,
) -> _ImportedRecord: ...
def import_merges(
    vocabulary: bytes,
    merges: bytes,
    pattern: str,
    special_tokens: Sequence[tuple[int, str]] | None,
    is_approximate: bool,
    /,
) -> _ImportedRecord: ...
def read_tiktoken(content: bytes, /) -> list[tuple[bytes, int]]: ...
def encode_corpus(
    encoder: Encoder,
    corpus: Corpus,
    resources: _Resources,
    write: Callable[[NDArray[np.uint32], NDArray[np.uint64]], object],
    progress: Callable[[str, int, int | None], object] | None,
    /,
) -> _CorpusTotals: ...
def extend(
    corpus: Corpus,
    base: Model,
    extension: _Extension,
    resources: _Resources,
    progress: Callable[[str, int, int | None], object] | None,
    /,
) -> Model: ...
def train(
    corpus: Corpus,
    config: _Config,
    special_tokens: Sequence[str],
    resources: _Resources,
    progress: Callable[[str, int, int | None], object] | None,
    /,
) -> Model: ...

class _ShardTotals(Protocol):
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def pretokens(self) -> int: ...

class _ShardTotalsRecord(_CorpusTotals):
    pretokens: int

class _KeyCountRecord(TypedDict):
    keys: bytes
    offsets: NDArray[np.uint64]
    counts: NDArray[np.uint64]

@final
class SortedCounts:
    @property
    def totals(self) -> _ShardTotalsRecord: ...
    def take_bigrams(self) -> NDArray[np.uint32] | None: ...
    def next_batch(self) -> _KeyCountRecord | None: ...

@final
class FragmentSplitter:
    def __new__(
        cls, openable_pretokens: Sequence[bytes], frequent_bigrams: bytes | None, /
    ) -> FragmentSplitter: ...

@final
class PretokenCounter:
    def __new__(cls, pattern: str, eligible: str, bigrams: bool, /) -> PretokenCounter: ...
    def add(self, documents: Sequence[str], weights: Sequence[int] | None = None, /) -> None: ...
    def finish(self) -> SortedCounts: ...

@final
class FragmentCounter:
    def __new__(
        cls, pattern: str, eligible: str, splitter: FragmentSplitter, /
    ) -> FragmentCounter: ...
    def add(self, documents: Sequence[str], weights: Sequence[int] | None = None, /) -> None: ...
    def finish(self) -> SortedCounts: ...

def count_pretokens(
    corpus: Corpus,
    pattern: str,
    eligible: str,
    bigrams: bool,
    resources: _Resources,
    progress: Callable[[str, int, int | None], object] | None,
    /,
) -> SortedCounts: ...
def count_fragments(
    corpus: Corpus,
    pattern: str,
    eligible: str,
    splitter: FragmentSplitter,
    resources: _Resources,
    progress: Callable[[str, int, int | None], object] | None,
    /,
) -> SortedCounts: ...

class _Thresholds(Protocol):
    @property
    def min_pretoken_count(self) -> int | None: ...
    @property
    def min_fragment_count(self) -> int | None: ...

@final
class PretokenSums:
    def __new__(cls, config: _Config, resources: _Resources, /) -> PretokenSums: ...
    def add(self, bytes: bytes, offsets: bytes, counts: bytes, /) -> None: ...
    def learn(
        self,
        totals: _ShardTotals,
        progress: Callable[[str, int, int | None], object] | None,
        /,
    ) -> LearnedMerges: ...
    def learn_after(
        self,
        base: Model,
        extension: _Extension,
        totals: _ShardTotals,
        progress: Callable[[str, int, int | None], object] | None,
        /,
    ) -> LearnedMerges: ...

@final
class LearnedMerges:
    def openable_pretokens(self) -> list[bytes]: ...
    @property
    def min_supermerge_count(self) -> int: ...
    @property
    def may_split_rare_neighbours(self) -> bool: ...
    def fragment_sums(self) -> FragmentSums: ...
    def finish(
        self,
        fragments: FragmentSums | None,
        splits_rare_neighbours: bool,
        special_tokens: Sequence[str],
        thresholds: _Thresholds,
        progress: Callable[[str, int, int | None], object] | None,
        /,
    ) -> Model | None: ...

@final
class FragmentSums:
    def add(self, bytes: bytes, offsets: bytes, counts: bytes, /) -> None: ...
