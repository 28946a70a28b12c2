"""The folder that counts are kept in: its files, what they say, and how they are checked.

docs/scale.md describes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from superword import _core
from superword.atomic_files import write_atomically
from superword.counts import key_counts
from superword.errors import CountsError

__all__ = ["Seen", "Shard", "Stage", "check_files", "complete", "find", "found", "write_shard"]

FORMAT = "superword counts"
VERSION = 1

Stage = Literal["pretokens", "fragments"]


@dataclass(frozen=True)
class Seen:
    """What the documents of a shard were found to hold."""

    documents: int
    bytes: int
    skipped: int
    pretokens: int

    def as_tuple(self) -> tuple[int, int, int, int]:
        """What the core takes."""
        return self.documents, self.bytes, self.skipped, self.pretokens

    @staticmethod
    def total(seen: Iterable[Seen]) -> Seen:
        """What all of them hold."""
        return Seen(*map(sum, zip(*(one.as_tuple() for one in seen), strict=True)))


@dataclass(frozen=True)
class File:
    """A file of sorted keys with counts.

    Attributes:
        name: Its name in the folder.
        keys: How many keys it has.
        sha256: Its checksum.
    """

    name: str
    keys: int
    sha256: str


@dataclass(frozen=True)
class Shard:
    """What is written beside the counts of a shard.

    Attributes:
        stage: What was counted.
        index: Which shard it is, from 0 on.
        shards: How many there are.
        pattern: What split the documents.
        eligible: Which pretokens are eligible.
        unicode: The version of the Unicode tables that decided it.
        sources: The files that were read, and their sizes.
        seen: What they held.
        cut: The checksum of the cut that fragments were made with.
        files: The counts: pretokens and, unless there are to be no supermerges, bigrams; or
            fragments.
    """

    stage: Stage
    index: int
    shards: int
    pattern: str
    eligible: str
    unicode: str
    sources: list[tuple[str, int]]
    seen: Seen
    cut: str | None
    files: dict[str, File]

    def settings(self) -> tuple[str, str, str]:
        """What must be the same in all shards."""
        return self.pattern, self.eligible, self.unicode

    def as_json(self) -> bytes:
        """The shard as the text of its file."""
        fields = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json.dumps(fields, indent=1).encode() + b"\n"

    @staticmethod
    def from_json(path: Path) -> Shard:
        """Read a shard.

        Raises:
            CountsError: If the file does not describe one.
        """
        try:
            fields = json.loads(path.read_bytes())
            if (fields.pop("format"), fields.pop("version")) != (FORMAT, VERSION):
                raise CountsError(f"{path}: not {FORMAT} of version {VERSION}; count again")
            fields["seen"] = Seen(**fields["seen"])
            fields["files"] = {kind: File(**file) for kind, file in fields["files"].items()}
            fields["sources"] = [(name, size) for name, size in fields["sources"]]
            return Shard(**fields)
        except (ValueError, KeyError, TypeError, AttributeError) as damage:
            if isinstance(damage, CountsError):
                raise
            raise CountsError(f"{path}: damaged ({damage!r}); count the shard again") from None


def manifest(folder: Path, stage: Stage, index: int, shards: int) -> Path:
    """Where a shard is described.

    Example:
        >>> manifest(Path("counts"), "pretokens", 2, 16).name
        'pretokens-2-of-16.json'
    """
    return folder / f"{stage}-{index}-of-{shards}.json"


def write_shard(folder: Path, shard: Shard, counts: _core.Counts) -> Shard:
    """Write the counts of a shard and, when they are there, what describes it."""
    kinds: dict[str, Iterable[Any]] = {shard.stage: key_counts.core_batches(counts)}
    if (bigrams := counts.take_bigrams()) is not None:
        kinds["bigrams"] = key_counts.bigram_batches(np.frombuffer(bigrams, np.uint32))
    return write_files(folder, shard, kinds)


def write_files(folder: Path, shard: Shard, kinds: Mapping[str, Iterable[Any]]) -> Shard:
    """Write the files of a shard: batches of keys with counts, by what they count."""
    with write_atomically() as files:
        # Opened first, and so put in place last: once it is there, all are.
        described = files.open(manifest(folder, shard.stage, shard.index, shard.shards))
        for kind, batches in kinds.items():
            path = folder / f"{kind}-{shard.index}-of-{shard.shards}.parquet"
            file = files.open(path)
            keys = key_counts.write(file, batches)
            file.flush()
            shard.files[kind] = File(path.name, keys, checksum(Path(file.name)))
        described.write(shard.as_json())
    return shard


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(folder: Path, shard: Shard) -> None:
    """Refuse a shard whose files are missing or damaged."""
    for file in shard.files.values():
        path = folder / file.name
        if not path.is_file():
            raise CountsError(f"{path}: missing; count shard {shard.index}/{shard.shards} again")
        if checksum(path) != file.sha256:
            raise CountsError(
                f"{path}: damaged, or not the file that was counted; "
                f"remove it and count shard {shard.index}/{shard.shards} again"
            )


def find(folder: Path, stage: Stage, index: int, shards: int) -> Shard | None:
    """Give a shard, if it was counted."""
    path = manifest(folder, stage, index, shards)
    return Shard.from_json(path) if path.exists() else None


def found(folder: Path, stage: Stage) -> list[Shard]:
    """List the shards of a stage that were counted."""
    there = [Shard.from_json(path) for path in folder.glob(f"{stage}-*-of-*.json")]
    return sorted(there, key=lambda shard: (shard.shards, shard.index))


def complete(folder: Path, stage: Stage) -> list[Shard]:
    """List all shards of a stage; none if none was counted.

    Raises:
        CountsError: If some are missing, or do not belong together.
    """
    there = found(folder, stage)
    if not there:
        return []
    totals = sorted({shard.shards for shard in there})
    if len(totals) > 1:
        listed = " and ".join(map(str, totals))
        raise CountsError(f"{folder}: there are shards of {listed}; keep those of one number")
    missing = sorted(set(range(totals[0])) - {shard.index for shard in there})
    if missing:
        listed = ", ".join(f"{index}/{totals[0]}" for index in missing)
        raise CountsError(f"{folder}: {stage} are incomplete; count the missing shards: {listed}")
    refuse_strangers(folder, there)
    return there


def refuse_strangers(folder: Path, shards: Sequence[Shard]) -> None:
    """Refuse shards that were counted with other settings than the first."""
    for shard in shards[1:]:
        if shard.settings() != shards[0].settings() or shard.files.keys() != shards[0].files.keys():
            raise CountsError(
                f"{folder}: {shard.stage} of shard {shard.index}/{shard.shards} were counted with "
                f"pattern {shard.pattern!r}, those of {shards[0].index}/{shards[0].shards} with "
                f"{shards[0].pattern!r}, or another eligibility, Unicode or choice of supermerges; "
                "count them alike"
            )
