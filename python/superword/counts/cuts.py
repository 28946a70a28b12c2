"""The cut: where the second pass over a corpus divides documents into fragments."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from superword import _core
from superword.atomic_files import write_atomically
from superword.counts import key_counts
from superword.errors import CountsError
from superword.json_files import read_json_object

__all__ = ["Cut", "find_frequent_bigrams"]

FORMAT = "superword cut"
VERSION = 1


@dataclass(frozen=True)
class Cut:
    """The pretokens that may become single tokens, and the neighbours that are frequent enough.

    Attributes:
        pattern: The pattern that splits documents.
        eligible: The regex of eligible pretokens.
        unicode: The version of the Unicode tables.
        threshold: The count that neighbours must reach.
        words: The pretokens that may become single tokens. Fragments are made of their indexes.
        frequent_bigrams: A bit for each bigram bucket, set if its count reaches the threshold; None
            if documents must not be cut between neighbours.
    """

    pattern: str
    eligible: str
    unicode: str
    threshold: int
    words: list[bytes]
    frequent_bigrams: bytes | None

    @cached_property
    def splitter(self) -> _core.FragmentSplitter:
        """The splitter that cuts documents in the core."""
        return _core.FragmentSplitter(self.words, self.frequent_bigrams)

    def without_bigrams(self) -> Cut:
        """Return the cut that never separates neighbours."""
        return replace(self, frequent_bigrams=None)

    @cached_property
    def text(self) -> bytes:
        """The contents of the file. Equal cuts give equal bytes."""
        bits = self.frequent_bigrams
        fields = {
            "format": FORMAT,
            "version": VERSION,
            "pattern": self.pattern,
            "eligible": self.eligible,
            "unicode": self.unicode,
            "bound": self.threshold,
            "words": [word.decode() for word in self.words],
            "often": None if bits is None else base64.b64encode(bits).decode(),
        }
        return json.dumps(fields, ensure_ascii=False, indent=0).encode() + b"\n"

    @property
    def sha256(self) -> str:
        """The checksum of the file."""
        return hashlib.sha256(self.text).hexdigest()

    def save(self, path: Path) -> None:
        """Write the cut to a file."""
        with write_atomically() as files:
            files.open(path).write(self.text)

    @staticmethod
    def load(path: Path) -> Cut:
        """Read a cut from a file.

        Raises:
            CountsError: If the file does not hold a cut.
            OSError: If the file cannot be read.
        """
        try:
            fields = read_json_object(path)
            if (fields.pop("format"), fields.pop("version")) != (FORMAT, VERSION):
                raise ValueError(f"not a {FORMAT} of version {VERSION}")
            words = [word.encode() for word in fields.pop("words")]
            bits, threshold = fields.pop("often"), fields.pop("bound")
            bigrams = None if bits is None else base64.b64decode(bits, validate=True)
            cut = Cut(**fields, threshold=threshold, words=words, frequent_bigrams=bigrams)
            if not all(type(text) is str for text in (cut.pattern, cut.eligible, cut.unicode)):
                raise ValueError("a setting is no text")
            if type(threshold) is not int or threshold < 0:
                raise ValueError("the bound is not a number from 0 on")
            return cut
        except (ValueError, KeyError, TypeError, AttributeError) as damage:
            message = f"{path}: not a cut, or damaged ({damage}); train on the counts to make it"
            raise CountsError(message) from None


def find_frequent_bigrams(batches: Iterable[Any], threshold: int) -> bytes:
    """Return a bit for each bigram bucket, set if the sum of its counts reaches the threshold."""
    frequent = np.zeros(key_counts.BIGRAM_BUCKETS, np.bool_)
    # The counts of a shard saturate at the largest uint32.
    threshold = min(threshold, 2**32 - 1)
    for batch in batches:
        reached = np.asarray(batch.column("count")) >= threshold
        keys, _, _ = key_counts.to_core(batch.filter(reached))
        buckets = np.frombuffer(keys[: len(keys) // 4 * 4], ">u4")
        if len(keys) % 4 or (buckets >= key_counts.BIGRAM_BUCKETS).any():
            raise CountsError("the counts of bigrams have invalid keys; count again")
        frequent[buckets] = True
    return np.packbits(frequent, bitorder="little").tobytes()
