"""Counts that cannot be right: each is refused in a sentence that names the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CountsError
from superword.counts import key_counts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SIZE = 264
Rows = list[tuple[bytes | None, int | None]]


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    """A folder with the counts of pretokens and of fragments."""
    corpus, folder = tmp_path / "corpus.jsonl", tmp_path / "counts"
    texts = ["to be or not to be", "to be", "or not", "to see or to be"]
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    superword.train_on_counts(folder, SIZE, corpus=corpus)
    assert superword.train_on_counts(folder, SIZE).vocab_size == SIZE
    return folder


def edit_manifest(folder: Path, stage: str, edit: Callable[[Any], object]) -> None:
    path = folder / f"{stage}-0-of-1.json"
    fields = json.loads(path.read_bytes())
    edit(fields)
    path.write_text(json.dumps(fields))


def edit_rows(folder: Path, kind: str, edit: Callable[[Rows], Rows], keys: int | None) -> None:
    """Replace the rows of a file, and write its new checksum and number of keys to the manifest."""
    path = folder / f"{kind}-0-of-1.parquet"
    rows = edit([(row["key"], row["count"]) for row in pq.read_table(path).to_pylist()])
    columns = [
        pa.array([key for key, _ in rows], pa.binary()),
        pa.array([count for _, count in rows], pa.int64()),
    ]
    pq.write_table(pa.Table.from_arrays(columns, names=["key", "count"]), path)

    def describe(fields: Any) -> None:
        file = fields["files"][kind]
        file["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        file["keys"] = len(rows) if keys is None else keys

    edit_manifest(folder, "fragments" if kind == "fragments" else "pretokens", describe)


def test_a_billion_shards_take_no_memory(counts: Path) -> None:
    manifest = counts / "pretokens-0-of-1.json"
    fields = json.loads(manifest.read_bytes())
    fields["shards"] = 10**9
    manifest.write_text(json.dumps(fields))
    with pytest.raises(CountsError, match=r"pretokens-0-of-1\.json: damaged"):
        superword.train_on_counts(counts, SIZE)
    manifest.rename(counts / "pretokens-0-of-1000000000.json")
    with pytest.raises(CountsError, match=r"1/1000000000, .* and 999,999,989 more"):
        superword.train_on_counts(counts, SIZE)


@pytest.mark.parametrize("name", ["../x.parquet", "/etc/passwd", "a/b.parquet", "..", "", "a\\b"])
def test_a_file_outside_the_folder_is_refused(counts: Path, name: str) -> None:
    edit_manifest(counts, "pretokens", lambda fields: fields["files"]["bigrams"].update(name=name))
    with pytest.raises(CountsError, match=r"pretokens-0-of-1\.json: .* is not in the folder"):
        superword.train_on_counts(counts, SIZE)
    with pytest.raises(CountsError, match="is not in the folder"):
        superword.merge_counts([counts], counts.with_name("sums"))


@pytest.mark.parametrize(
    "edit",
    [
        lambda fields: fields.update(index=-1),
        lambda fields: fields.update(index=1.5),
        lambda fields: fields.update(stage="fragments"),
        lambda fields: fields["seen"].update(pretokens=-1),
        lambda fields: fields["seen"].update(bytes=2**62),
        lambda fields: fields["seen"].update(pretokens=10**9),
        lambda fields: fields["seen"].update(documents=True),
        lambda fields: fields["files"]["pretokens"].update(keys="many"),
        lambda fields: fields["files"].update(fragments=fields["files"].pop("bigrams")),
        lambda fields: fields["files"].clear(),
    ],
)
def test_an_impossible_manifest_is_refused(counts: Path, edit: Callable[[Any], object]) -> None:
    edit_manifest(counts, "pretokens", edit)
    with pytest.raises(CountsError, match=r"pretokens-0-of-1\.json: damaged"):
        superword.train_on_counts(counts, SIZE)


def set_first(count: int | None) -> Callable[[Rows], Rows]:
    return lambda rows: [(rows[0][0], count), *rows[1:]]


@pytest.mark.parametrize("kind", ["pretokens", "bigrams", "fragments"])
@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (set_first(2**62), "its counts exceed"),
        (set_first(-5), "has the count -5"),
        (set_first(0), "has the count 0"),
        (set_first(None), "a key or a count is missing"),
        (lambda rows: [rows[0], *rows], "its keys are not in order, or one occurs twice"),
        (lambda rows: rows[::-1], "its keys are not in order, or one occurs twice"),
    ],
)
def test_impossible_counts_are_refused(
    counts: Path, kind: str, edit: Callable[[Rows], Rows], problem: str
) -> None:
    # Twice, so that no file has a single row.
    edit_rows(counts, kind, lambda rows: edit(rows if len(rows) > 1 else two_rows(rows)), None)
    for use in (
        lambda: superword.train_on_counts(counts, SIZE),
        lambda: superword.merge_counts([counts], counts.with_name("sums")),
    ):
        with pytest.raises(CountsError, match=rf"{kind}-0-of-1\.parquet: .*{problem}"):
            use()


def two_rows(rows: Rows) -> Rows:
    [(key, count)] = rows
    assert key is not None
    return [(key, count), (key + key, count)]


@pytest.mark.parametrize("kind", ["pretokens", "bigrams", "fragments"])
def test_missing_keys_are_refused(counts: Path, kind: str) -> None:
    keys = pq.read_metadata(counts / f"{kind}-0-of-1.parquet").num_rows
    edit_rows(counts, kind, lambda rows: rows[:-1], keys)
    with pytest.raises(CountsError, match=rf"{kind}-0-of-1\.parquet: it has {keys - 1} keys, not"):
        superword.train_on_counts(counts, SIZE)


def test_pretokens_must_be_as_many_as_the_documents_have(counts: Path) -> None:
    edit_rows(counts, "pretokens", lambda rows: rows[:-1], None)
    with pytest.raises(CountsError, match=r"pretokens-0-of-1\.parquet: its counts are"):
        superword.train_on_counts(counts, SIZE)


def test_fragments_with_more_pretokens_than_were_counted_are_refused(counts: Path) -> None:
    edit_rows(counts, "fragments", lambda rows: [(k, (n or 0) + 1) for k, n in rows], None)
    with pytest.raises(CountsError, match="more often in fragments than it was counted"):
        superword.train_on_counts(counts, SIZE)


def test_another_table_is_refused(counts: Path) -> None:
    path = counts / "bigrams-0-of-1.parquet"
    pq.write_table(pa.table({"key": ["a"], "count": [1.5]}), path)
    with pytest.raises(CountsError, match="it has other columns"):
        list(key_counts.read(key_counts.CountsFile(path)))
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CountsError, match="damaged"):
        list(key_counts.read(key_counts.CountsFile(path)))
