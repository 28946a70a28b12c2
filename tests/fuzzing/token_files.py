"""Documents appended to damaged token files: refused with nothing changed, or appended rightly."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from superword.atomic_files import write_atomically
from superword.tokens.descriptions import TokenFormat
from superword.tokens.names import description_path, offsets_path
from superword.tokens.writers import open_writer

from .choices import Choices, damage

Files = dict[str, bytes]

# A name, the type of the ids, and the end of text.
OUTPUTS = [
    (f"tokens{suffix}", dtype, end)
    for suffix in (".bin", ".npy", ".idx", ".parquet")
    for dtype in ("uint16", "uint32")
    for end in (None, 7)
]


def append_to_damaged_files(data: bytes) -> None:
    """Damage the files of an output, and append to it."""
    choices = Choices(data)
    name, dtype, end = choices.pick(OUTPUTS)
    token_format = TokenFormat(dtype, "f" * 64, end)
    with TemporaryDirectory(prefix="superword-fuzz-") as folder:
        path = Path(folder, name)
        whole = make_files(name, token_format)
        for file, content in whole.items():
            Path(folder, file).write_bytes(content)
        others = [other for output in OUTPUTS for other in output_files(*output).values()]
        for _ in range(choices.below(4)):
            damage(choices, Path(folder, choices.pick(sorted(whole))), others)
        before = read_files(folder)
        try:
            write(path, token_format, [[11, 12], [13]], append=True)
        except (ValueError, OSError) as refusal:
            assert refusal.args, "a refusal without a reason"
            assert read_files(folder) == before, "a refusal has changed a file"
            assert before != whole, f"whole files are refused: {refusal}"
            return
        if path.exists() and name in before:
            check_appended(path, token_format, before)


def write(path: Path, token_format: TokenFormat, documents: list[list[int]], append: bool) -> None:
    """Write documents of ids."""
    with write_atomically() as files:
        writer = open_writer(path, files, token_format, append=append)
        try:
            ids = np.array([id for document in documents for id in document], np.uint32)
            ends = np.cumsum([0, *map(len, documents)], dtype=np.uint64)
            writer.write(ids, ends)
            writer.finish()
        except BaseException:
            writer.abort()
            raise


def output_files(name: str, dtype: str, end: int | None) -> Files:
    """Return the files of an output."""
    return make_files(name, TokenFormat(dtype, "f" * 64, end))


@cache
def make_files(name: str, token_format: TokenFormat) -> Files:
    """Write an output of three documents, and return its files."""
    with TemporaryDirectory(prefix="superword-fuzz-") as folder:
        write(Path(folder, name), token_format, [[1, 2, 7], [], [3, 65535, 7]], append=False)
        return read_files(folder)


def read_files(folder: str) -> Files:
    """Return the contents of all files in a folder."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def check_appended(path: Path, token_format: TokenFormat, before: Files) -> None:
    """Check that what was in a token file is still there, and the new documents follow it."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        rows = pyarrow.parquet.read_table(path)["ids"].to_pylist()
        assert rows[-2:] == [[11, 12], [13]]
        return
    tokens = path.with_suffix(".bin") if path.suffix == ".idx" else path
    header = 128 if tokens.suffix == ".npy" else 0
    old, new = before[tokens.name][header:], tokens.read_bytes()[header:]
    is_wide = token_format.dtype == "uint32"
    added = np.array([11, 12, 13], "<u4" if is_wide else "<u2").tobytes()
    assert new == old + added, "ids were lost or changed"
    described = json.loads(description_path(tokens).read_bytes())
    count = len(new) // (4 if is_wide else 2)
    assert described["count"] == count
    if tokens.suffix == ".npy":
        assert len(np.load(tokens, allow_pickle=False)) == count
    if token_format.end_of_text is None and path.suffix != ".idx":
        offsets = np.load(offsets_path(path), allow_pickle=False)
        assert len(offsets) == described["documents"] + 1
        assert offsets[0] == 0 and offsets[-1] == count
        assert (np.diff(offsets.astype(np.int64)) >= 0).all()
