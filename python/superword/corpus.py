"""Documents to train and measure on."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from importlib import resources

import zstandard

__all__ = ["sample"]


def sample() -> Iterator[str]:
    """Yield the documents of the bundled sample: six English novels in 207 pieces, 2.9 MB.

    They are in the public domain; `data/README.md` beside them says where they come from.

    Example:
        >>> documents = list(sample())
        >>> len(documents), sum(len(document.encode()) for document in documents)
        (207, 2857956)
    """
    packed = resources.files("superword").joinpath("data/sample.jsonl.zst")
    with packed.open("rb") as file:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for line in io.TextIOWrapper(unpacked, encoding="utf-8"):
            yield json.loads(line)["text"]
