"""Training on damaged counts: refused, or a model."""

from __future__ import annotations

import hashlib
import json
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import superword
from superword import Tokenizer
from superword.counts import key_counts

from .choices import Choices, damage

DOCUMENTS = ["to be or not to be", "to be, to see", "or not", "中文中文 to see or to be"] * 3
SIZE = 264
COUNTS = [1, 2, 3, 0, -1, 2**31, 2**32, 2**61, 2**62, 2**63 - 1, -(2**63)]

# What a damaged manifest raises, if it is read without care.
DAMAGE = (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError)

Files = dict[str, bytes]


def train_on_damaged_counts(data: bytes) -> None:
    """Damage a folder of counts, and train on it."""
    choices = Choices(data)
    supermerges = choices.chance(40)
    whole, wanted = make_counts(supermerges)
    with TemporaryDirectory(prefix="superword-fuzz-") as name:
        folder = Path(name)
        for file, content in whole.items():
            (folder / file).write_bytes(content)
        for _ in range(choices.below(4)):
            path = folder / choices.pick(sorted(whole))
            if path.suffix == ".parquet" and choices.chance(60):
                damage_rows(choices, path)
            else:
                damage(choices, path, list(whole.values()))
        is_signed = choices.chance(70)
        if is_signed:
            sign(folder)
        read = {path.name: path.read_bytes() for path in folder.iterdir()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if supermerges and choices.chance(30):
                count_with_damaged_cut(choices, folder, whole)
                return
            try:
                tok = train(folder, supermerges)
            except (superword.SuperwordError, ValueError, OSError) as refusal:
                assert read != whole, f"whole counts are refused: {refusal}"
                return
        assert tok.decode(tok.encode("to be")) == "to be"
        # Only a manifest that was changed with its tables can say something else.
        assert is_signed or tok.fingerprint == wanted


def count_with_damaged_cut(choices: Choices, folder: Path, whole: Files) -> None:
    """Damage the cut, and count fragments by it: refused, or counted."""
    cut = folder / "cut.json"
    cut.write_bytes(whole["cut.json"])
    damage(choices, cut, list(whole.values()))
    try:
        superword.count(DOCUMENTS, folder / "again", cut=cut, threads=1)
    except (superword.SuperwordError, ValueError, OSError) as refusal:
        assert cut.exists() is False or cut.read_bytes() != whole["cut.json"], refusal


def train(folder: Path, supermerges: bool) -> Tokenizer:
    """Train on counts."""
    return superword.train_on_counts(folder, SIZE, supermerges=supermerges, threads=1)


@cache
def make_counts(supermerges: bool) -> tuple[Files, str]:
    """Count the documents in two shards, and train on them."""
    with TemporaryDirectory(prefix="superword-fuzz-") as name:
        counts, corpus = Path(name, "counts"), Path(name, "corpus")
        corpus.mkdir()
        for number in range(2):
            lines = [json.dumps({"text": text}) for text in DOCUMENTS[number::2]]
            (corpus / f"{number}.jsonl").write_text("\n".join(lines))
        for number in range(2):
            superword.count(corpus, counts, shard=(number, 2), supermerges=supermerges)
        tok = superword.train_on_counts(counts, SIZE, supermerges=supermerges, corpus=corpus)
        return {path.name: path.read_bytes() for path in counts.iterdir()}, tok.fingerprint


def damage_rows(choices: Choices, path: Path) -> None:
    """Change rows of a table of counts, in ways that leave it a table."""
    try:
        rows = pq.read_table(path).to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return
    if any(row.keys() != {"key", "count"} for row in rows):
        return
    for _ in range(1 + choices.below(3)):
        at = choices.below(len(rows) + 1)
        row: dict[str, Any] = dict(rows[at]) if at < len(rows) else {"key": b"x", "count": 1}
        match choices.below(6):
            case 0:
                rows[at : at + 1] = []
            case 1:
                rows.insert(at, row)
            case 2:
                rows.insert(at, row | {"key": choices.bytes(8)})
            case 3:
                rows[at : at + 1] = [row | {"key": row["key"] + choices.bytes(4)}]
            case 4:
                rows[at : at + 1] = [row | {"count": row["count"] + choices.pick([-1, 1])}]
            case _:
                rows[at : at + 1] = [row | {"count": choices.pick(COUNTS)}]
    try:
        batch = pa.RecordBatch.from_pylist(rows, pq.read_schema(path))
    except (pa.ArrowException, OverflowError):
        return
    with path.open("wb") as file:
        key_counts.write(file, [batch])


def sign(folder: Path) -> None:
    """Let the manifests have the checksums of the files, and the numbers of their keys."""
    for path in folder.glob("*-*-of-*.json"):
        try:
            manifest = json.loads(path.read_bytes())
            for file in manifest["files"].values():
                table = folder / file["name"]
                file["sha256"] = hashlib.sha256(table.read_bytes()).hexdigest()
                file["keys"] = pq.read_metadata(table).num_rows
        except (*DAMAGE, pa.ArrowException):
            continue
        path.write_text(json.dumps(manifest))
