"""The folder of counts: its files, their manifests and their checksums: docs/scale.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from superword import _core
from superword.atomic_files import name_errors, write_atomically
from superword.counts import key_counts
from superword.errors import CountsError
from superword.json_files import read_json_object

__all__ = [
    "CUT_FILE",
    "CountedShard",
    "Stage",
    "Totals",
    "check_files",
    "check_same_settings",
    "counts_file",
    "find_shard",
    "list_all_shards",
    "list_count_files",
    "list_outputs",
    "list_shards",
    "write_files",
    "write_shard",
]

FORMAT = "superword counts"
VERSION = 1
CUT_FILE = "cut.json"

# Totals are smaller, so that no count overflows.
MAX_TOTAL = 2**62

# As many missing shards are named.
MAX_NAMED = 10

Stage = Literal["pretokens", "fragments"]


@dataclass(frozen=True)
class Totals:
    """The numbers of documents, bytes, skipped items and pretokens in some input."""

    documents: int
    bytes: int
    skipped: int
    pretokens: int

    @staticmethod
    def add(each: Iterable[Totals]) -> Totals:
        """Return the sums.

        Raises:
            CountsError: If they are too large.
        """
        sums = Totals(*map(sum, zip(*map(astuple, each), strict=True)))
        if max(sums.documents, sums.bytes, sums.pretokens) >= MAX_TOTAL:
            raise CountsError(
                "the weighted documents have 2^62 bytes or more together; count them again with "
                "all weights divided by the same number"
            )
        return sums

    def __str__(self) -> str:
        """Return the numbers in words."""
        return (
            f"{self.documents:,} documents of {self.bytes:,} bytes and {self.pretokens:,} pretokens"
        )


@dataclass(frozen=True)
class File:
    """A file of sorted keys with counts.

    Attributes:
        name: Its name in the folder.
        keys: The number of keys.
        sha256: Its checksum.
    """

    name: str
    keys: int
    sha256: str


@dataclass(frozen=True)
class CountedShard:
    """The manifest of a shard.

    Attributes:
        stage: `pretokens` or `fragments`.
        index: The number of the shard, from 0 on.
        shards: The number of shards.
        pattern: The pattern that split the documents.
        eligible: The regex of eligible pretokens.
        unicode: The version of the Unicode tables.
        sources: The files that were read, and their sizes.
        seen: The totals of these files.
        cut: The checksum of the cut that made the fragments.
        files: The files of counts: pretokens and, for supermerges, bigrams; or fragments.
        weights: How often documents counted, by source.
        weight_column: The column that names the source, or holds the weight.
    """

    stage: Stage
    index: int
    shards: int
    pattern: str
    eligible: str
    unicode: str
    sources: list[tuple[str, int]]
    seen: Totals
    cut: str | None
    files: dict[str, File]
    weights: dict[str, int] | None = None
    weight_column: str | None = None

    def settings(self) -> tuple[str, str, str]:
        """Return the settings that all shards must share."""
        return self.pattern, self.eligible, self.unicode

    def weighting(self) -> dict[str, Any]:
        """Return how documents were weighted."""
        return {"weights": self.weights, "weight_column": self.weight_column}

    def describe_weights(self) -> str:
        """Return how documents were weighted, in words."""
        column = f" by the column {self.weight_column!r}" if self.weight_column else ""
        if self.weights is None:
            return f"weights{column}" if column else "no weights"
        named = ",".join(f"{name}={weight}" for name, weight in self.weights.items())
        return f"weights {named!r}{column}"

    def as_json(self) -> bytes:
        """Return the contents of the manifest; without weights, it does not mention them."""
        fields = {"format": FORMAT, "version": VERSION, **asdict(self)}
        for name, value in self.weighting().items():
            if value is None:
                del fields[name]
        return json.dumps(fields, indent=1).encode() + b"\n"

    @staticmethod
    def from_json(path: Path) -> CountedShard:
        """Read a manifest.

        Raises:
            CountsError: If the file is not a manifest.
        """
        try:
            fields = read_json_object(path)
            if (fields.pop("format"), fields.pop("version")) != (FORMAT, VERSION):
                raise CountsError(f"{path}: not {FORMAT} of version {VERSION}; count again")
            fields["seen"] = Totals(**fields["seen"])
            fields["files"] = {kind: File(**file) for kind, file in fields["files"].items()}
            fields["sources"] = [(name, size) for name, size in fields["sources"]]
            return check_shard(CountedShard(**fields), path)
        except (ValueError, KeyError, TypeError, AttributeError) as damage:
            if isinstance(damage, CountsError):
                raise
            raise CountsError(f"{path}: damaged ({damage!r}); count the shard again") from None


def check_shard(shard: CountedShard, path: Path) -> CountedShard:
    """Return the shard that a manifest describes.

    Raises:
        ValueError: If it cannot be: numbers out of range, files elsewhere, another shard than the
            name of the manifest says.
    """
    numbers = [shard.index, shard.shards, *astuple(shard.seen)]
    numbers += [file.keys for file in shard.files.values()]
    numbers += [size for _, size in shard.sources]
    if not all(type(number) is int and 0 <= number < MAX_TOTAL for number in numbers):
        raise ValueError("a number is not an integer from 0 to 2^62")
    texts = [shard.stage, shard.pattern, shard.eligible, shard.unicode]
    texts += [name for name, _ in shard.sources]
    texts += [text for file in shard.files.values() for text in (file.name, file.sha256)]
    texts += [text for text in (shard.cut, shard.weight_column) if text is not None]
    if not all(type(text) is str for text in texts):
        raise ValueError("a text is of another type")
    weights = {} if shard.weights is None else shard.weights
    if type(weights) is not dict or not all(type(weight) is int for weight in weights.values()):
        raise ValueError("the weights are no numbers")
    if shard.seen.pretokens > shard.seen.bytes:
        raise ValueError("more pretokens than bytes")
    if manifest_path(path.parent, shard.stage, shard.index, shard.shards) != path:
        raise ValueError(f"{shard.stage!r} of shard {shard.index} of {shard.shards} by its content")
    kinds = [{"pretokens"}, {"pretokens", "bigrams"}] if shard.cut is None else [{"fragments"}]
    if set(shard.files) not in kinds:
        raise ValueError(f"files of {', '.join(map(repr, shard.files))}")
    for file in shard.files.values():
        # A file elsewhere would be read, and its content reported in errors.
        if file.name != Path(file.name).name or file.name in ("", "..") or "\\" in file.name:
            raise ValueError(f"the file {file.name!r} is not in the folder")
    return shard


def counts_file(folder: Path, shard: CountedShard, kind: str) -> key_counts.CountsFile:
    """Return a file of a shard, with the number of its keys and the range of its sum."""
    file, pretokens = shard.files[kind], shard.seen.pretokens
    # Each fragment has at least two pretokens. Bigrams are counted once for each pretoken at most.
    most = pretokens // 2 if kind == "fragments" else pretokens
    least = pretokens if kind == "pretokens" else 0
    return key_counts.CountsFile(folder / file.name, file.keys, least, most)


def manifest_path(folder: Path, stage: Stage, index: int, shards: int) -> Path:
    """Return the path of a manifest.

    Example:
        >>> manifest_path(Path("counts"), "pretokens", 2, 16).name
        'pretokens-2-of-16.json'
    """
    return folder / f"{stage}-{index}-of-{shards}.json"


def list_outputs(folder: Path, stage: Stage, index: int, shards: int) -> list[Path]:
    """Return the files that are written for a shard."""
    kinds = ["pretokens", "bigrams"] if stage == "pretokens" else ["fragments"]
    tables = [folder / f"{kind}-{index}-of-{shards}.parquet" for kind in kinds]
    return [manifest_path(folder, stage, index, shards), *tables]


def list_count_files(folder: Path) -> list[Path]:
    """Return the files of counts in a folder, and the cut."""
    return [*folder.glob("*-*-of-*.*"), *folder.glob(CUT_FILE)]


def write_shard(folder: Path, shard: CountedShard, counts: _core.SortedCounts) -> CountedShard:
    """Write the counts of a shard, and its manifest."""
    kinds: dict[str, Iterable[Any]] = {shard.stage: key_counts.core_batches(counts)}
    if (bigrams := counts.take_bigrams()) is not None:
        kinds["bigrams"] = key_counts.bigram_batches(bigrams)
    return write_files(folder, shard, kinds)


def write_files(
    folder: Path, shard: CountedShard, kinds: Mapping[str, Iterable[Any]]
) -> CountedShard:
    """Write the files of a shard, given as batches of keys with counts, and its manifest."""
    with write_atomically() as files:
        path = manifest_path(folder, shard.stage, shard.index, shard.shards)
        manifest = files.open(path, is_manifest=True)
        for kind, batches in kinds.items():
            path = folder / f"{kind}-{shard.index}-of-{shard.shards}.parquet"
            file = files.open(path)
            keys = key_counts.write(file, batches)
            file.flush()
            with name_errors(path):
                shard.files[kind] = File(path.name, keys, checksum(Path(file.name)))
        manifest.write(shard.as_json())
    return shard


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(folder: Path, shard: CountedShard) -> None:
    """Reject a shard whose files are missing or damaged."""
    for file in shard.files.values():
        path = folder / file.name
        if not path.is_file():
            raise CountsError(f"{path}: missing; count shard {shard.index}/{shard.shards} again")
        if checksum(path) != file.sha256:
            raise CountsError(
                f"{path}: damaged, or replaced by another file; "
                f"remove it and count shard {shard.index}/{shard.shards} again"
            )


def find_shard(folder: Path, stage: Stage, index: int, shards: int) -> CountedShard | None:
    """Return a shard, or None if it was not counted."""
    path = manifest_path(folder, stage, index, shards)
    return CountedShard.from_json(path) if path.exists() else None


def list_shards(folder: Path, stage: Stage) -> list[CountedShard]:
    """Return the shards of a stage that were counted."""
    counted = [CountedShard.from_json(path) for path in folder.glob(f"{stage}-*-of-*.json")]
    return sorted(counted, key=lambda shard: (shard.shards, shard.index))


def list_all_shards(folder: Path, stage: Stage) -> list[CountedShard]:
    """Return all shards of a stage; an empty list if none was counted.

    Raises:
        CountsError: If some are missing, or they do not match.
    """
    counted = list_shards(folder, stage)
    if not counted:
        return []
    numbers = sorted({shard.shards for shard in counted})
    if len(numbers) > 1:
        listed = " and ".join(map(str, numbers))
        raise CountsError(f"{folder}: it has shards of {listed}; keep those of one number")
    lacking = numbers[0] - len(counted)
    if lacking:
        # The number of shards may be any: they are not listed one by one.
        found = {shard.index for shard in counted}
        missing = (index for index in range(numbers[0]) if index not in found)
        listed = ", ".join(f"{index}/{numbers[0]}" for index in islice(missing, MAX_NAMED))
        more = f" and {lacking - MAX_NAMED:,} more" if lacking > MAX_NAMED else ""
        raise CountsError(
            f"{folder}: {stage} are incomplete; count the missing shards: {listed}{more}"
        )
    check_same_settings(folder, counted)
    for shard in counted[1:]:
        if shard.weighting() != counted[0].weighting():
            raise CountsError(
                f"{folder}: {stage} of shard {shard.index}/{shard.shards} were counted with "
                f"{shard.describe_weights()}, those of {counted[0].index}/{counted[0].shards} with "
                f"{counted[0].describe_weights()}; count all with the same"
            )
    return counted


def check_same_settings(folder: Path, shards: Sequence[CountedShard]) -> None:
    """Reject shards that were counted with other settings than the first."""
    for shard in shards[1:]:
        if shard.settings() != shards[0].settings() or shard.files.keys() != shards[0].files.keys():
            raise CountsError(
                f"{folder}: {shard.stage} of shard {shard.index}/{shard.shards} were counted with "
                f"pattern {shard.pattern!r}, those of {shards[0].index}/{shards[0].shards} with "
                f"{shards[0].pattern!r}, or another eligibility, Unicode or choice of supermerges; "
                "count all with the same settings"
            )
