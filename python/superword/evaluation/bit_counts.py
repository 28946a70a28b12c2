"""The bits that a language model takes for each document of a corpus, and files of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from superword.atomic_files import local_path, write_atomically
from superword.errors import ModelFormatError
from superword.json_files import read_json_object
from superword.version import find_version

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BitTotals",
    "BitsPerByte",
    "ScoringSettings",
    "load_bits_per_byte",
    "save_bits_per_byte",
]

FORMAT = "superword bits per byte"


class BitTotals(NamedTuple):
    """The documents, bytes, tokens and bits of a corpus or of one of its sources.

    Example:
        >>> totals = BitTotals(documents=2, bytes=40, tokens=10, bits=50.0)
        >>> totals.bits_per_byte, totals.tokens_per_byte
        (1.25, 0.25)
    """

    documents: int
    bytes: int
    tokens: int
    bits: float

    @property
    def bits_per_byte(self) -> float | None:
        """The bits per byte; None without bytes."""
        return self.bits / self.bytes if self.bytes else None

    @property
    def tokens_per_byte(self) -> float | None:
        """The tokens per byte; None without bytes."""
        return self.tokens / self.bytes if self.bytes else None

    def as_json(self) -> dict[str, float | int | None]:
        """Return the totals and the rates."""
        rates = {"bits_per_byte": self.bits_per_byte, "tokens_per_byte": self.tokens_per_byte}
        return {**self._asdict(), **rates}


@dataclass(frozen=True, kw_only=True)
class ScoringSettings:
    """How documents were scored.

    Attributes:
        model: The folder of the model; None for a function.
        dtype: The type that a model in a folder computes in; None for a function.
        tokenizer: The name of the tokenizer.
        end_of_text: The id that each document follows.
        context: How many tokens the model read at once.
        stride: The distance between the beginnings of windows.
    """

    model: str | None
    dtype: str | None
    tokenizer: str
    end_of_text: int
    context: int
    stride: int


@dataclass(frozen=True, kw_only=True)
class BitsPerByte:
    """The bits that a language model takes for each document of a corpus.

    Attributes:
        name: The model's name.
        settings: How documents were scored.
        fingerprint: The SHA-256 of all documents, each after its size in 8 bytes.
        document_bytes: The bytes of each document.
        document_tokens: The tokens of each document.
        document_bits: The bits of each document.
        document_sources: The source of each document; None unless all have one.
    """

    name: str
    settings: ScoringSettings
    fingerprint: str
    document_bytes: NDArray[np.int64] = field(repr=False, compare=False)
    document_tokens: NDArray[np.int64] = field(repr=False, compare=False)
    document_bits: NDArray[np.float64] = field(repr=False, compare=False)
    document_sources: list[str] | None = field(repr=False, compare=False)

    @property
    def total(self) -> BitTotals:
        """The totals of all documents."""
        return self.sum_up(np.arange(len(self.document_bytes)))

    @property
    def sources(self) -> dict[str, BitTotals]:
        """The totals by source, the one with most bytes first; none without sources."""
        totals = {name: self.sum_up(documents) for name, documents in self.find_sources().items()}
        return dict(sorted(totals.items(), key=lambda item: (-item[1].bytes, item[0])))

    @property
    def bits_per_byte(self) -> float:
        """The bits per byte of all documents."""
        return self.total.bits / self.total.bytes

    def find_sources(self) -> dict[str, NDArray[np.int64]]:
        """Return the documents of each source, as indices."""
        if self.document_sources is None:
            return {}
        names, groups = np.unique(np.asarray(self.document_sources), return_inverse=True)
        return {str(name): np.flatnonzero(groups == at) for at, name in enumerate(names)}

    def sum_up(self, documents: NDArray[np.int64]) -> BitTotals:
        """Return the totals of some documents."""
        return BitTotals(
            len(documents),
            int(self.document_bytes[documents].sum()),
            int(self.document_tokens[documents].sum()),
            float(self.document_bits[documents].sum()),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the totals, all and by source, and the settings."""
        return {
            "name": self.name,
            "settings": asdict(self.settings),
            "fingerprint": self.fingerprint,
            **self.total.as_json(),
            "sources": {name: totals.as_json() for name, totals in self.sources.items()},
        }


def save_bits_per_byte(results: Sequence[BitsPerByte], path: str | PathLike[str]) -> None:
    """Save results to a JSON file, atomically: the totals, the settings, and each document.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If the path is a URL.
    """
    described = [
        {
            **each.as_json(),
            "document_bytes": each.document_bytes.tolist(),
            "document_tokens": each.document_tokens.tolist(),
            "document_bits": each.document_bits.tolist(),
            "document_sources": each.document_sources,
        }
        for each in results
    ]
    plain = {"format": FORMAT, "version": find_version(), "results": described}
    with write_atomically() as files:
        files.open(local_path(path)).write(json.dumps(plain, ensure_ascii=False).encode())


def load_bits_per_byte(path: str | PathLike[str]) -> list[BitsPerByte]:
    """Load the results that `save_bits_per_byte` or `superword bpb` wrote.

    Raises:
        ModelFormatError: If the file holds anything else.
        OSError: If it cannot be read.
    """
    plain = read_json_object(Path(path))
    if plain.get("format") != FORMAT:
        raise ModelFormatError(
            f"{path}: neither the folder of a model nor a file that superword bpb wrote"
        )
    try:
        return [read_result(each) for each in plain["results"]]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelFormatError(f"{path}: damaged: {error!r}") from None


def read_result(plain: dict[str, Any]) -> BitsPerByte:
    """Return a result from plain values.

    Raises:
        KeyError, TypeError, ValueError: If the values make no sense.
    """
    sources = plain["document_sources"]
    result = BitsPerByte(
        name=str(plain["name"]),
        settings=ScoringSettings(**plain["settings"]),
        fingerprint=str(plain["fingerprint"]),
        document_bytes=np.array(plain["document_bytes"], np.int64),
        document_tokens=np.array(plain["document_tokens"], np.int64),
        document_bits=np.array(plain["document_bits"], np.float64),
        document_sources=None if sources is None else list(map(str, sources)),
    )
    columns = [result.document_bytes, result.document_tokens, result.document_bits]
    shapes = {(len(sources or columns[0]),), *(column.shape for column in columns)}
    if len(shapes) > 1:
        raise ValueError("not every document has all values")
    if not all(np.isfinite(column).all() and (column >= 0).all() for column in columns):
        raise ValueError("a value is negative or not finite")
    if not result.document_bytes.any():
        raise ValueError("there is no text")
    return result
