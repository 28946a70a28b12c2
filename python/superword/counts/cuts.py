"""Where documents are cut into fragments: what the second pass over a corpus needs of the first."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from superword import _core
from superword.atomic_files import write_atomically
from superword.counts import key_counts
from superword.errors import CountsError

__all__ = ["Cut", "often"]

FORMAT = "superword cut"
VERSION = 1


@dataclass(frozen=True)
class Cut:
    """Which pretokens open at some time, and which neighbours are frequent enough.

    Attributes:
        pattern: What splits the documents.
        eligible: Which pretokens are eligible.
        unicode: The version of the Unicode tables.
        bound: The count that neighbours must reach.
        words: The pretokens that open; fragments are made of their places here.
        often: A bit for each place of bigrams, set where the bound is reached; None if nothing may
            be cut between neighbours.
    """

    pattern: str
    eligible: str
    unicode: str
    bound: int
    words: list[bytes]
    often: bytes | None

    @cached_property
    def core(self) -> _core.Cut:
        """What the core cuts with."""
        return _core.Cut(self.words, self.often)

    def without_bigrams(self) -> Cut:
        """The cut that leaves all neighbours together."""
        return Cut(self.pattern, self.eligible, self.unicode, self.bound, self.words, None)

    @cached_property
    def text(self) -> bytes:
        """The cut as the text of its file: the same cut gives the same bytes."""
        often = None if self.often is None else base64.b64encode(self.often).decode()
        fields = {
            "format": FORMAT,
            "version": VERSION,
            "pattern": self.pattern,
            "eligible": self.eligible,
            "unicode": self.unicode,
            "bound": self.bound,
            "words": [word.decode() for word in self.words],
            "often": often,
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
        """Read a cut.

        Raises:
            CountsError: If the file holds none.
            OSError: If it cannot be read.
        """
        text = path.read_bytes()
        try:
            fields: dict[str, Any] = json.loads(text)
            if (fields.pop("format"), fields.pop("version")) != (FORMAT, VERSION):
                raise ValueError(f"not a {FORMAT} of version {VERSION}")
            fields["words"] = [word.encode() for word in fields["words"]]
            if fields["often"] is not None:
                fields["often"] = base64.b64decode(fields["often"], validate=True)
            return Cut(**fields)
        except (ValueError, KeyError, TypeError, AttributeError) as damage:
            message = f"{path}: not a cut, or damaged ({damage}); train on the counts to get it"
            raise CountsError(message) from None


def often(batches: Iterable[Any], bound: int) -> bytes:
    """Give a bit for each place of bigrams, set where the sum of its counts reaches the bound."""
    reached = np.zeros(_core.PLACES, np.bool_)
    # A part's count stops at the largest uint32.
    bound = min(bound, 2**32 - 1)
    for batch in batches:
        keys, _, _ = key_counts.as_rows(batch.filter(np.asarray(batch.column("count")) >= bound))
        places = np.frombuffer(keys[: len(keys) // 4 * 4], ">u4")
        if len(keys) % 4 or (places >= _core.PLACES).any():
            raise CountsError("the counts of bigrams are not at places of bigrams; count again")
        reached[places] = True
    return np.packbits(reached, bitorder="little").tobytes()
